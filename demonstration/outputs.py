"""The results in the demonstration set: a release, a frozen report, and an imported file.

The imported file (imported.json) has the form of the published dataset, with deviations from the
annotation form like those of that dataset, to fill the page of deviations.
"""

from pathlib import Path

from accounts.models import Person
from datasets import releases
from datasets.importers import IMPORTERS
from datasets.importing import import_file
from datasets.models import Collection, Release
from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot
from judging.models import Study

RECORDS = Path(__file__).parent / "imported.json"
IMPORTED = "demonstration-import"


def release(collection: Collection, *, by: Person) -> Release:
    return releases.freeze(
        collection=collection, version="1.0", notes="What the campaign had published first.", by=by
    )


def import_records(*, by: Person) -> Collection:
    """A separate collection from the file, whose records each have a deviation."""
    with RECORDS.open("rb") as file:
        report = import_file(
            importer=IMPORTERS["wikicontradict"],
            file=file,
            collection_name=IMPORTED,
            source=f"demonstration/{RECORDS.name}",
            by=by,
        )
    collection = report.collection
    collection.title = "Demonstration set: an imported file"
    collection.description = (
        "A few records in the form of the published dataset, with slips as such files have them."
    )
    collection.licence = "Apache-2.0"
    collection.is_demonstration = True
    collection.save()
    return collection


def freeze_report(study: Study, *, by: Person) -> ReportSnapshot:
    snapshot, _ = snapshots.freeze(study, by=by, note="When the study was closed")
    return snapshot
