"""Time and memory of a file of declared records, in and out, next to json.loads and json.dumps of its lines.

Of ConflictBank's shape, 12 kB each, on SQLite and on PostgreSQL, by the commands; what comes out are the same bytes. In
between the collection's pages are shown, and a run with one prompt is made. Then short records go through an import
job: they are checked, imported, undone and removed. It is done for a tenth of the records and then for all: the memory
is that by which the process grew at its peak, and shows that it does not grow with the file.
"""

import argparse
import filecmp
import json
import os
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import content
from bench.exporting import run
from bench.machine import apart, arguments, measured, on_each, print_next_to
from protocols.declaration import FieldType

PROTOCOL = "conflictbank"
SIZE = 12_000  # characters of a record
# Records kept in memory for json.dumps, over and over.
FEW = 100


def main() -> None:
    on_each(measure, arguments("declared", __doc__, records=20_000, short=100_000))


def measure(options: argparse.Namespace) -> None:
    folder = Path(os.environ["DATA_DIR"])
    apart(install_protocol)
    for n in (options.records // 10, options.records):
        given, taken = folder / "given.jsonl", folder / "taken.jsonl"
        apart(write, given, n)
        into = measured(
            partial(run, "import_dataset", PROTOCOL, str(given), "--collection", f"of-{n}")
        )
        least = measured(partial(loads, given))
        print_next_to(least, f"{n} records in", into)
        for page in ("collection", "questions", "deviations"):
            shown = measured(partial(show, page, f"of-{n}"), prepare=client)
            print_next_to(least, f"{n} records, page of the {page}", shown)
        print_next_to(least, f"{n} records, a run", measured(partial(make_run, f"of-{n}")))
        out = measured(
            partial(run, "export_dataset", f"of-{n}", "--format", "records", "--out", str(taken))
        )
        assert filecmp.cmp(given, taken, shallow=False)
        few = partial(read_few, given)
        print_next_to(measured(partial(dumps, n), prepare=few), f"{n} records out", out)
    for n in (options.short // 10, options.short):
        apart(write, given, n, 20)
        key, least = apart(send, given, f"short-{n}"), measured(partial(loads, given))
        for name, work in STEPS.items():
            print_next_to(least, f"{n} short records {name}", measured(partial(work, key)))


def install_protocol() -> None:
    from protocols.installed import install
    from protocols.shipped import file_of

    install(file_of(PROTOCOL), PROTOCOL)


# ---------------------------------------------------------------- a job


def send(path: Path, name: str) -> int:
    """The import job of the file, which is kept."""
    from django.core.files.base import File

    from accounts.models import Person
    from accounts.roles import Role
    from datasets.importers import import_jobs
    from datasets.importers.record_imports import RecordImports
    from tests.factories import person

    by = Person.objects.filter(username="olga").first() or person("olga", Role.ADMIN)
    RecordImports.most_bytes = path.stat().st_size
    with path.open("rb") as file:
        asked = {"collection_name": name, "format": PROTOCOL, "is_confirmed": False, "by": by}
        return import_jobs.begin(file=File(file), **asked).pk


def carry_out(key: int) -> None:
    from datasets.importers import import_jobs

    import_jobs.carry_out(key)


def confirmed(key: int) -> None:
    from datasets.importers import import_jobs
    from datasets.models import ImportJob

    import_jobs.confirm(ImportJob.objects.get(pk=key))
    import_jobs.carry_out(key)


def undone(key: int) -> None:
    from datasets.importers import import_jobs
    from datasets.models import ImportJob

    job = ImportJob.objects.get(pk=key)
    assert job.report["added"] == job.report["records"], job.error
    import_jobs.undo(job, job.created_by)


def removed(key: int) -> None:
    from datasets.importers.arriving import remove_abandoned

    assert remove_abandoned() == 1


STEPS = {"checked": carry_out, "imported": confirmed, "undone": undone, "removed": removed}

# ---------------------------------------------------------------- files


def records(n: int, size: int) -> Iterator[dict]:
    """Invented records with evidence of so many characters; no two are equal."""
    from demonstration.examples import CONFLICTBANK
    from protocols.models import Protocol

    drawn = random.Random(5)
    whole = json.loads(CONFLICTBANK.paths[0].read_text(encoding="utf-8").splitlines()[0])
    fields = Protocol.objects.get(name=PROTOCOL).declaration.fields.values()
    passages = [field.name for field in fields if field.type == FieldType.PASSAGE]
    each = size // len(passages)
    texts = [content.prose(drawn, each) for _ in range(FEW)]
    for number in range(n):
        long = {name: f"{drawn.choice(texts)} {number}" for name in passages}
        yield whole | long | {"subject": f"Subject {number // 3}"}


def write(path: Path, n: int, size: int = SIZE) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(
            f"{json.dumps(record, ensure_ascii=False)}\n" for record in records(n, size)
        )


def loads(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for line in file:
            assert json.loads(line)


few: list[dict] = []


def read_few(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        few.extend(json.loads(line) for line, _ in zip(file, range(FEW), strict=False))


clients: list = []


def client() -> None:
    """A browser of an administrator that has seen another page."""
    from django.test import Client

    from accounts.models import Person
    from accounts.roles import Role
    from tests.factories import person

    clients.append(Client(SERVER_NAME="127.0.0.1"))
    admin = Person.objects.filter(username="admin").first() or person("admin", Role.ADMIN)
    clients[0].force_login(admin)
    assert clients[0].get("/collections/").status_code == 200


def show(page: str, name: str) -> None:
    from django.urls import reverse

    assert clients[0].get(reverse(f"datasets:{page}", args=[name])).status_code == 200


def make_run(name: str) -> None:
    """With one prompt, which shows two passages, and one model, which is not asked."""
    from django.test import override_settings

    from datasets.records import collection_named
    from generation import protocol_prompts, registry, runs

    collection = collection_named(name)
    assert collection.protocol
    prompt = protocol_prompts.of_protocol(collection.protocol)["two-temporal"]
    entry = {"url": "http://127.0.0.1:9/v1"}
    with override_settings(INFERENCE_SERVICES={"local": entry}):
        model = registry.add("local", "none", {"temperature": 0})
        model.abilities = {"scores": "top", "alternatives": 20}
        model.save()
        runs.create(collection=collection, models=[model], prompts=[prompt])


def dumps(n: int) -> None:
    for number in range(n):
        assert json.dumps(few[number % len(few)], ensure_ascii=False)


if __name__ == "__main__":
    main()
