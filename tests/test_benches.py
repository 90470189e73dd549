"""Every bench of bin/bench runs at a small size, ends without an error and prints its ratios."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLES = "--tables {tables}"
# Arguments of a small size, and what a line with a result has in it. The others start what other tests start: bin/run
# with all its processes, Chromium, MediaWiki, and a program for each step of a backup.
SMALL = {
    "annotating": (f"--tags 40 --times 4 --people 2 {TABLES}", r"next \+ submit .* ratio +\d"),
    "judging": (f"--responses 40 --times 4 {TABLES}", r"verdict \+ next, by script .* ratio +\d"),
    "exporting": (f"--records 50 {TABLES}", r"a study's zip .* ratio +\d"),
    "claiming": (f"--tags 20 {TABLES}", r"ratio +\d"),
    "agreement": (f"--questions 60 --lines 2000 {TABLES}", r"csv.reader alone .* times"),
    "importing": (f"--kb 100 --idle 1 {TABLES}", r"evaluation, 0.1 MB .* another's write: median"),
    "coverage": ("2 100 40 1000", r"beta +prompt 5 agreement .* product +\d"),
    "reading": ("small", r"finder .* times the whole tree"),
}

pytestmark = [
    pytest.mark.setup,
    pytest.mark.once,
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the tables are of a SQLite"),
]


@pytest.mark.parametrize("name", SMALL)
def test_a_bench_runs_small_and_prints_its_ratio(name, ready_database):
    arguments, line = SMALL[name]
    command = [sys.executable, "-m", f"bench.{name}", *arguments.split()]
    command = [part.format(tables=ready_database) for part in command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(line, done.stdout), done.stdout
