"""A fetch from a real MediaWiki whose process is killed, and which then goes on."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = """
import json
from wikifetch.models import Sighting
rows = Sighting.objects.order_by("tag__article__title", "position").values_list(
    "tag__article__title", "revision__revid", "raw", "block", "tag__introduced_revid", "tag__introduced_block"
)
print(json.dumps(list(rows)))
"""


class Installation:
    """An installation of its own in a folder, spoken to by manage.py in processes of their own."""

    def __init__(self, folder, wiki, ready_database):
        folder.mkdir()
        self.database = shutil.copy(ready_database, folder)
        self.env = os.environ | {
            "DATA_DIR": str(folder),
            "SECRET_KEY": "for-tests-only-" + "0" * 50,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "WIKI_ALLOWED": wiki.address,
            "WIKI_CONTACT": "alice@example.org",
            "WIKI_REQUESTS_PER_SECOND": "1000",
        }
        for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
            self.env.pop(name, None)

    def start(self, *arguments):
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, text=True)

    def manage(self, *arguments):
        process = self.start(*arguments)
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        return out

    def rows(self):
        return json.loads(self.manage("shell", "-v0", "-c", ROWS).splitlines()[-1])

    def let_the_lease_run_out(self):
        with sqlite3.connect(self.database) as database:
            database.execute("UPDATE wikifetch_fetchrun SET lease_until = '2020-01-01 00:00:00'")


def asked(wiki, history):
    """How often each page's text, or its history, was asked for."""
    result = Counter()
    for line in wiki.requests():
        if "pageids" in line["params"] and ("rvstartid" in line["params"]) == history:
            result.update(line["params"]["pageids"].split("|"))
    return result


def wait_for(condition):
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.02)  # another process is at work


def test_a_killed_fetch_goes_on_and_gives_the_rows_of_one_that_was_not(
    wiki, tmp_path, ready_database
):
    clean = Installation(tmp_path / "clean", wiki, ready_database)
    clean.manage("fetch_tagged_pages", "--kind", "inconsistent")
    wiki.forget()

    killed = Installation(tmp_path / "killed", wiki, ready_database)
    process = killed.start("fetch_tagged_pages", "--kind", "inconsistent")
    wait_for(lambda: len(asked(wiki, history=True)) >= 10)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    killed.let_the_lease_run_out()
    killed.manage("fetch_tagged_pages", "--resume")

    assert killed.rows() == clean.rows()
    assert set(asked(wiki, history=False).values()) == {1}
    # Only the two that were under way, without a pause, may have been asked for again; the longest takes two requests.
    assert sum(asked(wiki, history=True).values()) <= len(asked(wiki, history=True)) + 3
