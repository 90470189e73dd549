"""A fetch from a real MediaWiki, compared with a bare loop that sends the same requests, both without pauses.

bin/bench fetching [ROUNDS [TABLES]]   (12 unless given; TABLES is a SQLite file with all tables, to start from)

Needs Debian's mediawiki (see docs/wikifetch.md). Loopback only.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import TypeVar

T = TypeVar("T")


def main(rounds: int = 12, tables: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        if tables:
            shutil.copy(tables, f"{folder}/db.sqlite3")
        os.environ |= {"DATA_DIR": folder, "SECRET_KEY": "for-a-benchmark-" + "0" * 50}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
        import django

        django.setup()
        compare(rounds)


def compare(rounds: int) -> None:
    from django.conf import settings
    from django.core.management import call_command

    from tests.mediawiki.wiki import MediaWiki
    from tests.servers import Missing

    try:
        wiki = MediaWiki()
    except Missing as missing:
        sys.exit(f"{missing}. See docs/wikifetch.md for how to get one.")
    try:
        settings.WIKI_ALLOWED = [wiki.address]
        settings.WIKI_CONTACT = "bench@example.org"
        settings.WIKI_REQUESTS_PER_SECOND = 1e6
        call_command("migrate", verbosity=0)
        taken = [one_round(wiki) for _ in range(rounds)]
    finally:
        wiki.close()
    fetches, loops, (requests, *_), (pages, *_) = zip(*taken, strict=True)
    print(f"{pages} pages, {requests} requests, {rounds} rounds of each in turn")
    for label, here in (("bare loop", loops), ("fetch", fetches)):
        best, busy = min(here)
        ratios = [loop / ours for (loop, _), (ours, _) in zip(loops, here, strict=True)]
        print(
            f"  {label:10} best {best:5.2f} s, {requests / best:5.1f} requests/s, {min(loops)[0] / best:.2f} of the "
            f"loop's best; median of the rounds {median(ratios):.2f} of the loop's rate; "
            f"{1000 * busy / requests:.1f} ms of processor for each"
        )


def one_round(wiki) -> tuple[tuple[float, float], tuple[float, float], int, int]:
    """(seconds, CPU seconds) of a fetch into empty tables, the same of the loop, requests, pages."""
    from django.core.management import call_command

    from wikifetch import fetch, newfetch

    call_command("flush", interactive=False, verbosity=0)
    wiki.forget()
    run, ours = timed(lambda: fetch.finished(newfetch.fetch_of_kind("inconsistent", by=None)))
    requests_sent = [(line["method"], line["params"]) for line in wiki.requests()]
    _, loop = timed(lambda: bare_loop(wiki.address, requests_sent))
    return ours, loop, len(requests_sent), run.pages


def timed(work: Callable[[], T]) -> tuple[T, tuple[float, float]]:
    """The result of `work`, and its (seconds, CPU seconds)."""
    start, busy = time.perf_counter(), time.process_time()
    result = work()
    return result, (time.perf_counter() - start, time.process_time() - busy)


def bare_loop(address: str, requests_sent: list[tuple[str, dict[str, str]]]) -> None:
    import requests

    with requests.Session() as session:
        for method, params in requests_sent:
            how = {"data" if method == "POST" else "params": params}
            session.request(method, f"{address}/w/api.php", timeout=30, **how).json()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
