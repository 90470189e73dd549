"""CPU of every page that each role reaches, next to a bare view: one SELECT, one UPDATE, and 20 kB.

10,000 fetched tags in one campaign for two people each, some annotated and published, and a study of 10,000 responses
with two verdicts each. Each role opens the addresses below, and --links of each kind of link on them. A page is opened
in a process that has opened it before, and has forgotten what it computed. CPU is this process's, next to the time of
the database's answers. Files are left out.

A large installation: with --parts N the database copies these rows. --parts 1000 --tags 1000 --annotated 50
--responses 1000 --postgresql makes 1,000,000 tags, 100,000 annotations, 1,002,000 responses and 2,004,000 verdicts in
1,000 campaigns and studies, ten of them open.
"""

import argparse
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from bench import world
from bench.common import apart, peak, run

MOST = 300.0  # milliseconds
STARTS = """
/ /annotate/ /annotate/progress/ /tags/ /tags/?page=last /tags/?kind=inconsistent&q=Mill /tags/{tag}/
/campaigns/ /campaigns/{campaign}/ /campaigns/{campaign}/progress/
/campaigns/{campaign}/assignments/ /campaigns/{campaign}/assignments/?page=last /reviews/
/collections/ /collections/mills/ /collections/abbeys/ /collections/abbeys/?page=last /collections/abbeys/questions/
/runs/ /runs/{run}/ /runs/{run}/responses/ /runs/{run}/responses/?words=founded /runs/{run}/responses/{response}/
/runs/{run}/two-models/ /studies/ /studies/{study}/ /reports/ /reports/{study}/ /reports/{study}/rows/
/judge/ /judge/{study}/ /judge/{study}/next/ /resolve/ /fetches/ /people/ /people/work/ /audit/ /operations/
"""
BARE_BYTES, BARE_TIMES = 20_000, 100
DEAREST = 40  # pages that are printed
OPEN, TEAM = 10, 20  # parts that people still work in, and people who worked in the others


class Visit(NamedTuple):
    """One page: milliseconds of CPU and of the database's answers, and the number of its statements."""

    cpu: float
    database: float
    statements: int
    role: str
    address: str


def main() -> None:
    run("pages", __doc__, measure, tags=10_000, annotated=40, responses=10_000, parts=1, links=2)


def measure(options: argparse.Namespace, folder: Path) -> None:
    began = time.perf_counter()
    keys = apart(make, options, folder)
    print(f"  made in {time.perf_counter() - began:.0f} s", flush=True)
    least, visits, mb = apart(visit_all, keys, options.links)
    for visit in sorted(visits, reverse=True)[:DEAREST]:
        print(
            f"  {visit.role:11} {visit.address[:60]:60} {visit.cpu:6.0f} ms, ratio {visit.cpu / least:6.0f}; "
            f"{visit.statements:3} statements in {visit.database:6.0f} ms"
        )
    over = sum(visit.cpu > MOST for visit in visits)
    print(f"  {len(visits)} pages, {over} of them over {MOST:.0f} ms; a bare view {least:.2f} ms")
    print(f"  memory of the process at its peak: {mb:.0f} MB", flush=True)


def make(options: argparse.Namespace, folder: Path) -> dict[str, int]:
    """The keys of the first part. Parts after OPEN are closed, and are the work of TEAM people in turns."""
    from django.db.models import F
    from django.db.models.functions import Now

    from accounts.roles import Role
    from annotation.models import Annotation, Assignment, Campaign
    from annotation.states import CampaignState
    from judging.models import Judge, Study
    from judging.states import StudyState
    from tests.factories import person

    keys = world.first_part(folder, options.tags, options.annotated, options.responses)
    world.copy(options.parts)
    past = {"pk__gt": OPEN * world.STEP}
    Study.objects.filter(**past).update(state=StudyState.CLOSED, closed_at=Now())
    Campaign.objects.filter(**past).update(state=CampaignState.CLOSED)
    roles = (Role.ANNOTATOR, Role.JUDGE)
    first, *_ = [person(f"team-{number}", *roles).pk for number in range(TEAM)]
    turn = F("pk") / world.STEP % TEAM + first
    Annotation.objects.filter(**past, author__username="annotator").update(author_id=turn)
    Assignment.objects.filter(**past, person__username="annotator").update(person_id=turn)
    Judge.objects.filter(**past, person__username="judge").update(person_id=turn)
    return keys


# ---------------------------------------------------------------- the visits


def visit_all(keys: dict[str, int], of_a_kind: int) -> tuple[float, list[Visit], float]:
    """The milliseconds of a bare view, every visit, and the process's megabytes."""
    from django.test import Client

    from accounts.models import Person
    from accounts.roles import Role

    found, kinds = [], Counter[Any]()
    for role in Role:
        client = Client(SERVER_NAME="127.0.0.1")
        client.force_login(Person.objects.get(username=role.value))
        found += [
            (client, role.value, address) for address in reached(client, keys, kinds, of_a_kind)
        ]
    return bare_view(), [visit(*page) for page in found], peak()


def reached(
    client: Any, keys: dict[str, int], kinds: Counter[Any], of_a_kind: int
) -> Iterator[str]:
    """The addresses of the pages that this person reaches, each opened once; `kinds` counts those of each kind."""
    from accounts.models import Allowance
    from tests.crawling import links

    starts = STARTS.format(**keys).split()
    queue, seen = deque(starts), set[str]()
    while queue:
        address = queue.popleft()
        kind = kind_of(address)
        if kind is None or address in seen or (kinds[kind] >= of_a_kind and address not in starts):
            continue
        seen.add(address)
        kinds[kind] += 1
        Allowance.objects.all().delete()  # so many downloads would be refused
        answer = client.get(address)
        is_page = answer["Content-Type"].startswith("text/html") and not answer.streaming
        queue.extend(links(address, answer, answer.content.decode() if is_page else ""))
        if is_page and answer.status_code == 200:
            yield address


def kind_of(address: str) -> tuple[str, ...] | None:
    """The view and the names of its parameters; None for what is no address of ours."""
    from django.urls import Resolver404, resolve

    parts = urlsplit(address)
    try:
        view = resolve(parts.path).view_name
    except Resolver404:
        return None
    return view, *sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})


def visit(client: Any, role: str, address: str) -> Visit:
    """A page that costs much is opened some times, and its least counts."""
    once = cost(client, address)
    again = [cost(client, address) for _ in range(2)] if once[0] > MOST / 2 else []
    return Visit(*min([once, *again]), role, address)


def cost(client: Any, address: str) -> tuple[float, float, int]:
    """Milliseconds of CPU and of the database's answers, and the number of statements, with nothing computed before."""
    from django.db import connection

    from pages.memory import ARTICLES, FIGURES

    FIGURES.clear()
    ARTICLES.clear()
    asked, began = Asked(), time.process_time()
    with connection.execute_wrapper(asked):
        client.get(address)
    cpu = time.process_time() - began
    return cpu * 1e3, asked.seconds * 1e3, len(asked.statements)


class Asked:
    """The statements of a page, with their parameters, and the seconds they took."""

    def __init__(self) -> None:
        self.statements: list[tuple[str, Any]] = []
        self.seconds = 0.0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.seconds += time.perf_counter() - began
            self.statements.append((sql, params))


def bare_view() -> float:
    """Milliseconds of CPU."""
    from django.http import HttpResponse

    from accounts.models import Person

    began = time.process_time()
    for _ in range(BARE_TIMES):
        person = Person.objects.get(username="admin")
        Person.objects.filter(pk=person.pk).update(name=person.name)
        HttpResponse(b"x" * BARE_BYTES)
    return (time.process_time() - began) * 1e3 / BARE_TIMES


if __name__ == "__main__":
    main()
