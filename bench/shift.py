"""A shift of people who annotate and judge at once: errors, memory, waiting times next to those of one person alone.

Everybody works from the start to the end, each at an even pace; together they send --rate requests a second. Most of
an annotator's are saves of a draft; now and then one is a submission, whose answer is the next tag. Next to the study
are closed ones with 100,000 verdicts. The full size is --saves 60000 --submissions 4000 --verdicts 12000: an hour at 20
a second. A team's server has PostgreSQL: --postgresql.
"""

import argparse
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, count, repeat
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench import world
from bench.common import apart, at_once, prose, read_pages, run, tree_cpu, tree_memory
from bench.web import Browser, Fields, Page, RequestFailed, Server, served, session_of

FEW = 12  # as static/js/judging/elements/judge-desk.js
ALONE = 10  # acts of one person, before the others begin
SLOT = re.compile(r'data-slot="([^"]+)"')
Act = tuple[str, Callable[[], None]]
Sent = tuple[str, float, bool]  # what was sent, seconds until its answer, whether it failed


def main() -> None:
    sizes = {"people": 20, "judges": 20, "saves": 3_000, "submissions": 200, "verdicts": 600}
    run("shift", __doc__, measure, **sizes, rate=20, parts=50)


def measure(options: argparse.Namespace, folder: Path) -> None:
    annotators, fields = apart(make, options, folder)
    study, judges = apart(make_study, options)
    with served() as server:
        people = [Annotator(server, session, fields) for session in annotators]
        at_once([person.begin for person in people])
        verdicts = [("verdict", Judge(server, session, study).judge) for session in judges]
        acts = [("save", people[0].save), ("submission", people[0].submit), verdicts[0]]
        alone = list(chain.from_iterable(work([act] * ALONE, 0, 0) for act in acts))
        shifts = [list(annotating(person, options)) for person in people]
        shifts += [[act] * (options.verdicts // options.judges) for act in verdicts]
        length = sum(map(len, shifts)) / options.rate
        began, cpu = time.perf_counter(), tree_cpu(server.pid)
        works = [
            partial(work, acts, began + n / options.rate, length / len(acts))
            for n, acts in enumerate(shifts)
        ]
        *lists, memory = at_once([*works, partial(memory_by_tenths, server.pid, length)])
        sent: list[Sent] = list(chain.from_iterable(lists))
        wall, cpu = time.perf_counter() - began, tree_cpu(server.pid) - cpu
    for kind, _ in acts:
        print(f"  {kind:11} {compared(sent, alone, kind)}")
    per_second = f"{len(sent) / wall:.1f} requests a second for {wall:.0f} s"
    errors = sum(failed for _, _, failed in alone + sent)
    print(f"  {per_second}, {cpu / wall:.0%} of one core, errors {errors}")
    print(f"  memory of the web processes by tenths, MB: {', '.join(f'{mb:.0f}' for mb in memory)}")
    print("  {} tags given out, {} twice".format(*apart(given_out)))


def compared(sent: list[Sent], alone: list[Sent], kind: str) -> str:
    """The 95th percentile next to the median of one person alone."""
    ms = [[1e3 * took for of, took, _ in each if of == kind] for each in (sent, alone)]
    p95, least = quantiles(ms[0], n=20, method="inclusive")[-1], median(ms[1])
    return (
        f"{median(ms[0]):6.1f} ms median {p95:6.1f} p95 {max(ms[0]):6.1f} at most (n = {len(ms[0])})  "
        f"alone {least:6.1f} median  ratio {p95 / least:5.1f}"
    )


# ---------------------------------------------------------------- what they work on


def make(options: argparse.Namespace, folder: Path) -> tuple[list[str], Fields]:
    """Sessions of annotators with a campaign, next to others that are closed, and the fields of a whole form."""
    from annotation.models import Campaign
    from annotation.states import CampaignState

    world.first_part(folder, 10, 0, 1_000 if options.parts > 1 else 6)
    world.copy(options.parts)
    Campaign.objects.update(state=CampaignState.CLOSED)  # else people begin in these
    tags = options.submissions + 2 * options.people + ALONE
    return make_campaign(folder, tags, options.people), form_fields(entries())


def make_campaign(folder: Path, tags: int, people: int) -> list[str]:
    """Open a campaign for one person a tag; the sessions of its annotators."""
    from accounts.roles import Role
    from tests.annotation.factories import admin, campaign
    from tests.factories import person

    read_pages(folder, tags, "Weir", 200_000)
    campaign(by=admin(), tags=0, in_hand=3, name="The shift", into="weirs")
    roles = (Role.ANNOTATOR, Role.RESEARCHER)
    return [session_of(person(f"anna-{n}", *roles)) for n in range(people)]


def make_study(options: argparse.Namespace) -> tuple[int, list[str]]:
    """An open study, two judges for each response; its number, and the judges' sessions."""
    from tests.judging import factories as judging

    asked = world.answered(options.verdicts // 2 + 6 * options.judges + ALONE, "Judged", 10_000)
    names = [f"judge-{n}" for n in range(options.judges)]
    study = judging.open_study(*names, drawn_from=asked, name="Judged")
    return study.pk, [session_of(judging.judge(name)) for name in names]


def entries() -> dict[str, Any]:
    """A whole annotation with passages of the paper's length."""
    from tests.annotation.factories import whole

    drawn = random.Random(3)
    names = [f"passage_{n}_{form}" for n in (1, 2) for form in ("copied", "standalone")]
    return whole(**{name: f"{whole()[name]} {prose(drawn, 400)}." for name in names})


def form_fields(entered: dict[str, Any]) -> Fields:
    """The fields as a browser posts them, with every warning ticked."""
    from annotation.fields.checks import check
    from tests.annotation.factories import NOT_IN_ARTICLE

    fields = []
    for name, value in entered.items():
        for index, row in enumerate(value if name == "questions" else ()):
            cells = [(column, cell) for column, cell in row.items() if cell is not False]
            fields += [(f"questions-{index}-{column}", cell) for column, cell in cells]
        if name != "questions":
            fields += [
                (name, str(each)) for each in (value if isinstance(value, list) else [value])
            ]
    return [
        *fields,
        *(("checked", key) for key in [*(f.key for f in check(entered)), *NOT_IN_ARTICLE]),
    ]


def given_out() -> tuple[int, int]:
    """(places that were given out, those of a tag that somebody has already)"""
    from annotation.models import Assignment

    given = Assignment.objects.exclude(person=None)
    return given.count(), given.count() - given.values("tag").distinct().count()


# ---------------------------------------------------------------- people


class Annotator:
    """A person with a tag open in the browser."""

    def __init__(self, server: Server, session: str, fields: Fields) -> None:
        self.browser, self.fields, self.saves = Browser(server.port, session), fields, count()

    def begin(self) -> None:
        self.browser.get("/annotate/")
        self.opened(self.browser.post("/annotate/next/", ()))

    def opened(self, page: Page) -> None:
        self.page, self.version = page, int(page.first(r'name="version" value="(\d+)"'))

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


def annotating(person: Annotator, options: argparse.Namespace) -> Iterator[Act]:
    """Of each tag so many saves, then its submission."""
    saves = options.saves // options.submissions
    for _ in range(options.submissions // options.people):
        yield from repeat(("save", person.save), saves)
        yield "submission", person.submit


def work(acts: Sequence[Act], start: float, distance: float) -> list[Sent]:
    """Do each act at its time; one that is late puts off those after it."""
    sent = []
    for kind, act in acts:
        time.sleep(max(0.0, start - time.perf_counter()))
        began = time.perf_counter()
        start = max(start, began - distance) + distance
        try:
            act()
            failed = False
        except RequestFailed as error:
            print(f"  {kind}: {error}", flush=True)
            failed = True
        sent.append((kind, time.perf_counter() - began, failed))
    return sent


def memory_by_tenths(pid: int, length: float) -> list[float]:
    """Megabytes at the start and after each tenth of the shift."""
    began, memory = time.perf_counter(), [tree_memory(pid)]
    for tenth in range(1, 11):
        time.sleep(max(0.0, began + tenth * length / 10 - time.perf_counter()))
        memory.append(tree_memory(pid))
    return memory


if __name__ == "__main__":
    main()
