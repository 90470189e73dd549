"""CPU and memory of imports and of files, next to the least they could take, on SQLite and on PostgreSQL.

Of 1,200 tags that two people each annotated, half of them published, and a study of 1,200 responses. Imports go by
their commands, files come from their pages, each in a process of its own; a file is taken twice and the second time
counts. The least is: for pages, a parse of the XML; for records, one executemany of their rows; for the same records as
tasks of Label Studio, their import as records; for a file, json.dumps of the rows of one query. PostgreSQL's own CPU is
not counted.
"""

import argparse
import io
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from bench import content, world
from bench.machine import apart, arguments, measured, on_each, print_next_to

COLLECTION = "bench"


def main() -> None:
    on_each(measure, arguments("exporting", __doc__, records=1_200))


def measure(options: argparse.Namespace) -> None:
    import config.urls  # noqa: F401 with every view, as a server has them

    n, folder = options.records, Path(os.environ["DATA_DIR"])
    pages, records = folder / "pages.xml", folder / "records.json"
    content.write_pages(pages, n)
    records.write_text(json.dumps(content.records(n)), encoding="utf-8")
    tasks = folder / "tasks.json"
    tasks.write_text(json.dumps(content.label_studio_tasks(n)), encoding="utf-8")
    apart(make_admin)
    opened = measured(partial(open_pages, pages))
    print_next_to(measured(partial(parse, pages)), f"{n} pages of XML, campaign opened", opened)
    imported = measured(partial(import_records, records))
    least = measured(insert_again, prepare=rows_to_insert)
    print_next_to(least, f"import of {n} annotated", imported)
    print_next_to(imported, f"of {n} Label Studio tasks", measured(partial(import_tasks, tasks)))
    keys = apart(world.first_part, pages, n, n, n)
    for name, (address, rows) in FILES.items():
        take = partial(download, address.format(**keys))
        taken = measured(take, prepare=take)
        print_next_to(measured(partial(dump, rows), prepare=partial(dump, rows)), name, taken)


# ---------------------------------------------------------------- imports


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


def import_tasks(path: Path) -> None:
    run("import_dataset", "label-studio", str(path), "--collection", "tasks")


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


def download(address: str) -> None:
    """Take the file as the admin does."""
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
    "all annotations of a campaign": (
        "/campaigns/{campaign}/export/annotations.jsonl",
        annotations,
    ),
    "published records of a campaign": ("/campaigns/{campaign}/export/records.json", records),
    "a collection as JSON": (f"/collections/{COLLECTION}/export/wikicontradict-json/", records),
    "a collection as CSV": (f"/collections/{COLLECTION}/export/wikicontradict-csv/", records),
    "a study's zip": ("/reports/{study}/report.zip", verdicts),
}


if __name__ == "__main__":
    main()
