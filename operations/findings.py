"""What facts about a running installation mean: well or not, and what to do about it. Pure.

A finding that matters and has failed makes the installation not ready; a warning never does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

# Seconds without a heartbeat after which a process counts as gone; one comes every 10.
GONE = 45.0
# Seconds that processes have to report after the program started, before anybody is alarmed.
STARTING = 60.0
# Seconds that a service may fail before anybody is alarmed: a model takes its time to load.
SERVICE_STARTING = 60.0
# Bytes free in DATA_DIR.
FULL = 256 * 1024**2
NEARLY_FULL = 1024**3
BACKUP_DUE = 8 * 24 * 3600.0

PROCESSES = {
    "work": ("The worker", "worker", "Fetches, imports and sweeps wait."),
    "generation": ("The worker for model calls", "generation", "Responses wait."),
    "scheduler": ("The scheduler", "scheduler", "Work that was interrupted is not taken up."),
}


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `sentence` says how it is, `remedy` what to do where it is not well.

    `alarming`: worth a banner, and not just because the program has only now been started.
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
    """A server that answered, or why it did not."""
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
    """`silence`: seconds since the role's last heartbeat, None where there is none; `uptime`: those of this program."""
    label, service, meanwhile = PROCESSES[role]
    if silence is not None and silence < GONE:
        return Finding(role, State.OK, f"{label} is there (heard of {silence:.0f} s ago).")
    last = "never reported" if silence is None else f"was last heard of {ago(silence)} ago"
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
    """`age` in seconds, None where no backup is known. Never alarming: where one is kept elsewhere, it is not seen."""
    if age is None:
        return Finding(
            "backup", State.WARN, "No backup is known.", "See Backups in docs/operators.md.", False
        )
    sentence = f"The last backup is {ago(age)} old."
    if age > BACKUP_DUE:
        return Finding("backup", State.WARN, sentence, "Make one, and have it made daily.", False)
    return Finding("backup", State.OK, sentence)


def ago(seconds: float) -> str:
    """A span as people say it: "40 seconds", "5 minutes", "3 days"."""
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}s"
    return f"{seconds:.0f} second{'' if round(seconds) == 1 else 's'}"
