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
    "reading": ("--megabytes 1", r"ratio +\d"),
    "fetching": (f"--rounds 1 {TABLES}", r"fetch, \d+ requests .* ratio +\d"),
    "annotating": (
        f"--tags 16 --times 2 --people 2 {TABLES}",
        r"verdict \+ next .* ratio +\d(.|\n)* none to more people than asked",
    ),
    "tokens": (f"--tags 4 --times 2 --rounds 1 {TABLES}", r"/api/tags/ .* ratio +\d"),
    "claiming": (f"--tags 20 {TABLES}", r"ratio +\d"),
    "shift": (
        f"--people 2 --judges 2 --saves 12 --submissions 4 --verdicts 8 --rate 20 --parts 1 {TABLES}",
        r"submission .* p95(.|\n)*errors 0\n.* MB: (.|\n)* 6 tags given out, 0 twice",
    ),
    "pages": (
        f"--tags 20 --annotated 2 --responses 12 --parts 2 {TABLES}",
        r"ratio +\d(.|\n)* \d+ pages, \d+ of them over 300 ms",
    ),
    "exporting": (
        f"--records 50 {TABLES}",
        r"of 50 Label Studio tasks .* ratio +\d(.|\n)*a study's zip .* ratio +\d",
    ),
    "releasing": (
        f"--records 40 {TABLES}",
        r"40 records frozen .* ratio +\d(.|\n)*four downloads .* ratio +\d(.|\n)*a save: .* ratio +\d(.|\n)*"
        r"40 responses in .* ratio +\d",
    ),
    "declared": (
        f"--records 50 --short 50 {TABLES}",
        r"50 records in .* ratio +\d(.|\n)*50 records out .* ratio +\d(.|\n)*50 short records removed .* ratio +\d",
    ),
    "keeping": (f"--responses 100 {TABLES}", r"restore of .* ratio +\d"),
    "generation": (
        f"--responses 40 --in-flight 8 --milliseconds 50 {TABLES}",
        r"8 in flight, 40 responses: .* of the ideal; CPU .* ratio \d",
    ),
    "finding": (f"--responses 100 {TABLES}", r"a word in one of 500 .* ratio +\d"),
    "agreement": (
        f"--responses 200 --scored 200 {TABLES}",
        r"large: report .* ratio +\d(.|\n)*scored: report .* ratio +\d",
    ),
    "coverage": ("2 100 40 1000", r"pool +prompt 4 agreement .* product +\d"),
}

pytestmark = [
    pytest.mark.setup,
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the tables are of a SQLite"),
]


# What a shell has not.
OF_TESTS = ("DJANGO_SETTINGS_MODULE", "SECRET_KEY")
MARKS = {"fetching": pytest.mark.mediawiki}


def test_every_bench_runs_here():
    listed = re.findall(r"^(\w+)  ", (ROOT / "bin" / "bench").read_text(), re.MULTILINE)
    assert listed == list(SMALL)


@pytest.mark.parametrize("name", [pytest.param(n, marks=MARKS.get(n, ())) for n in SMALL])
def test_a_bench_runs_small_and_prints_its_ratio(name, ready_database):
    arguments, line = SMALL[name]
    printed(line, name, *arguments.format(tables=ready_database).split())


def test_the_bench_of_peers_runs_next_to_a_stand_in(ready_database, tmp_path):
    program = tmp_path / "bin" / "label-studio"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{STAND_IN}", encoding="utf-8")
    program.chmod(0o700)
    line = r"next \+ submit .* ratio +\d(.|\n)*list of 100 (.|\n)*import of 8 .* ratio +\d(.|\n)*export .* ratio +\d"
    printed(line, "peers", str(tmp_path), *f"--tags 8 --times 1 --tables {ready_database}".split())


# What bench.peers asks of Label Studio, answered at once.
STAND_IN = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, given=None):
        found = {"id": 1, "tasks": [{}] * 100, "task_count": len(given or [])}
        content = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Set-Cookie", "csrftoken=x; Path=/")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = answer

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(json.loads(body) if self.path.endswith("/import") else None)

    def log_message(self, *arguments):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[-1])), Handler).serve_forever()
"""


def printed(line, name, *arguments):
    """Run the bench `name` to its end, and look for `line` in what it prints."""
    command = [sys.executable, "-m", f"bench.{name}", *arguments]
    env = {name: value for name, value in os.environ.items() if name not in OF_TESTS}
    env["WEB_WORKERS"] = "1"  # a further process of the web server loads the same once more
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(line, done.stdout), done.stdout
