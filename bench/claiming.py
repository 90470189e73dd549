"""The time that a person waits for their next tag when all ask at once, compared with a bare write.

A campaign of 1,000 tags for two people each. All people, each on their own connection, take tags one after
another without a pause until none is left: in 16 threads of one process, and in the shape of the web server, one
process of 8 threads on SQLite (bin/run) or two of them on PostgreSQL (Dockerfile). The bare write is the least
that a claim could be, for as many people: BEGIN, one UPDATE of one row by its key, COMMIT.
"""

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from statistics import quantiles

from bench.machine import apart, arguments, on_each

# Processes and threads of each.
SHAPES = {"sqlite": [(1, 16), (1, 8)], "postgresql": [(1, 16), (2, 8)]}


def main() -> None:
    on_each(measure, arguments("claiming", __doc__, tags=1000))


def measure(options: argparse.Namespace) -> None:
    for processes, threads in apart(shapes):
        claims = storm(processes, threads, options.tags)
        raw = bare_writes(processes, threads, 2 * options.tags)
        workers = f"{processes} process{'es' if processes > 1 else ''} of {threads} threads"
        print(f"{workers}, {len(claims)} claims of {2 * options.tags} places")
        print(f"  a claim       {in_words(claims)}")
        print(f"  a bare write  {in_words(raw)}")
        print(f"  ratio         {compared(claims, raw)}", flush=True)


def shapes() -> list[tuple[int, int]]:
    from django.db import connection

    return SHAPES[connection.vendor]


def shape(seconds: Sequence[float]) -> tuple[float, float]:
    cuts = quantiles(seconds, n=100)
    return cuts[49], cuts[98]


def in_words(seconds: Sequence[float]) -> str:
    median, p99 = shape(seconds)
    return f"{median * 1e3:7.1f} ms median  {p99 * 1e3:7.1f} ms p99"


def compared(seconds: Sequence[float], raw: Sequence[float]) -> str:
    median, p99 = (one / other for one, other in zip(shape(seconds), shape(raw), strict=True))
    return f"{median:7.0f}            {p99:7.0f}"


# ---------------------------------------------------------------- many at once


Work = Callable[[int], list[float]]


def together(work: Work, processes: int, threads: int) -> list[float]:
    """Results of `work` for each number from 0, each in its own thread, all at once."""
    numbers = range(processes * threads)
    if processes == 1:
        return in_threads(work, numbers)
    from django.db import connections

    connections.close_all()
    parts = [numbers[n * threads : (n + 1) * threads] for n in range(processes)]
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
        return [wait for waits in pool.map(partial(in_threads, work), parts) for wait in waits]


def in_threads(work: Work, numbers: Sequence[int]) -> list[float]:
    with ThreadPoolExecutor(len(numbers)) as pool:
        return [wait for waits in pool.map(partial(connected, work), numbers) for wait in waits]


def connected(work: Work, number: int) -> list[float]:
    """A web server keeps its connections open, so opening one is not measured."""
    from django.db import connection

    connection.ensure_connection()
    try:
        return work(number)
    finally:
        connection.close()


# ---------------------------------------------------------------- what is measured


def storm(processes: int, threads: int, tags: int) -> list[float]:
    """Seconds of each claim; checks that every place was given out once."""
    from accounts.roles import Role
    from tests.annotation.factories import admin, campaign
    from tests.factories import person
    from wikifetch.models import Tag

    name = f"{processes}x{threads}"
    missing = tags - Tag.objects.count()
    made = campaign(by=admin(name), tags=missing, people=2, in_hand=tags, name=name)
    people = [person(f"{name}-{n}", Role.ANNOTATOR).pk for n in range(processes * threads)]
    waits = together(partial(claims, made.pk, people), processes, threads)
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


def bare_writes(processes: int, threads: int, times: int) -> list[float]:
    from annotation.models import Assignment

    people = processes * threads
    keys = list(Assignment.objects.values_list("pk", flat=True)[:times])
    return together(partial(writes, [keys[n::people] for n in range(people)]), processes, threads)


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
