"""Run the Procfile's processes: once for a data folder, each started again when it ends, all stopped together.

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
import threading
import time
from pathlib import Path

from prepare import ROOT, Trouble, end_with_parent, say

# An environment variable of all processes that bin/run starts; its value is their data folder.
MARK = "SICETNON_RUN"
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOP_SECONDS = 15
# Seconds before a process is started again, longer each time it ended within LIVED seconds of its start. After as many
# such ends and one more it is given up.
PAUSES = (1, 2, 4, 8, 16)
LIVED = 60


# ---------------------------------------------------------------- one at a time


@contextlib.contextmanager
def only_one(data_dir: Path, env: dict):
    """Lock DATA_DIR for this process. The kernel releases the lock with the process, even after kill -9.

    The file also holds the settings of the processes, which manage.py then uses too (config/environment.py).
    """
    lock = os.open(str(data_dir / "running.lock"), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(lock, "a+", encoding="utf-8") as handle:
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

    Returns after Ctrl-C, SIGTERM or a closed terminal; raises Trouble when web cannot start, or when no process can
    be kept running. In each case all processes have ended.
    """
    stop_on_signals()
    stopping = threading.Event()
    kept = {name: Kept(name, _commands()[name], env, stopping) for name in names}
    try:
        for process in kept.values():
            process.start()
        if not _answers(int(env["WEB_PORT"]), kept["web"]):
            raise Trouble(
                "The web server cannot start, so all were stopped. Its last output is above."
            )
        when_up()
        for process in kept.values():
            process.join()
        raise Trouble("No process could be kept running. Their last output is above.")
    except Stopped:
        say("Stopping.")
        _end(kept.values(), stopping)
        say("Stopped.")
    finally:
        _end(kept.values(), stopping)
        end_leftovers(Path(env[MARK]))


def _commands() -> dict:
    lines = (ROOT / "Procfile").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


class Kept(threading.Thread):
    """Keeps one process running: starts it again whenever it ends, until `stopping` is set or it cannot live."""

    def __init__(self, name: str, command: str, env: dict, stopping: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.command, self.env, self.stopping = command, env, stopping
        self.process = None

    def run(self) -> None:
        short_lives = 0
        while not self.stopping.is_set():
            began = time.monotonic()
            how = self._run_once()
            if self.stopping.is_set():
                return
            short_lives = 1 if time.monotonic() - began >= LIVED else short_lives + 1
            if short_lives > len(PAUSES):
                say(_given_up(self.name))
                return
            pause = PAUSES[short_lives - 1]
            say(f"{self.name} ended ({how}). It is started again in {pause} s.")
            self.stopping.wait(pause)

    def _run_once(self) -> str:
        """Start the process and wait for its end; returns in words how it ended."""
        try:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", self.command],
                cwd=str(ROOT),
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        except OSError as error:  # no memory, or too many processes
            return f"it could not be started: {error.strerror}"
        threading.Thread(target=self._print, args=(self.process.stdout,), daemon=True).start()
        if self.stopping.is_set():  # the others were asked to end while this one was being started
            self.end(signal.SIGTERM)
        code = self.process.wait()
        send_group(self.process.pid, signal.SIGTERM)  # what it has started and left
        return f"exit status {code}" if code >= 0 else f"killed by signal {-code}"

    def _print(self, output) -> None:
        """Each line of the output with the process's name before it."""
        with output:
            for line in output:
                say(f"{self.name:<10} | {line.decode('utf-8', 'replace').rstrip()}")

    def end(self, number: int) -> None:
        if self.process and self.process.poll() is None:
            _send(self.process.pid, number)


def _given_up(name: str) -> str:
    return (
        f"{name} ended {len(PAUSES) + 1} times, each within {LIVED} s of its start, and is not started again. The "
        f"others go on. The lines of {name} above say why: correct that, then stop and start bin/run."
    )


def stop_on_signals() -> None:
    """Raise Stopped in the main thread at the first Ctrl-C, SIGTERM or closed terminal; later ones change nothing."""
    for number in STOP_SIGNALS:
        signal.signal(number, _stop)


def _stop(number, frame) -> None:
    for later in STOP_SIGNALS:
        signal.signal(later, signal.SIG_IGN)
    raise Stopped


def _end(processes, stopping: threading.Event) -> None:
    """Ask all processes to end, and kill what is left after STOP_SECONDS."""
    stopping.set()
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        process.end(signal.SIGTERM)
    for process in processes:
        if process.is_alive():  # the signal may have come before it was started
            process.join(max(0, deadline - time.monotonic()))
        process.end(signal.SIGKILL)


def _answers(port: int, web: Kept) -> bool:
    """Wait until the web server answers; False if it is given up first."""
    while web.is_alive():
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


def send_group(pid: int, number: int) -> None:
    """To the processes of the group that `pid` led; on some systems also an error when all have ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
