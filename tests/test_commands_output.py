"""What a command prints where its reader stops, or where the terminal has not every character."""

import os
import subprocess
import sys

import pytest

from tests.setup.conftest import ROOT

# Django's `version` stands for any command; what it prints is the test's.
PRINTS = """
import sys, manage
from django.core.management.commands import check
check.Command.handle = lambda self, *a, **o: [self.stdout.write({!r} * 50) for _ in range(2000)] and None
sys.argv = ["manage.py", "check"]
manage.main()
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "encoding", "shell", "said"),
    [
        ("mill", "utf-8", "| head -1 >/dev/null", ""),
        ("mill \u0107", "iso8859-1", ">/dev/null", "Set PYTHONIOENCODING=utf-8"),
    ],
)
def test_no_command_ends_in_a_traceback_for_its_output(tmp_path, text, encoding, shell, said):
    code = PRINTS.format(text)
    env = os.environ | {"PYTHONIOENCODING": encoding, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        f"'{sys.executable}' -c \"$CODE\" {shell}",
        shell=True,
        cwd=ROOT,
        env=env | {"CODE": code},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 1, done.stderr
