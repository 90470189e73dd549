"""The time that a person waits for their next tag when all ask at once, compared with a bare write.

A campaign of 1,000 tags for two people each. Sixteen people, each on their own connection, take tags one after another
without a pause until none is left: in the threads of one process, and in two processes of 8 threads, as the web server
has. The bare write is the least that a claim could be, for as many people: BEGIN, one UPDATE of one row by its key,
COMMIT.
"""

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import quantiles

from bench.machine import arguments, in_words, on_each
from bench.web import at_once

PEOPLE = 16
Work = Callable[[int], list[float]]


def main() -> None:
    on_each(measure, arguments("claiming", __doc__, tags=1000))


def measure(options: argparse.Namespace) -> None:
    for processes in (1, 2):
        claims = storm(processes, options.tags)
        bare = bare_writes(processes, 2 * options.tags)
        (median, p99), (least, least_p99) = (
            [quantiles(seconds, n=100)[n] for n in (49, 98)] for seconds in (claims, bare)
        )
        print(f"{processes} x {PEOPLE // processes} threads, {2 * options.tags} places")
        print(f"  a claim       {in_words(claims)}")
        print(f"  a bare write  {in_words(bare)}")
        print(f"  ratio         {median / least:.0f}, of p99 {p99 / least_p99:.0f}", flush=True)


def together(work: Work, processes: int) -> list[float]:
    """Results of `work` for the number of each person, all at once, each in their own thread."""
    from django.db import connections

    connections.close_all()
    parts = [range(n, PEOPLE, processes) for n in range(processes)]
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
        return [wait for waits in pool.map(partial(in_threads, work), parts) for wait in waits]


def in_threads(work: Work, numbers: Sequence[int]) -> list[float]:
    lists = at_once([partial(connected, work, number) for number in numbers])
    return [wait for waits in lists for wait in waits]


def connected(work: Work, number: int) -> list[float]:
    """A web server keeps its connections open, so opening one is not measured."""
    from django.db import connection

    connection.ensure_connection()
    try:
        return work(number)
    finally:
        connection.close()


def storm(processes: int, tags: int) -> list[float]:
    """Seconds of each claim; checks that every place was given out once."""
    from accounts.roles import Role
    from tests.annotation.factories import admin, campaign
    from tests.factories import person
    from wikifetch.models import Tag

    missing = tags - Tag.objects.count()
    name = f"in-{processes}"
    made = campaign(by=admin(name), tags=missing, people=2, in_hand=tags, name=name)
    people = [person(f"{name}-{n}", Role.ANNOTATOR).pk for n in range(PEOPLE)]
    waits = together(partial(claims, made.pk, people), processes)
    assert len(waits) == 2 * tags, "a place was given twice, or not at all"
    return waits


def claims(campaign: int, people: Sequence[int], number: int) -> list[float]:
    """One person who takes tags until none is left."""
    from accounts.models import Person
    from annotation.models import Campaign
    from annotation.workflow.claiming import next_assignment

    person, within = Person.objects.get(pk=people[number]), Campaign.objects.get(pk=campaign)
    waits = []
    while True:
        began = time.perf_counter()
        if next_assignment(by=person, campaign=within) is None:
            return waits
        waits.append(time.perf_counter() - began)


def bare_writes(processes: int, times: int) -> list[float]:
    from annotation.models import Assignment

    keys = list(Assignment.objects.values_list("pk", flat=True)[:times])
    return together(partial(writes, [keys[n::PEOPLE] for n in range(PEOPLE)]), processes)


def writes(keys: Sequence[Sequence[int]], number: int) -> list[float]:
    """One person's bare writes, to rows that nobody else writes."""
    from django.db import connection

    begin = "BEGIN IMMEDIATE" if connection.vendor == "sqlite" else "BEGIN"
    update = "UPDATE annotation_assignment SET attempts = attempts + 1 WHERE id = %s"
    waits = []
    with connection.cursor() as cursor:
        for key in keys[number]:
            began = time.perf_counter()
            cursor.execute(begin)
            cursor.execute(update, [key])
            cursor.execute("COMMIT")
            waits.append(time.perf_counter() - began)
    return waits


if __name__ == "__main__":
    main()
