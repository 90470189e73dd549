"""A fetch from a real MediaWiki beside a bare loop that sends the same requests, both without pause.

Needs Debian's mediawiki (see docs/wikifetch.md). Loopback only.
"""

import os
import sys
import tempfile
import time

ROUNDS = 3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATA_DIR": folder, "SECRET_KEY": "for-a-benchmark-" + "0" * 50}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
        import django

        django.setup()
        compare()


def compare() -> None:
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
        rounds = [one_round(wiki) for _ in range(ROUNDS)]
    finally:
        wiki.close()
    ours, loops, requests, pages = (min(column) for column in zip(*rounds, strict=True))
    print(f"{pages} pages, {requests} requests, the best of {ROUNDS}")
    print(f"  bare loop  {loops:6.2f} s  {requests / loops:6.1f} requests/s")
    print(
        f"  fetch      {ours:6.2f} s  {requests / ours:6.1f} requests/s   {loops / ours:.2f} of it"
    )


def one_round(wiki) -> tuple[float, float, int, int]:
    """Seconds of a fetch into empty tables, seconds of the loop, requests, pages."""
    from django.core.management import call_command

    from wikifetch import asking, fetch

    call_command("flush", interactive=False, verbosity=0)
    wiki.forget()
    began = time.perf_counter()
    run = fetch.finished(asking.ask_for_kind("inconsistent", by=None))
    ours = time.perf_counter() - began
    asked = [(line["method"], line["params"]) for line in wiki.requests()]
    return ours, bare_loop(wiki.address, asked), len(asked), run.pages


def bare_loop(address: str, asked: list[tuple[str, dict[str, str]]]) -> float:
    import requests

    began = time.perf_counter()
    with requests.Session() as session:
        for method, params in asked:
            how = {"data" if method == "POST" else "params": params}
            session.request(method, f"{address}/w/api.php", timeout=30, **how).json()
    return time.perf_counter() - began


main()
