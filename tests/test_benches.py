"""Every bench of bin/bench runs at a small size, ends without an error and prints its ratios."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Options of a small size, and what a line with a result has in it.
SMALL = {
    "annotating": ("--tags 40 --times 4", r"next \+ submit .* ratio +\d"),
    "judging": ("--responses 40 --times 4", r"verdict \+ next, by script .* ratio +\d"),
    "exporting": ("--records 50", r"a study's zip .* ratio +\d"),
}

pytestmark = [
    pytest.mark.setup,
    pytest.mark.once,
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the tables are of a SQLite"),
]


@pytest.mark.parametrize("name", SMALL)
def test_a_bench_runs_small_and_prints_its_ratio(name, ready_database, tmp_path):
    options, line = SMALL[name]
    command = [sys.executable, "-m", f"bench.{name}", *options.format(folder=tmp_path).split()]
    done = subprocess.run(
        [*command, "--tables", str(ready_database)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(line, done.stdout), done.stdout
