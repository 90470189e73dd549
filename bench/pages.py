"""CPU of every page that an annotator, a judge, an admin and a researcher reach, right after the imports.

A database as bin/run leaves it, with the demonstration; then 10,000 fetched tags in one campaign, for two people each,
some annotated and published, and a study of 10,000 responses with two verdicts each. Only the app itself has analyzed
it. From the addresses below on, two of each kind of link are followed. A page is opened in a process that has opened it
before, and has forgotten what it computed. CPU is this process's; on PostgreSQL the seconds of its answers are added.
The least is a bare view: one SELECT, one UPDATE, and 20 kB. Files are left out.
"""

import argparse
import os
import random
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from bench import content, world
from bench.machine import apart, arguments, on_each
from bench.scale import TIMES, Asked

MOST = 300.0  # milliseconds
ROLES = ("annotator", "judge", "admin", "researcher")
STARTS = """
/ /tags/ /tags/?page=last /tags/{tag}/ /campaigns/{campaign}/ /campaigns/{campaign}/progress/
/campaigns/{campaign}/assignments/ /campaigns/{campaign}/assignments/?page=last /collections/mills/
/collections/abbeys/ /collections/abbeys/?page=last /runs/{run}/ /runs/{run}/responses/ /studies/{study}/
/reports/{study}/ /judge/{study}/ /judge/{study}/next/ /resolve/
"""
OF_A_KIND = 2
BARE_BYTES, BARE_TIMES = 20_000, 100
VERDICTS = ("correct", "partially correct", "incorrect")


class Visit(NamedTuple):
    """One page: milliseconds of CPU, and its statements. `again` is its CPU with what was computed before."""

    cpu: float
    again: float
    role: str
    address: str
    statements: int


def main() -> None:
    on_each(measure, arguments("pages", __doc__, tags=10_000, annotated=40, responses=10_000))


def measure(options: argparse.Namespace) -> None:
    began = time.perf_counter()
    keys = apart(make, options)
    print(f"  made in {time.perf_counter() - began:.0f} s", flush=True)
    least, visits = apart(visit_all, keys)
    for one in sorted(visits, reverse=True)[:10]:
        print(
            f"  {one.role:10} {one.address[:70]:70} {one.cpu:6.0f} ms, ratio {one.cpu / least:6.0f}; "
            f"again {one.again:5.0f} ms; {one.statements:3} statements"
        )
    over = sum(one.cpu > MOST for one in visits)
    print(
        f"  {len(visits)} pages, {over} of them over {MOST:.0f} ms; a bare view {least:.2f} ms",
        flush=True,
    )


# ---------------------------------------------------------------- the world


def make(options: argparse.Namespace) -> dict[str, Any]:
    """The keys of the campaign, run, study and a tag of it."""
    from django.core.management import call_command

    from accounts.roles import Role
    from annotation.reviewing.publishing_tags import publish_campaign
    from tests.annotation import factories as annotating
    from tests.evaluation.factories import judge_all
    from tests.factories import person
    from tests.judging import factories as judging
    from wikifetch.models import Tag

    call_command("load_demonstration", verbosity=0)
    path = Path(os.environ["DATA_DIR"]) / "pages.xml"
    content.write_pages(path, options.tags)
    content.read_pages(path)
    people = {role.value: person(role.value, role) for role in Role}
    within = annotating.campaign(by=people["admin"], tags=0, people=2, name="Large")
    authors = (people["annotator"], annotating.annotator("anna"))
    for n in range(options.annotated):
        both = [
            annotating.submitted(who, within=within, entries=content.entries()) for who in authors
        ]
        if n % 2:
            annotating.decide(both[0], people["admin"])
    publish_campaign(within, people["admin"])
    run = world.answered(options.responses)
    drawn = random.Random(6)
    study = judge_all(
        judging.open_study("judge", "bob", drawn_from=run, name="Large"),
        lambda who, slot: drawn.choices(VERDICTS, (8, 1, 1))[0],
    )
    grown()
    tag = Tag.objects.latest("pk")
    return {"campaign": within.pk, "run": run.pk, "study": study.pk, "tag": tag.pk}


def grown() -> None:
    """What happens by itself within minutes of the verdicts; this PostgreSQL has no autovacuum."""
    from django.db import connection

    from leases.planner import learn_growth, learn_sizes

    learn_sizes("judging") if connection.vendor == "postgresql" else learn_growth()


# ---------------------------------------------------------------- the visits


def visit_all(keys: dict[str, Any]) -> tuple[float, list[Visit]]:
    """The milliseconds of a bare view, and every visit."""
    readers = [Reader(role) for role in ROLES]
    found = [(one, address) for one in readers for address in one.pages(keys)]
    return bare_view(), [one.visit(address) for one, address in found]


class Reader:
    """Somebody with one role, signed in."""

    def __init__(self, role: str) -> None:
        from django.test import Client

        from accounts.models import Person

        self.role, self.client = role, Client(SERVER_NAME="127.0.0.1")
        self.client.force_login(Person.objects.get(username=role))

    def pages(self, keys: dict[str, Any]) -> Iterator[str]:
        """The addresses of the pages that they reach, each opened once."""
        from accounts.models import Allowance
        from tests.crawling import links

        queue, seen, kinds = deque(STARTS.format(**keys).split()), set[str](), Counter[Any]()
        while queue:
            address = queue.popleft()
            kind = None if address in seen else kind_of(address)
            seen.add(address)
            if kind is None or kinds[kind] >= OF_A_KIND:
                continue
            kinds[kind] += 1
            Allowance.objects.all().delete()  # so many downloads would be refused
            answer = self.client.get(address)
            is_page = answer["Content-Type"].startswith("text/html") and not answer.streaming
            queue.extend(links(address, answer, answer.content.decode() if is_page else ""))
            if is_page and answer.status_code == 200:
                yield address

    def visit(self, address: str) -> Visit:
        """A page that costs much is opened some times, and its least counts."""
        cpu, statements = self.first(address)
        again = cpu
        if cpu > MOST / 2:
            cpu = min(cpu, *(self.first(address)[0] for _ in range(TIMES - 1)))
            again = min(self.cost(address)[0] for _ in range(TIMES))
        return Visit(cpu, again, self.role, address, statements)

    def first(self, address: str) -> tuple[float, int]:
        """The cost before anything is computed."""
        from pages.memory import ARTICLES, FIGURES

        FIGURES.clear()
        ARTICLES.clear()
        return self.cost(address)

    def cost(self, address: str) -> tuple[float, int]:
        """Milliseconds of CPU, and the number of statements."""
        from django.db import connection

        asked, began = Asked(), time.process_time()
        with connection.execute_wrapper(asked):
            self.client.get(address)
        used = time.process_time() - began
        if connection.vendor == "postgresql":
            used += asked.seconds
        return used * 1e3, len(asked.statements)


def kind_of(address: str) -> tuple[str, ...] | None:
    """The view and the names of its parameters; None for what is no address of ours."""
    from django.urls import Resolver404, resolve

    parts = urlsplit(address)
    try:
        view = resolve(parts.path).view_name
    except Resolver404:
        return None
    return view, *sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})


def bare_view() -> float:
    """Milliseconds of CPU."""
    from django.contrib.auth import SESSION_KEY
    from django.test import RequestFactory

    from accounts.models import Person
    from bench.bare import bare

    request = RequestFactory().get("/", {"bytes": BARE_BYTES})
    request.session = {SESSION_KEY: Person.objects.get(username="admin").pk}  # type: ignore[assignment]
    began = time.process_time()
    for _ in range(BARE_TIMES):
        bare(request)
    return (time.process_time() - began) * 1e3 / BARE_TIMES


if __name__ == "__main__":
    main()
