"""Run the Procfile's processes: started only once for a data folder, and all stopped together.

Standard library only, and no syntax newer than Python 3.6 (see prepare.py).
"""

import contextlib
import fcntl
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from prepare import ROOT, VENV, Trouble, end_with_parent, say

# An environment variable of all processes that bin/run starts; its value is their data folder.
MARK = "SICETNON_RUN"
STOP_SECONDS = 15


# ---------------------------------------------------------------- one at a time


@contextlib.contextmanager
def only_one(data_dir: Path, env: dict):
    """Lock DATA_DIR for this process. The kernel releases the lock with the process, even after kill -9.

    The file also holds the settings of the processes, which manage.py then uses too (config/environment.py).
    """
    with (data_dir / "running.lock").open("a+", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble(_already_running(handle)) from None
        handle.truncate(0)
        settings = {name: env[name] for name in ("BASE_URL", "INFERENCE_SERVICES") if name in env}
        json.dump({"pid": os.getpid(), "address": env["BASE_URL"], "settings": settings}, handle)
        handle.flush()
        yield


def _already_running(handle) -> str:
    handle.seek(0)
    try:
        holder = json.load(handle)
    except ValueError:  # it has the lock and has not written the file yet
        holder = {"pid": "?", "address": "its address"}
    return (
        f"Sic et Non runs already at {holder['address']} (process {holder['pid']}). Stop that one with "
        "Ctrl-C, or start this one with another DATA_DIR and --port."
    )


def check_port(port: int) -> None:
    """Raise Trouble unless `port` of this machine can be listened on."""
    if not 1 <= port <= 65535:
        raise Trouble(f"There is no port {port}. Choose one from 1024 to 65535: --port 8000.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise Trouble(
                f"Port {port} is reserved for root. Choose one from 1024 up: --port 8000."
            ) from None
        except OSError:
            raise Trouble(
                f"Port {port} is in use. Stop what uses it, or choose another: bin/run --port {port + 10}."
            ) from None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# ---------------------------------------------------------------- start, watch, stop


class Stopped(Exception):
    """A person or the system stopped this program."""


def run(names: list, env: dict, when_up) -> None:
    """Run the Procfile's processes `names` until they are stopped; call `when_up` once web answers.

    Returns after Ctrl-C, SIGTERM or a closed terminal; raises Trouble when a process ended by
    itself. In both cases all processes have ended.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    honcho = subprocess.Popen(
        [str(VENV / "bin" / "honcho"), "start", *names],
        cwd=str(ROOT),
        env=env,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=end_with_parent,
    )
    try:
        if _answers(int(env["WEB_PORT"]), honcho):
            when_up()
        honcho.wait()
    except Stopped:
        say("Stopping.")
        _ask_to_end(honcho)
        say("Stopped.")
    else:
        raise Trouble("A process ended by itself, so all were stopped. Its last output is above.")
    finally:
        end_leftovers(Path(env[MARK]))


def _stop(number, frame) -> None:
    for later in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(later, signal.SIG_IGN)
    raise Stopped


def _ask_to_end(honcho: subprocess.Popen) -> None:
    honcho.terminate()
    try:
        honcho.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        honcho.kill()
        honcho.wait()


def _answers(port: int, honcho: subprocess.Popen) -> bool:
    """Wait until the web server answers; False if the processes end first."""
    while honcho.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", "/")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
        else:
            return True
        finally:
            connection.close()
    return False


# ---------------------------------------------------------------- what a killed start left


def end_leftovers(data_dir: Path) -> int:
    """End the remaining processes of an earlier bin/run for this data folder; returns how many."""
    left = _marked(data_dir)
    for pid in left:
        _send(pid, signal.SIGTERM)
    deadline = time.monotonic() + 5
    while _marked(data_dir) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in _marked(data_dir):
        _send(pid, signal.SIGKILL)
    return len(left)


def _marked(data_dir: Path) -> list:
    """Ids of processes with the mark, without this program and its parents. None except on Linux."""
    mark = f"{MARK}={data_dir}".encode()
    own = _own_ancestry()
    return [
        int(folder.name)
        for folder in Path("/proc").glob("[0-9]*")
        if int(folder.name) not in own and mark in _environment_of(folder)
    ]


def _environment_of(folder: Path) -> list:
    try:
        return (folder / "environ").read_bytes().split(b"\0")
    except OSError:  # another user's process, or one that has just ended
        return []


def _own_ancestry() -> set:
    ancestry, pid = set(), os.getpid()
    while pid > 0:
        ancestry.add(pid)
        try:
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            break
        pid = int(status.rpartition(")")[2].split()[1])
    return ancestry


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
