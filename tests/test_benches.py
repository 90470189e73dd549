"""Every bench of bin/bench runs at a small size, ends without an error and prints its results."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLES = "--tables {tables}"
# Arguments of a small size, and what a line with a result has in it.
SMALL = {
    "annotating": (f"--tags 16 --times 2 --people 2 {TABLES}", r"next \+ submit .* ratio +\d"),
    "judging": (f"--responses 40 --times 2 {TABLES}", r"verdict \+ next, by script .* ratio +\d"),
    "generation": (
        f"--responses 40 --in-flight 8 --milliseconds 50 {TABLES}",
        r"8 in flight, 40 responses: .* of the ideal; CPU .* ratio \d",
    ),
    "generation --services": (
        f"--responses 40 --in-flight 8 --milliseconds 50 --services 2 {TABLES}",
        r"2 services of 0.05 to 0.2 s, 4 in flight each, 40 responses: \d.* of the ideal",
    ),
    "finding": (f"--responses 100 {TABLES}", r"a word in one of 500 .* ratio +\d"),
    "exporting": (f"--records 50 {TABLES}", r"a study's zip .* ratio +\d"),
    "pages": (
        f"--tags 20 --annotated 4 --responses 12 {TABLES}",
        r"ratio +\d(.|\n)* \d+ pages, \d+ of them over 300 ms",
    ),
    "scale": (
        f"--parts 3 --tags 20 --annotated 3 --responses 12 {TABLES}",
        r"60 tags, 9 annotations, 36 responses, 72 verdicts(.|\n)*/operations/ +\d+ ms of CPU, +\d+ statements",
    ),
    "shift": (
        f"--people 2 --judges 2 --saves 12 --submissions 4 --verdicts 8 --rate 20 --parts 1 {TABLES}",
        r"submission .* p95(.|\n)*errors 0\n.* MB: (.|\n)* 6 tags given out, 0 twice",
    ),
    "serving": ("2 {tables}", r"/reports/ +[\d.]+ ms median"),
    "submitting": ("2 {tables}", r"ratio of the medians +\d"),
    "fetching": ("1 {tables}", r"fetch .* of the loop's rate"),
    "keeping": ("200 {tables}", r"restore, compared .* times"),
    "claiming": (f"--tags 20 {TABLES}", r"ratio +\d"),
    "agreement": (f"--questions 20 --lines 200 {TABLES}", r"csv.reader alone .* times"),
    "importing": (f"--kb 100 --idle 1 {TABLES}", r"evaluation, 0.1 MB .* another's write: median"),
    "coverage": ("2 100 40 1000", r"pool +prompt 4 agreement .* product +\d"),
    "reading": ("small", r"finder .* times the whole tree"),
}

pytestmark = [
    pytest.mark.setup,
    pytest.mark.once,
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the tables are of a SQLite"),
]


# What a shell has not.
OF_TESTS = ("DJANGO_SETTINGS_MODULE", "SECRET_KEY")
MARKS = {"submitting": pytest.mark.browser, "fetching": pytest.mark.mediawiki}


def test_every_bench_runs_here():
    listed = re.search(r"BENCHES = \((.*?)\)", (ROOT / "bin" / "bench").read_text(), re.DOTALL)
    assert set(re.findall(r'"(\w+)"', listed[1])) == {name.split()[0] for name in SMALL}


@pytest.mark.parametrize("name", [pytest.param(n, marks=MARKS.get(n, ())) for n in SMALL])
def test_a_bench_runs_small_and_prints_its_ratio(name, ready_database):
    arguments, line = SMALL[name]
    command = [sys.executable, "-m", f"bench.{name.split()[0]}", *arguments.split()]
    command = [part.format(tables=ready_database) for part in command]
    env = {name: value for name, value in os.environ.items() if name not in OF_TESTS}
    env["WEB_WORKERS"] = "1"  # a further process of the web server loads the same once more
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(line, done.stdout), done.stdout
