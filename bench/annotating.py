"""An annotator's next tag and submission, a draft's save and the list of tags, next to a bare view in the same server.

The server runs as bin/run starts it, on SQLite and on PostgreSQL. Whole pages with the article come back, forms go with
session and CSRF token. CPU is that of the web server's processes, not of PostgreSQL's. The bare view reads the
session, selects and updates one row and sends as many bytes, once for each request. At the end eight people annotate
at once.
"""

import argparse
import os
import time
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median, quantiles

from bench import content
from bench.machine import apart, arguments, on_each
from bench.web import Browser, Failed, Fields, Server, at_once, cost, served


def main() -> None:
    on_each(measure, arguments("annotating", __doc__, tags=1_200, times=100, people=8))


def measure(options: argparse.Namespace) -> None:
    sessions, fields = apart(make, options)
    with served() as server:
        people = [Annotator(server, session, fields) for session in sessions]
        at_once([person.begin for person in people])
        first = people[0]
        submitting = cost(server, first.browser, first.submit, options.times)
        print(f"  next + submit  {submitting.words()}")
        saving = cost(server, first.browser, first.save, options.times)
        print(f"  draft save     {saving.words()}, {in_words(saving.seconds, 'save')}")
        lists = cost(server, first.browser, first.list_100, max(1, options.times // 10))
        print(f"  list of 100    {lists.words()}")
        alone = submitting.seconds
        print(f"  one person     {1 / median(alone):5.1f} cycles a second, {in_words(alone)}")
        print(f"  {options.people} at once      {all_at_once(people, alone, options.times)}")
        titles = [title for person in people for title in person.titles]
    given, wanted = apart(given_out)
    assert given == wanted == len(titles) == len(set(titles)), "a tag was given to two people"
    print(f"  {given} tags given out, none to more people than asked", flush=True)


def make(options: argparse.Namespace) -> tuple[list[str], Fields]:
    """An open campaign for one person a tag; the sessions of its annotators, and the fields of a whole form."""
    from accounts.roles import Role
    from tests.annotation.factories import admin, campaign
    from tests.factories import person

    if not options.tables:
        content.collect()
    path = Path(os.environ["DATA_DIR"]) / "pages.xml"
    content.write_pages(path, max(options.tags, options.times * 7))
    content.read_pages(path)
    campaign(by=admin(), tags=0, in_hand=3)
    roles = (Role.ANNOTATOR, Role.RESEARCHER)
    sessions = [content.session_of(person(f"anna-{n}", *roles)) for n in range(options.people)]
    return sessions, list(content.form_fields(content.entries()))


def given_out() -> tuple[int, int]:
    """(places that were given out, tags of them)"""
    from annotation.models import Assignment

    given = Assignment.objects.exclude(person=None)
    return given.count(), given.values("tag").distinct().count()


class Annotator:
    """A person with a tag open in the browser."""

    def __init__(self, server: Server, session: str, fields: Fields) -> None:
        self.browser, self.fields = Browser(server.port, session), fields
        self.titles: list[str] = []
        self.saves = count()

    def begin(self) -> None:
        self.browser.get("/annotate/")
        self.opened(self.browser.post("/annotate/next/", ()))

    def opened(self, page) -> None:
        self.page, self.version = page, int(page.one(r'name="version" value="(\d+)"'))
        self.titles.append(page.one(r"<h1>(.+?)</h1>"))

    def submit(self) -> None:
        """Submit the open tag; the answer is the next one's page."""
        hidden = [pair for pair in self.page.hidden if pair[0] not in ("version", "seconds")]
        more = [("version", str(self.version)), ("seconds", "42"), ("action", "submit")]
        address = self.page.one(r'action="(/annotate/\d+/)"')
        self.opened(self.browser.post(address, [*hidden, *more, *self.fields]))

    def save(self) -> None:
        """What the page's script sends while a person types."""
        entered = {"entries": {"statement_1": f"The mill has {next(self.saves)} sails."}}
        entered |= {"provenance": {}, "filled": [], "step": "contradiction", "seconds": 3}
        match = {"If-Match": f'"{self.version}"'}
        saved = self.browser.api("PATCH", self.page.one('data-api="([^"]+)"'), entered, **match)
        self.version = saved["version"]

    def list_100(self) -> None:
        for page in (1, 2):
            self.browser.get(f"/tags/?page={page}")

    def submit_many(self, times: int) -> tuple[list[float], int]:
        """(seconds of each submission, those that failed)"""
        taken, failed = [], 0
        for _ in range(times):
            began = time.perf_counter()
            try:
                self.submit()
            except Failed:
                failed += 1
            taken.append(time.perf_counter() - began)
        return taken, failed


def all_at_once(people: list[Annotator], alone: list[float], times: int) -> str:
    began = time.perf_counter()
    results = at_once([partial(person.submit_many, max(2, times // 2)) for person in people])
    wall = time.perf_counter() - began
    taken = [seconds for each, _ in results for seconds in each]
    failed = sum(number for _, number in results)
    faster = len(taken) / wall * median(alone)
    p95 = quantiles(taken, n=20)[-1] / median(alone)
    return (
        f"{len(taken) / wall:5.1f} cycles a second, ratio {faster:.1f} to one; {in_words(taken)}, "
        f"{p95:.1f} times the median alone; {failed} failed"
    )


def in_words(seconds: list[float], what: str = "submit") -> str:
    ms, p95 = median(seconds) * 1e3, quantiles(seconds, n=20)[-1] * 1e3
    return f"{what} {ms:.0f} ms median, {p95:.0f} ms p95 (n = {len(seconds)})"


if __name__ == "__main__":
    main()
