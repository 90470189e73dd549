"""Every bench of bin/bench runs at a small size, ends without an error and prints its results."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Arguments of a small size, and what a line with a result has in it.
SMALL = {
    "reading": ("--megabytes 1", r"ratio +\d"),
    "imports": (
        "--records 50",
        r"50 of conflictbank imported .* ratio +\d(.|\n)*50 of wikicontradict imported .* ratio",
    ),
    "pages": (
        "--tags 20 --annotated 2 --responses 12 --parts 2 --links 0",
        r"ratio +\d(.|\n)* \d+ pages, \d+ of them over 300 ms",
    ),
    "shift": (
        "--people 2 --judges 2 --saves 12 --submissions 4 --verdicts 8 --rate 20 --parts 1",
        r"submission .* ratio +\d(.|\n)*errors 0\n.* MB: (.|\n)* 16 tags given out, 0 twice",
    ),
    "reports": (
        "--responses 200 --scored 200",
        r"200 judged: page .* ratio +\d(.|\n)*200 scored: JSON .* ratio +\d",
    ),
    "peers": (
        "--environment {environment} --tags 8 --times 1",
        r"next \+ submit .* ratio +\d(.|\n)*list of 100 (.|\n)*import of 8 .* ratio +\d(.|\n)*export .* ratio +\d",
    ),
}

pytestmark = [
    pytest.mark.setup,
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the tables are of a SQLite"),
]


# What a shell has not.
OF_TESTS = ("DJANGO_SETTINGS_MODULE", "SECRET_KEY")


def test_every_bench_runs_here():
    listed = re.findall(r"^(\w+)  ", (ROOT / "bin" / "bench").read_text(), re.MULTILINE)
    assert listed == list(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_a_bench_runs_small_and_prints_its_ratio(name, ready_database, tmp_path):
    program = tmp_path / "bin" / "label-studio"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{STAND_IN}", encoding="utf-8")
    program.chmod(0o700)
    arguments, line = SMALL[name]
    command = [sys.executable, "-m", f"bench.{name}", "--tables", str(ready_database)]
    command += arguments.format(environment=tmp_path).split()
    env = {name: value for name, value in os.environ.items() if name not in OF_TESTS}
    env["WEB_WORKERS"] = "1"  # a further process of the web server loads the same once more
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(line, done.stdout), done.stdout


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
