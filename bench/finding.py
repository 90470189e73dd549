"""Time and CPU of the pages on which responses of a large run are read, next to a search of their texts in memory.

One run of 100,000 responses of 100 words. One in 500 failed, and another one in 500 has a word that no other has. Each
page is asked for three times, by Django's test client in this process; the fastest counts. The least is Python's `in`
over the same texts in memory. PostgreSQL's own CPU is not counted.
"""

import argparse
from typing import Any

from bench import world
from bench.machine import apart, arguments, fastest, on_each

RARE, ONE_IN = "zebra", 500
PAGES = {
    "the run's page": "",
    "the grid": "responses/",
    "a word in every response": "responses/?words=village",
    f"a word in one of {ONE_IN}": f"responses/?words={RARE}",
    "three words": f"responses/?words=village+bridge+{RARE}",
    "a word in none": "responses/?words=qqqqqq",
    "what failed": "responses/?outcome=failed",
    "the last page": "responses/?page=last",
    "two models": "two-models/",
}


def main() -> None:
    on_each(measure, arguments("finding", __doc__, responses=100_000))


def measure(options: argparse.Namespace) -> None:
    apart(visit, apart(make, options.responses))


def make(responses: int) -> int:
    """The run's key."""
    from django.db.models import F, Value
    from django.db.models.functions import Concat

    from generation.states import ResponseState

    run = world.answered(responses)
    world.write_long(run)
    counted = run.responses.annotate(turn=F("pk") % ONE_IN)
    counted.filter(turn=0).update(text=Concat("text", Value(f" {RARE}")))
    failed = {"state": ResponseState.FAILED, "text": "", "error": "The prompt is too long."}
    counted.filter(turn=1).update(**failed)
    world.some_minutes_later()
    return int(run.pk)


def visit(run: int) -> None:
    from django.test import Client

    from accounts.roles import Role
    from generation.models import Response
    from tests.factories import person

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(person("rosa", Role.RESEARCHER))
    texts = [*Response.objects.filter(run=run).values_list("text", flat=True)]
    least, _ = fastest(lambda: sum(RARE in text.lower() for text in texts))
    print(f"  {len(texts):,} texts in memory {least * 1e3:26.0f} ms")
    for name, address in PAGES.items():
        took, cpu = fastest(lambda address=address: opened(client, f"/runs/{run}/{address}"))
        print(
            f"  {name:34} {took * 1e3:6.0f} ms, {cpu * 1e3:4.0f} ms of CPU  ratio {took / least:5.1f}",
            flush=True,
        )


def opened(client: Any, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, address


if __name__ == "__main__":
    main()
