"""Time and memory of checking and importing a large file, next to json.loads of each of its records.

A file of records that a protocol declares, of ConflictBank's shape (13 kB each), and one of WikiContradict's go through
an import job each. First a tenth of the records and then all: the memory is that by which the process grew at its peak,
and shows that it hardly grows with the file.
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.common import apart, measured, paragraphs, print_next_to, prose, run

SIZE, PASSAGE = 12_000, 400  # characters of a record's long texts, and of a passage
FEW = 100  # long texts, over and over


def main() -> None:
    run("imports", __doc__, measure, records=20_000)


def measure(options: argparse.Namespace, folder: Path) -> None:
    for n in (max(1, options.records // 10), options.records):
        lines, array = folder / "lines.jsonl", folder / "array.json"
        lines.write_text("\n".join(map(written, declared(n))), encoding="utf-8")
        array.write_text(f"[{','.join(map(written, records(n)))}]", encoding="utf-8")
        for format, path, shape in (
            ("conflictbank", lines, declared),
            ("wikicontradict", array, records),
        ):
            least, job = measured(loads, [*map(written, shape(n))]), apart(send, path, format, n)
            for step in ("checked", "imported"):
                print_next_to(least, f"{n} of {format} {step}", measured(carry_out, job, step))


def written(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


def loads(texts: list[str]) -> None:
    for text in texts:
        assert json.loads(text)


def send(path: Path, format: str, n: int) -> int:
    """The import job of the file."""
    from django.core.files.base import File

    from accounts.models import Person
    from datasets.importers import import_jobs
    from datasets.importers.record_imports import RecordImports
    from tests.annotation.factories import admin
    from tests.conflictbank import protocol

    protocol()
    RecordImports.most_bytes = path.stat().st_size
    by = Person.objects.first() or admin()
    asked = {"collection_name": f"{format}-{n}", "format": format, "is_confirmed": False, "by": by}
    with path.open("rb") as file:
        return import_jobs.begin(file=File(file), **asked).pk


def carry_out(key: int, step: str) -> None:
    """As a worker does."""
    from datasets.importers import import_jobs
    from datasets.models import ImportJob

    if step == "imported":
        import_jobs.confirm(ImportJob.objects.get(pk=key))
    import_jobs.carry_out(key)
    job = ImportJob.objects.get(pk=key)
    assert job.state == ("checked" if step == "checked" else "done"), job.error


def declared(n: int) -> Iterator[dict[str, Any]]:
    """Invented records of ConflictBank's shape; no two are equal."""
    from tests.conflictbank import record

    drawn, passages = random.Random(5), [name for name in record() if "_evidence" in name]
    passages = [name for name in passages if not name.endswith("category")]
    texts = [prose(drawn, SIZE // len(passages)) for _ in range(FEW)]
    for number in range(1, n + 1):
        yield record(number, **{name: f"{drawn.choice(texts)} {number}" for name in passages})


def records(n: int) -> Iterator[dict[str, Any]]:
    """Annotated records of WikiContradict's published form, one a title."""
    from tests.datasets.factories import annotation, record

    drawn = random.Random(4)
    keys = [f"paragraph{side}_information{form}" for side in "AB" for form in ("", "_standalone")]
    for title, paragraph in paragraphs(n):
        texts = {key: f"{prose(drawn, PASSAGE)}." for key in keys}
        yield record(title=title, paragraph_A_clean=paragraph, given=annotation(**texts))


if __name__ == "__main__":
    main()
