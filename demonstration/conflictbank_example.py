"""The example of ConflictBank: twelve invented records, in a collection of their own.

It is loaded on request alone, and next to whatever there is; remove_demonstration removes it.
"""

from pathlib import Path

from django.db import transaction

from datasets import subsets
from datasets.drawing import ALL, SubsetPlan
from datasets.importers.formats import format_for
from datasets.importers.import_files import import_file
from datasets.models import Collection
from datasets.subsets import Query
from leases.refusal import Conflict
from protocols.installed import install
from protocols.shipped import file_of

RECORDS = Path(__file__).parent / "conflictbank" / "records.jsonl"
NAME, PROTOCOL = "conflictbank-example", "conflictbank"
SUBSET, DRAWN = "For the check by people", 6


@transaction.atomic
def load() -> tuple[Collection, bool]:
    """The collection, and whether it was made now. Raises Conflict where its name is taken."""
    if held := Collection.objects.filter(name=NAME).first():
        if not held.is_demonstration:
            raise Conflict(f"There is a collection {NAME!r} that is no example. Rename it first.")
        return held, False
    install(file_of(PROTOCOL), f"{PROTOCOL}.toml")
    importer, protocol = format_for(PROTOCOL, NAME)
    source = f"demonstration/conflictbank/{RECORDS.name}"
    with RECORDS.open("rb") as file:
        made = import_file(
            importer=importer, protocol=protocol, file=file, collection_name=NAME, source=source
        ).collection
    made.title = "ConflictBank in small: invented records"
    made.description = (
        "Twelve records on eight subjects, none of which exists. The evidence was written for this project, not by the "
        "author whom the protocol names."
    )
    made.licence = "Apache-2.0"
    made.is_demonstration = True
    made.save()
    plan = SubsetPlan(seed=1, one_per_tag=False, wanted={ALL: DRAWN})
    subsets.freeze(SUBSET, made, Query(), plan, by=None)
    return made, True
