"""CPU and memory of imports and of files, next to the least they could take; how long others wait to write meanwhile.

Of 1,200 tags that are annotated and published, and a study of 1,200 responses, on SQLite and on PostgreSQL (its own
CPU is not counted). Imports go by their commands, files come from their pages, each in a process of its own; a file is
taken twice and the second time counts. The least is: for pages, a parse of the XML; for records, one executemany of
their rows; for a file, json.dumps of the rows of one query. While something is imported, another process writes one row
every 20 ms.
"""

import argparse
import io
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from xml.etree import ElementTree

from bench import content, world
from bench.machine import Taken, apart, arguments, in_words, measured, on_each, print_next_to

COLLECTION = "bench"
PAUSE = 0.02


def main() -> None:
    on_each(measure, arguments("exporting", __doc__, records=1_200))


def measure(options: argparse.Namespace) -> None:
    import config.urls  # noqa: F401 with every view, as a server has them

    n, folder = options.records, Path(os.environ["DATA_DIR"])
    pages, records = folder / "pages.xml", folder / "records.json"
    content.write_pages(pages, n)
    records.write_text(json.dumps(content.records(n)), encoding="utf-8")
    apart(make_admin)
    opened, pages_waits = waits_during(partial(open_pages, pages))
    print_next_to(measured(partial(parse, pages)), f"{n} pages of XML, campaign opened", opened)
    imported, records_waits = waits_during(partial(import_records, records))
    least = measured(insert_again, prepare=rows_to_insert)
    print_next_to(least, f"import of {n} annotated", imported)
    print(
        f"  another's write: with pages {in_words(pages_waits)}; with records {in_words(records_waits)}"
    )
    apart(publish_all)
    apart(make_study, n)
    for name, (address, rows) in FILES.items():
        taken = measured(partial(download, address), prepare=partial(download, address))
        print_next_to(measured(partial(dump, rows), prepare=partial(dump, rows)), name, taken)


# ---------------------------------------------------------------- imports


def waits_during(act: Callable[[], object]) -> tuple[Taken, list[float]]:
    """What `act` took, and the seconds of each write that another process made meanwhile."""
    here, there = multiprocessing.Pipe()
    writer = multiprocessing.get_context("fork").Process(target=write, args=(there,))
    writer.start()
    here.recv()  # it writes
    taken = measured(act)
    here.send("enough")
    waits = here.recv()
    writer.join()
    return taken, waits


def write(ends: Connection) -> None:
    """Write until something is received; then send the seconds of each write."""
    from django.db import OperationalError

    from accounts.models import Person

    waits: list[float] = []
    ends.send("writing")
    while not (waits and ends.poll()):
        start = time.perf_counter()
        with suppress(OperationalError):  # it waited as long as a program does, and is refused
            Person.objects.update(name=f"Olga {len(waits)}")
        waits.append(time.perf_counter() - start)
        time.sleep(PAUSE)
    ends.send(waits)


def make_admin() -> None:
    from tests.annotation.factories import admin

    admin()


def parse(path: Path) -> None:
    assert sum(1 for _ in ElementTree.iterparse(path))


def open_pages(path: Path) -> None:
    run("fetch_tagged_pages", "--xml", str(path))
    run("open_campaign", "Bench", "--collection", COLLECTION, "--by", "olga", "--seed", "1")


def import_records(path: Path) -> None:
    run("import_dataset", "wikicontradict", str(path), "--collection", COLLECTION)


def run(*arguments: str) -> None:
    from django.core.management import call_command

    call_command(*arguments, stdout=io.StringIO())


TABLES = ("datasets_contradiction", "datasets_instance")
insertions: list[tuple[str, list[tuple]]] = []


def rows_to_insert() -> None:
    """Read what the import wrote, and make an empty table like each of its own."""
    from django.db import connection

    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"SELECT * FROM {table}")
            rows = cursor.fetchall()
            cursor.execute(f"CREATE TEMPORARY TABLE {table}_2 AS SELECT * FROM {table} WHERE 1 = 0")
            marks = ", ".join(["%s"] * len(rows[0]))
            insertions.append((f"INSERT INTO {table}_2 VALUES ({marks})", rows))


def insert_again() -> None:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        for statement, rows in insertions:
            cursor.executemany(statement, rows)


# ---------------------------------------------------------------- exports


def make_study(responses: int) -> None:
    world.judged(world.answered(responses))


def publish_all() -> None:
    """Make each tag's annotation, as published as the collection's record at its place."""
    from django.db.models.functions import Now

    from annotation.fields.entries import columns_of
    from annotation.models import Annotation, Assignment, Question
    from datasets.models import Contradiction
    from tests.annotation.factories import annotator

    entered, author = content.entries(), annotator()
    Assignment.objects.update(person=author, state="submitted")
    records = Contradiction.objects.filter(collection__name=COLLECTION)
    annotations = Annotation.objects.bulk_create(
        Annotation(
            assignment=place,
            first_assignment=place,
            sighting_id=place.sighting_id,
            author=author,
            state="published",
            contradiction=record,
            first_entries=entered,
            first_submitted_at=Now(),
            submitted_at=Now(),
            **columns_of(entered, []),
        )
        for place, record in zip(Assignment.objects.all(), records, strict=True)
    )
    Question.objects.bulk_create(
        Question(annotation=annotation, n=n, **question)
        for annotation in annotations
        for n, question in enumerate(entered["questions"], 1)
    )


def download(address: str) -> None:
    """Take the file as the admin does; each kind of row has one of them only, so its number is 1."""
    from django.test import Client

    from accounts.models import Person

    client = Client(SERVER_NAME="localhost")
    client.force_login(Person.objects.get(username="olga"))
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    assert sum(map(len, answer.streaming_content if answer.streaming else [answer.content])) > 500


def annotations():
    from annotation.models import Annotation

    return Annotation.objects.values()


def records():
    from datasets.models import Contradiction

    return Contradiction.objects.filter(collection__name=COLLECTION).values()


def verdicts():
    from judging.models import Judgment

    item = "slot__item__response"
    return Judgment.objects.values(
        "slot__judge__pseudonym", f"{item}__prompt", f"{item}__model__model_id", "verdict"
    )


def dump(rows: Callable) -> None:
    assert json.dumps(list(rows()), default=str)


FILES = {
    "all annotations of a campaign": ("/campaigns/1/export/annotations.jsonl", annotations),
    "published records of a campaign": ("/campaigns/1/export/records.json", records),
    "a collection as JSON": (f"/collections/{COLLECTION}/export/wikicontradict-json/", records),
    "a collection as CSV": (f"/collections/{COLLECTION}/export/wikicontradict-csv/", records),
    "a study's zip": ("/reports/1/report.zip", verdicts),
}


if __name__ == "__main__":
    main()
