"""Health findings: whether a part of the installation works, and what to do if not. Pure.

A finding with state FAIL makes the installation not ready; a warning does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

# Seconds without a heartbeat after which a process counts as gone; it sends one every 10.
GONE = 45.0
# Seconds after the start of the program before a missing process is alarming.
STARTING = 60.0
# Seconds of failure before a service is alarming: a model takes time to load.
SERVICE_STARTING = 60.0
# Bytes free in DATA_DIR.
FULL = 256 * 1024**2
NEARLY_FULL = 1024**3
BACKUP_DUE = 8 * 24 * 3600.0

PROCESSES = {
    "work": ("The worker", "worker", "Fetches, imports and sweeps wait."),
    "generation": ("The worker for model calls", "generation", "Responses wait."),
    "scheduler": ("The scheduler", "scheduler", "Interrupted work is not resumed."),
}


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """The result of one check: `sentence` describes it, `remedy` says what to do if it is not OK.

    `alarming`: worth a banner; False e.g. shortly after a start.
    """

    name: str
    state: State
    sentence: str
    remedy: str = ""
    alarming: bool = True

    @property
    def is_trouble(self) -> bool:
        return self.alarming and self.state != State.OK


def of_answer(name: str, label: str, problem: str, remedy: str) -> Finding:
    """`problem`: why the server did not answer, "" if it did."""
    if not problem:
        return Finding(name, State.OK, f"{label} answers.")
    return Finding(name, State.FAIL, f"{label} does not answer: {problem}.", remedy)


def of_migrations(missing: int) -> Finding:
    if not missing:
        return Finding("migrations", State.OK, "The database is up to date.")
    lacks = "1 migration" if missing == 1 else f"{missing} migrations"
    remedy = "Stop the program, run manage.py migrate, and start it again."
    return Finding("migrations", State.FAIL, f"The database lacks {lacks}.", remedy)


def of_process(role: str, silence: float | None, uptime: float) -> Finding:
    """`silence`: seconds since the role's last heartbeat, None without one; `uptime`: seconds of this program."""
    label, service, meanwhile = PROCESSES[role]
    if silence is not None and silence < GONE:
        return Finding(role, State.OK, f"{label} is running (last report {silence:.0f} s ago).")
    last = "never reported" if silence is None else f"last reported {ago(silence)} ago"
    remedy = (
        f"{meanwhile} Nothing is lost. Read the log of {service!r}, and start it again: by docker compose up -d, or "
        "by bin/run."
    )
    alarming = uptime >= STARTING
    return Finding(role, State.FAIL, f"{label} {last}.", remedy, alarming)


def of_services(failing: Mapping[str, float]) -> list[Finding]:
    """One warning for each service that cannot be reached: name -> seconds since."""
    return [
        Finding(
            f"service {name}",
            State.WARN,
            f"The inference service {name} has not answered for {ago(seconds)}.",
            "Its responses wait and are asked for again. Start the service, or see INFERENCE_SERVICES.",
            alarming=seconds >= SERVICE_STARTING,
        )
        for name, seconds in sorted(failing.items())
    ]


def of_disk(free: int) -> Finding:
    room = f"{free / 1024**3:.1f} GB" if free >= 1024**3 else f"{free // 1024**2} MB"
    sentence = f"{room} free in DATA_DIR."
    remedy = "Make room there: old backups, exports and logs first."
    if free < FULL:
        return Finding("disk", State.FAIL, f"The disk is full: {sentence}", remedy)
    if free < NEARLY_FULL:
        return Finding("disk", State.WARN, f"The disk is nearly full: {sentence}", remedy)
    return Finding("disk", State.OK, sentence)


def of_backup(age: float | None) -> Finding:
    """`age` in seconds, None if no backup is known. Never alarming: backups of another kind are unknown here."""
    if age is None:
        return Finding(
            "backup", State.WARN, "No backup is known.", "See docs/operators/back-up.md.", False
        )
    sentence = f"The last backup is {ago(age)} old."
    if age > BACKUP_DUE:
        return Finding("backup", State.WARN, sentence, "Make one, and have it made daily.", False)
    return Finding("backup", State.OK, sentence)


def ago(seconds: float) -> str:
    """A duration in words: "40 seconds", "5 minutes", "3 days"."""
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}s"
    return f"{seconds:.0f} second{'' if round(seconds) == 1 else 's'}"
