"""The results in the demonstration set: a release, a frozen report, and imported files.

One imported file (imported.json) has the form of the published dataset, with deviations from the annotation form like
those of that dataset, to fill the page of deviations. The others are records of the collection, exported and imported
again, so that each study has a collection and a run of its own: whoever judges in one can see all of the others.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from accounts.models import Person
from datasets.exporters import EXPORTERS
from datasets.exporters.export_files import spooled
from datasets.importers import IMPORTERS
from datasets.importers.import_files import import_file
from datasets.models import Collection
from datasets.records import current
from datasets.releasing import freezing
from datasets.streaming import streamed
from evaluation.frozen import snapshots
from judging.models import Study

RECORDS = Path(__file__).parent / "imported.json"
IMPORTED = "demonstration-import"


@dataclass(frozen=True)
class Copy:
    """A collection of the records on some articles. None of them has a tag that is left to annotate."""

    name: str
    title: str
    articles: tuple[str, ...]


COPIES = (
    Copy(
        "demonstration-control",
        "Demonstration set: for the control prompt",
        ("Corvay", "Ilka Marenstrand", "Orremia marlena", "Ouderby tramways", "Stonnet bowl"),
    ),
    Copy(
        "demonstration-judge",
        "Demonstration set: yours to judge",
        ("Corvay Head Lighthouse", "The Lamplighters", "Weirgate Bridge"),
    ),
)


def release(collection: Collection, *, by: Person) -> None:
    freezing.freeze(
        collection=collection, version="1.0", notes="What the campaign had published first.", by=by
    )


def import_records(*, by: Person) -> None:
    """A separate collection from the file, whose records each have a deviation."""
    title = "Demonstration set: an imported file"
    words = (
        "A few records in the form of the published dataset, with slips as such files have them."
    )
    with RECORDS.open("rb") as file:
        _import(file, IMPORTED, f"demonstration/{RECORDS.name}", title, words, by)


def import_copy(copied: Copy, collection: Collection, *, by: Person) -> None:
    """The collection's records on the articles of `copied`, exported and imported again."""
    source = f"{collection.name}, {len(copied.articles)} articles"
    words = "Records of the demonstration set, for a study of their own."
    rows = current(collection).filter(title__in=copied.articles)
    with spooled(EXPORTERS["wikicontradict-json"], streamed(rows)) as file:
        _import(cast(BinaryIO, file), copied.name, source, copied.title, words, by)


def _import(file: BinaryIO, name: str, source: str, title: str, words: str, by: Person) -> None:
    importer = IMPORTERS["wikicontradict"]
    report = import_file(importer=importer, file=file, collection_name=name, source=source, by=by)
    Collection.objects.filter(pk=report.collection.pk).update(
        title=title, description=words, licence="Apache-2.0", is_demonstration=True
    )


def freeze_report(study: Study, *, by: Person) -> None:
    snapshots.freeze(study, by=by, note="When the study was closed")
