"""bin/try_wikipedia without a network: it uses only its own folder."""

import os
import shutil
import subprocess
import sys

from tests.setup.conftest import ROOT

# Replaces bin/prepare.py, with a "Python" that prints its settings and fails.
PREPARED = """
import sys
ROOT, PYTHON = "{place}", "{place}/python"
class Trouble(Exception): ...
say, fail = print, sys.exit
def newest_python(): ...
def environment(*groups): ...
"""


def test_it_leaves_the_database_of_an_installation_alone(tmp_path):
    shutil.copy(ROOT / "bin" / "try_wikipedia", tmp_path)
    (tmp_path / "prepare.py").write_text(PREPARED.format(place=tmp_path))
    (tmp_path / "python").write_text("#!/bin/sh\nenv\nexit 1\n")
    (tmp_path / "python").chmod(0o700)
    output = subprocess.run(
        [sys.executable, str(tmp_path / "try_wikipedia"), "alice@example.org"],
        env={**os.environ, "DATABASE_URL": "postgres://live", "DATA_DIR": "/srv/live"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "WIKI_CONTACT=alice@example.org" in output
    assert "postgres://live" not in output
    assert "/srv/live" not in output
