"""What annotators and judges wait for, next to a bare view in the same server: submission, save, list, verdict.

The server runs as bin/run starts it, on SQLite and on PostgreSQL. A submission's answer is the next tag's whole page; a
verdict is a request of the judge's script, and now and then one for the responses that follow. CPU is that of the web
server's processes, not of PostgreSQL's. The bare view reads the session, selects and updates one row and sends as many
bytes, once for each request. At the end eight people annotate at once.
"""

import argparse
import os
import re
import time
from functools import partial
from itertools import chain, count
from pathlib import Path
from statistics import median, quantiles

from bench import content, world
from bench.machine import apart, arguments, in_words, on_each
from bench.web import Browser, Fields, Page, Server, at_once, cost, seconds_of, served

FEW = 12  # as static/js/judging/elements/judge-desk.js
SLOT = re.compile(r'data-slot="([^"]+)"')


def main() -> None:
    on_each(measure, arguments("annotating", __doc__, tags=1_200, times=100, people=8))


def measure(options: argparse.Namespace) -> None:
    sessions, fields = apart(make, options)
    study, judges = apart(make_study, options.times + 40, "alice", "bob")
    with served() as server:
        people = [Annotator(server, session, fields) for session in sessions]
        at_once([person.begin for person in people])
        anna, judge = people[0], Judge(server, judges[0], study)
        acts = {
            "next + submit": (anna, anna.submit, options.times),
            "draft save": (anna, anna.save, options.times),
            "list of 100": (anna, anna.list_100, max(1, options.times // 10)),
            "verdict + next": (judge, judge.judge, options.times),
        }
        taken = {}
        for name, (person, act, times) in acts.items():
            words, taken[name] = cost(server, person.browser, act, times)
            print(f"  {name:15} {words}\n{'':18}{in_words(taken[name])}", flush=True)
        alone = taken["next + submit"]
        together = all_at_once(people, alone, max(2, options.times // 2))
        print(f"  {options.people} submit        {together}")
        titles = [title for person in people for title in person.titles]
    given, wanted = apart(given_out)
    assert given == wanted == len(titles) == len(set(titles)), "a tag was given to two people"
    print(f"  {given} tags given out, none to more people than asked", flush=True)


def make(options: argparse.Namespace) -> tuple[list[str], Fields]:
    """An open campaign for one person a tag; the sessions of its annotators, and the fields of a whole form."""
    from accounts.roles import Role
    from tests.annotation.factories import admin, campaign
    from tests.factories import person

    path = Path(os.environ["DATA_DIR"]) / "pages.xml"
    content.write_pages(path, max(options.tags, options.times * 7))
    content.read_pages(path)
    campaign(by=admin(), tags=0, in_hand=3)
    roles = (Role.ANNOTATOR, Role.RESEARCHER)
    sessions = [content.session_of(person(f"anna-{n}", *roles)) for n in range(options.people)]
    return sessions, list(content.form_fields(content.entries()))


def make_study(responses: int, *judges: str) -> tuple[int, list[str]]:
    """An open study of so many responses, two judges for each; its number, and the judges' sessions."""
    from tests.judging import factories as judging

    run = world.answered(responses, "Judged", first=10_000)
    study = judging.open_study(*judges, drawn_from=run, name="Judged")
    return study.pk, [content.session_of(judging.judge(name)) for name in judges]


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

    def opened(self, page: Page) -> None:
        self.page, self.version = page, int(page.first(r'name="version" value="(\d+)"'))
        self.titles.append(page.first(r"<h1[^>]*>(.+?)</h1>"))

    def submit(self) -> None:
        """Submit the open tag; the answer is the next one's page."""
        hidden = [pair for pair in self.page.hidden if pair[0] not in ("version", "seconds")]
        more = [("version", str(self.version)), ("seconds", "42"), ("action", "submit")]
        address = self.page.first(r'action="(/annotate/\d+/)"')
        self.opened(self.browser.post(address, [*hidden, *more, *self.fields]))

    def save(self) -> None:
        """What the page's script sends while a person types."""
        entered = {"entries": {"statement_1": f"The mill has {next(self.saves)} sails."}}
        entered |= {"provenance": {}, "filled": [], "step": "contradiction", "seconds": 3}
        match = {"If-Match": f'"{self.version}"'}
        saved = self.browser.api("PATCH", self.page.first('data-api="([^"]+)"'), entered, **match)
        self.version = saved["version"]

    def list_100(self) -> None:
        for page in (1, 2):
            self.browser.get(f"/tags/?page={page}")


class Judge:
    """A judge with a response open in the browser."""

    def __init__(self, server: Server, session: str, study: int) -> None:
        self.browser = Browser(server.port, session)
        self.slots = [self.browser.get(f"/judge/{study}/next/").first(SLOT.pattern)]

    def judge(self) -> None:
        given = {"verdict": "correct", "comment": "", "seconds": 4.2}
        if len(self.slots) < FEW:
            coming = self.browser.get(f"/judge/slots/{self.slots[-1]}/coming/")
            self.slots += SLOT.findall(coming.text)
        address = f"/api/slots/{self.slots.pop(0)}/verdict/"
        self.browser.api("POST", address, given, **{"If-Match": '"0"'})


def all_at_once(people: list[Annotator], alone: list[float], times: int) -> str:
    began = time.perf_counter()
    lists = at_once([partial(seconds_of, person.submit, times) for person in people])
    wall, taken = time.perf_counter() - began, list(chain.from_iterable(lists))
    faster = len(taken) / wall * median(alone)
    p95 = quantiles(taken, n=20)[-1] / median(alone)
    return (
        f"{len(taken) / wall:5.1f} a second, ratio {faster:.1f} to one; {in_words(taken)}, "
        f"{p95:.1f} times the median alone"
    )


if __name__ == "__main__":
    main()
