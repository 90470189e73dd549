"""A process that does what a line says, and is killed when a function has returned for the n-th time."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from generation.inference.embedded import ROOT
from tests.faults.conftest import database_url

PROCESS = """
import json, os, pkgutil, signal, sys, django
django.setup()

def deadly(real, left):
    def called(*args, **kwargs):
        result = real(*args, **kwargs)
        left.pop()
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return called

for line in sys.stdin:
    code, place, name, n = json.loads(line)
    if not (child := os.fork()):
        holder = pkgutil.resolve_name(place)
        setattr(holder, name, deadly(getattr(holder, name), [1] * n))
        exec(code)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@contextmanager
def deadly_process(data_dir: Path) -> Iterator[Callable[[str, str], int]]:
    """`run(code, step)`: the exit status of a process that ran the code.

    A step is "module.function n" or "module:Class function n": it is killed when that has returned for the n-th time.
    """
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(data_dir),
        "DATABASE_URL": database_url(),
    }
    command = [sys.executable, "-c", PROCESS]
    how = {"cwd": ROOT, "env": environment, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, bufsize=1, **how) as process:

        def run(code, step):
            place, name, n = step.split()
            process.stdin.write(json.dumps([code, place, name, int(n)]) + "\n")
            return int(process.stdout.readline())

        yield run
        process.stdin.close()
