"""CPU of every page that each role reaches, right after the imports, next to a bare view.

A database as bin/run leaves it, with the demonstration; then 10,000 fetched tags in one campaign, for two people each,
some annotated and published, and a study of 10,000 responses with two verdicts each. Only the app itself has analyzed
it. Each role opens the addresses below; of each kind of link two are followed. A page is opened in a process that has
opened it before, and has forgotten what it computed. CPU is this process's, next to the time of the database's answers.
The least is a bare view: one SELECT, one UPDATE, and 20 kB. Files are left out.

A large installation: with --parts N the database copies these rows, in place of the demonstration. --parts 1000
--tags 1000 --annotated 50 --responses 1000 makes 1,000,000 tags, 100,000 annotations, 1,002,000 responses and 2,004,000
verdicts in 1,000 campaigns and studies. Ten of these are open; twenty annotators and judges shared the others.
"""

import argparse
import os
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from bench import world
from bench.machine import apart, arguments, fastest, on_each, peak

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
OF_A_KIND = 2
BARE_BYTES, BARE_TIMES = 20_000, 100
DEAREST = 40  # pages that are printed
OPEN = 10  # parts that people still work in
TEAM = 20  # people who worked in the others


class Visit(NamedTuple):
    """One page: milliseconds of CPU and of the database's answers, and the number of its statements."""

    cpu: float
    database: float
    statements: int
    role: str
    address: str


def main() -> None:
    sizes = {"tags": 10_000, "annotated": 40, "responses": 10_000, "parts": 1}
    on_each(measure, arguments("pages", __doc__, **sizes))


def measure(options: argparse.Namespace) -> None:
    began = time.perf_counter()
    keys = apart(make, options)
    print(f"  made in {time.perf_counter() - began:.0f} s", flush=True)
    least, visits, mb = apart(visit_all, keys)
    for visit in sorted(visits, reverse=True)[:DEAREST]:
        print(
            f"  {visit.role:11} {visit.address[:60]:60} {visit.cpu:6.0f} ms, ratio {visit.cpu / least:6.0f}; "
            f"{visit.statements:3} statements in {visit.database:6.0f} ms"
        )
    over = sum(visit.cpu > MOST for visit in visits)
    print(f"  {len(visits)} pages, {over} of them over {MOST:.0f} ms; a bare view {least:.2f} ms")
    print(f"  memory of the process at its peak: {mb:.0f} MB", flush=True)


# ---------------------------------------------------------------- the world


def make(options: argparse.Namespace) -> dict[str, int]:
    """The keys of the first part."""
    from django.core.management import call_command

    if options.parts == 1:
        call_command("load_demonstration", verbosity=0)
    path = Path(os.environ["DATA_DIR"]) / "pages.xml"
    keys = world.first_part(path, options.tags, options.annotated, options.responses)
    world.copy(options.parts)
    end_all_but(OPEN)
    return keys


def end_all_but(n: int) -> None:
    """Close the campaigns and studies after the first n, and give their work to TEAM people, in turns."""
    from django.db.models import F
    from django.db.models.functions import Now

    from accounts.roles import Role
    from annotation.models import Annotation, Assignment, Campaign
    from annotation.states import CampaignState
    from judging.models import Judge, Study
    from judging.states import StudyState
    from tests.factories import person

    roles = (Role.ANNOTATOR, Role.JUDGE)
    first, *_ = [person(f"team-{number}", *roles).pk for number in range(TEAM)]
    past, turn = {"pk__gt": n * world.STEP}, F("pk") / world.STEP % TEAM + first
    Study.objects.filter(**past).update(state=StudyState.CLOSED, closed_at=Now())
    Campaign.objects.filter(**past).update(state=CampaignState.CLOSED)
    Annotation.objects.filter(**past, author__username="annotator").update(author_id=turn)
    Assignment.objects.filter(**past, person__username="annotator").update(person_id=turn)
    Judge.objects.filter(**past, person__username="judge").update(person_id=turn)


# ---------------------------------------------------------------- the visits


def visit_all(keys: dict[str, int]) -> tuple[float, list[Visit], float]:
    """The milliseconds of a bare view, every visit, and the process's megabytes."""
    from django.test import Client

    from accounts.models import Person
    from accounts.roles import Role

    found, kinds = [], Counter[Any]()
    for role in Role:
        client = Client(SERVER_NAME="127.0.0.1")
        client.force_login(Person.objects.get(username=role.value))
        found += [(client, role.value, address) for address in reached(client, keys, kinds)]
    return bare_view(), [visit(*page) for page in found], peak()


def reached(client: Any, keys: dict[str, int], kinds: Counter[Any]) -> Iterator[str]:
    """The addresses of the pages that this person reaches, each opened once; `kinds` counts those of each kind."""
    from accounts.models import Allowance
    from tests.crawling import links

    starts = STARTS.format(**keys).split()
    queue, seen = deque(starts), set[str]()
    while queue:
        address = queue.popleft()
        kind = kind_of(address)
        if kind is None or address in seen or (kinds[kind] >= OF_A_KIND and address not in starts):
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

    def __call__(self, execute, sql, params, many, context):
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.seconds += time.perf_counter() - began
            self.statements.append((sql, params))


def bare_view() -> float:
    """Milliseconds of CPU."""
    from django.contrib.auth import SESSION_KEY
    from django.test import RequestFactory

    from accounts.models import Person
    from bench.bare import bare

    request = RequestFactory().get("/", {"bytes": BARE_BYTES})
    request.session = {SESSION_KEY: Person.objects.get(username="admin").pk}  # type: ignore[assignment]
    _, cpu = fastest(lambda: [bare(request) for _ in range(BARE_TIMES)])
    return cpu * 1e3 / BARE_TIMES


if __name__ == "__main__":
    main()
