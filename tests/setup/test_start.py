"""bin/run as a real process: its files, a second start, kill -9, Ctrl-C."""

import contextlib
import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from tests.servers import free_port
from tests.setup.conftest import ROOT, one_line_of, run

sys.path.insert(0, str(ROOT / "bin"))
import processes


class Started:
    """A bin/run in a session of its own, as in a terminal, that runs until the test ends it."""

    def __init__(self, env, *arguments):
        self.port = free_port()
        self.data_dir = env["DATA_DIR"]
        command = [sys.executable, str(ROOT / "bin" / "run"), "--port", str(self.port), *arguments]
        self.process = subprocess.Popen(
            command,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines = []

    def read_until(self, words):
        for line in self.process.stdout:
            self.lines.append(line)
            if words in line:
                return
        raise AssertionError(f"No line with {words!r}: {''.join(self.lines)}")

    def ctrl_c(self):
        os.killpg(self.process.pid, signal.SIGINT)
        self.lines += self.process.stdout.readlines()
        return self.process.wait(30)

    def kill(self):
        """kill -9, the one signal that it cannot handle."""
        self.process.kill()
        self.process.wait()

    def left(self):
        return processes._marked(self.data_dir)


@pytest.fixture
def env(bare, tmp_path):
    return bare | {"DATA_DIR": str(tmp_path / "data")}


@pytest.fixture
def ready(env, ready_database):
    """The installation has had a start before: its tables are there."""
    os.makedirs(env["DATA_DIR"])
    shutil.copy(ready_database, env["DATA_DIR"])


@pytest.fixture
def start(installed, env):
    """`start(*arguments)`: a bin/run that answers. Its processes are ended even if the test fails."""
    with contextlib.ExitStack() as after:

        def begin(*arguments):
            after.callback(processes.end_leftovers, env["DATA_DIR"])
            started = Started(env, *arguments)
            after.callback(started.process.stdout.close)
            after.callback(started.kill)
            started.read_until(f"Sic et Non is at http://127.0.0.1:{started.port}")
            return started

        yield begin


def answer_of(port, path="/"):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
        return response.read().decode()


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_starts_once_answers_and_leaves_nothing_after_ctrl_c(start, env, tmp_path):
    first = start("--no-demo")
    assert "Sign in" in answer_of(first.port)
    secret = tmp_path / "data" / "secret_key"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    first.read_until("First administrator, once: ")
    link = first.lines[-1].split()[-1]
    assert "password" in answer_of(first.port, link.partition(str(first.port))[2])

    second = run(ROOT, env, "--port", str(free_port()))
    assert one_line_of(second).startswith(
        f"Sic et Non runs already at http://127.0.0.1:{first.port} (process {first.process.pid})."
    )

    assert len(first.left()) >= 5
    assert first.ctrl_c() == 0
    assert first.lines[-1] == "Stopped.\n"
    assert first.left() == []
    processes.check_port(first.port)


def test_the_next_start_after_kill_9_is_clean_and_a_process_that_is_killed_is_started_again(
    ready, start
):
    first = start("--no-demo", "--no-model")
    first.kill()
    wait_until(lambda: first.left() == [])
    second = start("--no-demo", "--no-model")
    for name, word in (("scheduler", "beat"), ("worker", "work"), ("web", "config.wsgi")):
        killed = oldest_with(word, second.left())
        os.kill(killed, signal.SIGKILL)
        second.read_until(f"{name} ended (killed by signal 9). It is started again in 1 s.")
        wait_until(
            lambda word=word, killed=killed: oldest_with(word, second.left()) not in {None, killed}
        )
    wait_until(lambda: answers(second.port))
    assert second.ctrl_c() == 0
    assert second.left() == []


def oldest_with(word, pids):
    """The id of the first of the processes that has `word` among its arguments."""
    for pid in sorted(pids):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            if word.encode() in file.read().split(b"\0"):
                return pid
    return None


def answers(port):
    with contextlib.suppress(OSError):
        return "Sign in" in answer_of(port)
    return False


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """`kept(command, …)`: runs these as bin/run's processes web, b, c …, with pauses of no length."""
    monkeypatch.setattr(processes, "PAUSES", (0, 0))
    monkeypatch.setattr(processes, "end_with_parent", lambda: None)
    monkeypatch.setattr(processes.signal, "signal", lambda *_: None)
    env = os.environ | {"WEB_PORT": str(free_port()), processes.MARK: str(tmp_path)}

    def run_all(*commands, when_up=lambda: None):
        names = ["web", *"bcd"][: len(commands)]
        monkeypatch.setattr(processes, "_commands", lambda: dict(zip(names, commands, strict=True)))
        processes.run(names, env, when_up)

    return run_all


WEB = f"exec {sys.executable} -m http.server --bind 127.0.0.1 $WEB_PORT"


def test_a_process_that_cannot_live_stops_with_a_sentence_and_the_others_go_on(
    kept, tmp_path, capfd
):
    """The second fails each time; the third is there when it was given up, and ends the test as Ctrl-C would."""
    tries = tmp_path / "tries"

    def stop_when_given_up():
        wait_until(lambda: tries.exists() and tries.read_text() == "x" * 3)
        wait_until(lambda: not processes_named("b"))
        assert processes_named("web")
        assert processes_named("c")
        raise processes.Stopped

    kept(
        WEB,
        f"printf x >> {tries}; echo no key; exit 3",
        "exec sleep 60",
        when_up=stop_when_given_up,
    )
    said = capfd.readouterr().out.splitlines()
    assert said.count("b          | no key") == 3
    assert said.count("b ended (exit status 3). It is started again in 0 s.") == 2
    assert any(
        line.startswith(
            "b ended 3 times, each within 60 s of its start, and is not started again. The others go on."
        )
        for line in said
    )
    assert said[-1] == "Stopped."


def processes_named(name):
    return [thread for thread in threading.enumerate() if thread.name == name]


def test_a_web_server_that_cannot_start_ends_all_with_a_sentence(kept):
    with pytest.raises(processes.Trouble, match="The web server cannot start"):
        kept("exit 1", "exec sleep 60")
    assert not processes_named("b")


def test_a_full_disk_under_the_log_ends_no_process(kept, tmp_path, monkeypatch):
    lines = tmp_path / "lines"

    class Full:
        def write(self, text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def stop_after_more_lines():
        wait_until(lines.exists)
        said = lines.stat().st_size
        wait_until(lambda: lines.stat().st_size > said + 5)
        raise processes.Stopped

    monkeypatch.setattr(sys, "stdout", Full())
    kept(
        WEB,
        f"while echo a line; do printf x >> {lines}; sleep 0.01; done",
        when_up=stop_after_more_lines,
    )


def test_a_process_that_is_being_started_at_the_stop_ends_too(monkeypatch):
    monkeypatch.setattr(processes, "end_with_parent", lambda: None)
    stopping = threading.Event()
    stopping.set()
    one = processes.Kept("one", "exec sleep 60", dict(os.environ), stopping)
    assert one._run_once() == "killed by signal 15"


def test_a_process_that_cannot_be_started_is_tried_again(kept, capfd, monkeypatch):
    def refused(*command, **options):
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(processes.subprocess, "Popen", refused)
    with pytest.raises(processes.Trouble, match="The web server cannot start"):
        kept(WEB)
    said = "web ended (it could not be started: Resource temporarily unavailable)."
    assert capfd.readouterr().out.count(said) == 2


@pytest.mark.parametrize(
    ("lives", "pauses"), [([1, 1, 90, 1], [1, 2, 1, 2]), ([90, 90, 90], [1, 1, 1])]
)
def test_the_pause_grows_and_is_forgotten_after_a_life_of_a_minute(monkeypatch, lives, pauses):
    waited, now = [], [0.0]
    stopping = threading.Event()
    one = processes.Kept("one", "", {}, stopping)

    def run_once():
        now[0] += lives[len(waited)]
        return "exit status 1"

    def wait(seconds):
        waited.append(seconds)
        if len(waited) == len(lives):
            stopping.set()

    monkeypatch.setattr(one, "_run_once", run_once)
    monkeypatch.setattr(stopping, "wait", wait)
    monkeypatch.setattr(processes.time, "monotonic", lambda: now[0])
    one.run()
    assert waited == pauses


def test_only_processes_started_for_this_folder_are_ended(tmp_path):
    own, other = (
        subprocess.Popen(["sleep", "60"], env=os.environ | {processes.MARK: folder})
        for folder in (str(tmp_path), f"{tmp_path}-other")
    )
    try:
        assert processes.end_leftovers(tmp_path) == 1
        assert own.wait(5) == -signal.SIGTERM
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_lock_file_of_a_dead_process_does_not_prevent_a_start(tmp_path):
    (tmp_path / "running.lock").write_text(json.dumps({"pid": 1, "address": "http://old"}))
    with processes.only_one(tmp_path, {"BASE_URL": "http://new"}):
        assert json.loads((tmp_path / "running.lock").read_text())["address"] == "http://new"
