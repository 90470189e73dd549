"""A shift of people who annotate and judge at once, over a table of many verdicts: errors, waiting time, memory.

Everybody works from the start to the end, each at an even pace; together they send --rate requests a second. Most of
an annotator's are saves of a draft; now and then one is a submission, whose answer is the next tag. The full size is
--saves 60000 --submissions 4000 --verdicts 12000: an hour at 20 a second. It runs on PostgreSQL, as a team's server
does, and on SQLite only with --tables.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, repeat
from pathlib import Path

from bench import content, world
from bench.annotating import Annotator, Judge, given_out, make_study
from bench.machine import apart, arguments, in_words, on_each, tree_cpu, tree_memory
from bench.web import Fields, RequestFailed, at_once, served

Sent = tuple[str, float, bool]  # what was sent, seconds until its answer, whether it failed
Act = tuple[str, Callable[[], None]]


def main() -> None:
    sizes = {"people": 20, "judges": 20, "saves": 3_000, "submissions": 200, "verdicts": 600}
    options = arguments("shift", __doc__, **sizes, rate=20, parts=50)
    on_each(measure, options, sqlite=bool(options.tables))


def measure(options: argparse.Namespace) -> None:
    annotators, fields = apart(make, options)
    names = [f"judge-{n}" for n in range(options.judges)]
    study, judges = apart(make_study, options.verdicts // 2 + 6 * options.judges, *names)
    with served() as server:
        people = [Annotator(server, session, fields) for session in annotators]
        at_once([person.begin for person in people])
        shifts = [list(annotating(person, options)) for person in people]
        given = options.verdicts // options.judges
        for session in judges:
            shifts.append([*repeat(("verdict", Judge(server, session, study).judge), given)])
        length = sum(map(len, shifts)) / options.rate
        began, cpu = time.perf_counter(), tree_cpu(server.pid)
        works = [
            partial(work, acts, began + n / options.rate, length / len(acts))
            for n, acts in enumerate(shifts)
        ]
        *lists, memory = at_once([*works, partial(memory_by_tenths, server.pid, length)])
        sent: list[Sent] = list(chain.from_iterable(lists))
        wall, cpu = time.perf_counter() - began, tree_cpu(server.pid) - cpu
    for kind in sorted({kind for kind, _, _ in sent}):
        print(f"  {kind:11} {in_words([seconds for name, seconds, _ in sent if name == kind])}")
    per_second = f"{len(sent) / wall:.1f} requests a second for {wall:.0f} s"
    errors = sum(failed for _, _, failed in sent)
    print(f"  {per_second}, {cpu / wall:.0%} of one core, errors {errors}")
    print(f"  memory of the web processes by tenths, MB: {', '.join(f'{mb:.0f}' for mb in memory)}")
    given, wanted = apart(given_out)
    print(f"  {given} tags given out, {given - wanted} twice")


def make(options: argparse.Namespace) -> tuple[list[str], Fields]:
    """Sessions of annotators with a campaign, next to others that are closed, and the fields of a whole form."""
    from accounts.roles import Role
    from annotation.models import Campaign
    from annotation.states import CampaignState
    from tests.annotation.factories import admin, campaign
    from tests.factories import person

    folder = Path(os.environ["DATA_DIR"])
    world.first_part(folder / "pages.xml", 10, 0, 1_000 if options.parts > 1 else 6)
    world.copy(options.parts)
    Campaign.objects.update(state=CampaignState.CLOSED)  # else people begin in these
    more = options.submissions + 2 * options.people
    content.write_pages(folder / "more.xml", more, "Weir", 200_000)
    content.read_pages(folder / "more.xml")
    campaign(by=admin(), tags=0, in_hand=3, name="The shift", into="weirs")
    people = [person(f"anna-{n}", Role.ANNOTATOR) for n in range(options.people)]
    return [*map(content.session_of, people)], [*content.form_fields(content.entries())]


def annotating(person: Annotator, options: argparse.Namespace) -> Iterator[Act]:
    """Of each tag so many saves, then its submission."""
    saves = options.saves // options.submissions
    for _ in range(options.submissions // options.people):
        yield from repeat(("save", person.save), saves)
        yield "submission", person.submit


def work(acts: list[Act], start: float, distance: float) -> list[Sent]:
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
