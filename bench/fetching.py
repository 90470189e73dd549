"""A fetch from a real MediaWiki, compared with a bare loop that sends the same requests, both without pauses.

The least of some rounds of each in turn counts. Needs Debian's mediawiki (see docs/wikifetch.md). Loopback only.
"""

import argparse
import sys
from contextlib import closing
from functools import partial
from typing import Any

import requests

from bench.machine import Taken, apart, arguments, measured, on_each, print_next_to
from tests.servers import Missing

Sent = list[tuple[str, str, dict[str, str]]]  # method, path and parameters of each request


def main() -> None:
    on_each(measure, arguments("fetching", __doc__, rounds=12), postgresql=False)


def measure(options: argparse.Namespace) -> None:
    from django.conf import settings

    from tests.mediawiki.wiki import MediaWiki

    settings.WIKI_CONTACT = "bench@example.org"
    settings.WIKI_REQUESTS_PER_SECOND = 1e6
    try:
        wiki = MediaWiki()
    except Missing as missing:
        sys.exit(f"{missing}. See docs/wikifetch.md for how to get one.")
    with closing(wiki):
        settings.WIKI_ALLOWED = [wiki.address]
        rounds = [one_round(wiki) for _ in range(options.rounds)]
        fetched, looped = (min(taken) for taken in zip(*rounds, strict=True))
        print_next_to(looped, f"fetch, {len(wiki.requests()) // 2} requests", fetched)


def one_round(wiki: Any) -> tuple[Taken, Taken]:
    """What a fetch into empty tables took, and the loop."""
    apart(flush)
    wiki.forget()
    fetched = measured(fetch)
    sent = [(line["method"], line["path"], line["params"]) for line in wiki.requests()]
    return fetched, measured(partial(bare_loop, wiki.address, sent))


def flush() -> None:
    from django.core.management import call_command

    call_command("flush", interactive=False, verbosity=0)


def fetch() -> None:
    from wikifetch import fetch, newfetch

    assert fetch.finished(newfetch.fetch_of_kind("inconsistent", by=None)).pages


def bare_loop(address: str, sent: Sent) -> None:
    with requests.Session() as session:
        for method, path, params in sent:
            how = {"data" if method == "POST" else "params": params}
            answer = session.request(method, f"{address}{path}", timeout=30, **how)
            if path.endswith("/api.php"):
                answer.json()


if __name__ == "__main__":
    main()
