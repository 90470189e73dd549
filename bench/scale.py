"""CPU and statements of each page over a large database, and the statements that read a large table from end to end.

A first part of 1,000 tags, 100 annotations, 1,000 responses and 2,000 verdicts is copied by the database: --parts 1000
makes 1,000,000 tags, 100,000 annotations, 1,000,000 responses and 2,000,000 verdicts, in 1,000 campaigns and studies.
Ten of these are open. The others are closed, their annotations decided; twenty annotators and judges shared them.
CPU is this process's, next to the time of the database's answers. Of a file the start is measured, up to its first
piece. What a statement reads is what PostgreSQL plans (EXPLAIN); SQLite is not asked.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import world
from bench.machine import apart, arguments, on_each, peak

PAGES = """
annotator   /
annotator   /annotate/
annotator   /annotate/progress/
judge       /
judge       /judge/
judge       /judge/{study}/
adjudicator /
adjudicator /resolve/
researcher  /
researcher  /tags/
researcher  /tags/?page=last
researcher  /tags/?kind=inconsistent&q=Mill
researcher  /tags/{tag}/
researcher  /collections/
researcher  /collections/abbeys/
researcher  /collections/abbeys/?page=last
researcher  /collections/abbeys/questions/
researcher  /collections/abbeys/export/wikicontradict-json/
researcher  /runs/
researcher  /runs/{run}/
researcher  /runs/{run}/responses/
researcher  /runs/{run}/responses/?words=founded
researcher  /runs/{run}/responses/{response}/
researcher  /runs/{run}/two-models/
researcher  /studies/
researcher  /studies/{study}/
researcher  /reports/
researcher  /reports/{study}/
researcher  /reports/{study}/rows/
admin       /
admin       /campaigns/
admin       /campaigns/{campaign}/
admin       /campaigns/{campaign}/assignments/
admin       /campaigns/{campaign}/assignments/?page=last
admin       /campaigns/{campaign}/progress/
admin       /reviews/
admin       /fetches/
admin       /people/
admin       /audit/
admin       /operations/
"""
OPEN = 10  # campaigns and studies that people still work in
TEAM = 20  # people who worked in the others
LARGE = 20_000  # rows of a table that no page should read from end to end
READ_TO_THE_END = (
    "Sort",
    "Hash",
    "Aggregate",
    "WindowAgg",
)  # all their input, before their first row
TIMES = 3


def main() -> None:
    on_each(
        measure, arguments("scale", __doc__, parts=20, tags=1_000, annotated=100, responses=1_000)
    )


def measure(options: argparse.Namespace) -> None:
    began = time.perf_counter()
    keys = apart(make, options)
    counts = ", ".join(f"{n:,} {name}" for name, n in apart(counted).items())
    print(f"  {counts}; made in {time.perf_counter() - began:.0f} s", flush=True)
    apart(visit_all, keys)


def make(options: argparse.Namespace) -> dict[str, Any]:
    from leases.planner import learn_sizes

    path = Path(os.environ["DATA_DIR"]) / "pages.xml"
    keys = world.first_part(path, options.tags, options.annotated, options.responses)["keys"]
    for first in range(1, options.parts, 50):
        world.copy(first, min(first + 49, options.parts - 1))
    close_all_but(OPEN)
    share_past(OPEN)
    learn_sizes()
    return keys


def close_all_but(n: int) -> None:
    """Close the campaigns and studies after the first n, and decide their annotations."""
    from django.db.models.functions import Now

    from annotation.models import Annotation, Campaign
    from annotation.states import AnnotationState, CampaignState
    from judging.models import Study
    from judging.states import StudyState

    past = {"pk__gt": n * world.STEP}
    Study.objects.filter(**past).update(state=StudyState.CLOSED, closed_at=Now())
    Campaign.objects.filter(**past).update(state=CampaignState.CLOSED)
    Annotation.objects.filter(**past).update(state=AnnotationState.AMBIGUOUS)


def share_past(n: int) -> None:
    """Give the annotations and one judge's verdicts of what is closed to TEAM people, in turns."""
    from django.db.models import F

    from accounts.roles import Role
    from annotation.models import Annotation, Assignment
    from judging.models import Judge
    from tests.factories import person

    roles = (Role.ANNOTATOR, Role.JUDGE)
    first, *_ = [person(f"anna-{each}", *roles).pk for each in range(TEAM)]
    past, turn = {"pk__gt": n * world.STEP}, F("pk") / world.STEP % TEAM + first
    Annotation.objects.filter(**past).update(author_id=turn)
    Assignment.objects.filter(**past, person__isnull=False).update(person_id=turn)
    Judge.objects.filter(**past, person__username="judge").update(person_id=turn)


def counted() -> dict[str, int]:
    from annotation.models import Annotation
    from generation.models import Response
    from judging.models import Judgment
    from wikifetch.models import Tag

    models = {"tags": Tag, "annotations": Annotation, "responses": Response, "verdicts": Judgment}
    return {name: model._base_manager.count() for name, model in models.items()}


def visit_all(keys: dict[str, Any]) -> None:
    from wikifetch.models import Tag

    keys = {**keys, "tag": Tag.objects.order_by("-pk").values_list("pk", flat=True)[0]}
    large = large_tables()
    for line in PAGES.strip().splitlines():
        role, address = line.split()
        print(f"  {role:11} {address:53} {visit(role, address.format(**keys), large)}", flush=True)
    print(f"  memory of the process at its peak: {peak():.0f} MB", flush=True)


def visit(role: str, address: str, large: set[str]) -> str:
    """What a page costs, the least of some times, and which large tables its statements read whole."""
    from django.db import connection
    from django.test import Client

    from accounts.models import Person

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(Person.objects.get(username=role))
    best = (float("inf"), 0.0, 0)
    for _ in range(TIMES):
        asked = Asked()
        began = time.process_time()
        with connection.execute_wrapper(asked):
            answer = client.get(address)
            next(iter(answer), None)
        used = time.process_time() - began
        if answer.status_code != 200:
            return f"status {answer.status_code}"
        best = min(best, (used, asked.seconds, len(asked.statements)))
    cpu, database, n = best
    whole = sorted({table for each in asked.statements for table in read_whole(each, large)})
    words = f"  reads all of {', '.join(whole)}" if whole else ""
    return f"{cpu * 1e3:7.0f} ms of CPU, {n:3} statements in {database * 1e3:6.0f} ms{words}"


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


def large_tables() -> set[str]:
    from django.db import connection

    if connection.vendor != "postgresql":
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > %s", [LARGE]
        )
        return {name for (name,) in cursor.fetchall()}


def read_whole(statement: tuple[str, Any], large: set[str]) -> Iterator[str]:
    """The large tables that PostgreSQL plans to read from end to end."""
    from django.db import connection

    sql, params = statement
    if not large or not sql.lstrip("(").startswith("SELECT"):
        return
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0]
    waiting = [((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"], False)]
    while waiting:
        node, is_left_early = waiting.pop()
        is_left_early = node["Node Type"] == "Limit" or (
            is_left_early and node["Node Type"] not in READ_TO_THE_END
        )
        waiting += [(each, is_left_early) for each in node.get("Plans", ())]
        is_scan = node["Node Type"] == "Seq Scan" or (
            node["Node Type"].startswith("Index") and not _is_narrowed(node)
        )
        if is_scan and not is_left_early and node.get("Relation Name") in large:
            yield node["Relation Name"]


def _is_narrowed(node: dict[str, Any]) -> bool:
    """Whether an index is entered by a condition, or has few rows, or is a part of a bitmap."""
    return "Index Cond" in node or node["Plan Rows"] < LARGE


if __name__ == "__main__":
    main()
