"""Examples of protocols: invented records in a collection of their own, each with a subset that is drawn.

One is loaded on request alone, and next to whatever there is; remove_demonstration removes it.
"""

from dataclasses import dataclass
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

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Example:
    """The files of records of a protocol that comes with the program, and `drawn` questions of them as a subset."""

    protocol: str
    files: tuple[str, ...]
    title: str
    description: str
    subset: str
    drawn: int

    @property
    def name(self) -> str:
        """That of its collection."""
        return f"{self.protocol}-example"

    @property
    def paths(self) -> list[Path]:
        return [FOLDER / self.protocol / name for name in self.files]


CONFLICTBANK = Example(
    protocol="conflictbank",
    files=("records.jsonl",),
    title="ConflictBank in small: invented records",
    description="Twelve records on eight subjects, none of which exists. The evidence was written for this project, "
    "not by the author whom the protocol names.",
    subset="For the check by people",
    drawn=6,
)
KNOT = Example(
    protocol="knot",
    files=tuple(
        f"knot_with_{level}_questions.json" for level in ("simple", "explicit", "implicit")
    ),
    title="KNOT in small: invented records",
    description="Eight questions of three levels about three subjects, none of which exists. What is memorised of them "
    "is invented too, so no model can know it. All was written for this project, not by the author whom the protocol "
    "names.",
    subset="For the marking by people",
    drawn=4,
)
HYPOTHETICALS = Example(
    protocol="hypotheticals",
    files=("records.jsonl",),
    title="Hypothetical statements in small",
    description="Three bases in all conditions and forms, and the supported statement of a fourth. All was written for "
    "this project.",
    subset="For a first look",
    drawn=18,
)
EXAMPLES = {example.protocol: example for example in (CONFLICTBANK, KNOT, HYPOTHETICALS)}


@transaction.atomic
def load(example: Example) -> tuple[Collection, bool]:
    """The collection, and whether it was made now. Raises Conflict where its name is taken."""
    if held := Collection.objects.filter(name=example.name).first():
        if not held.is_demonstration:
            raise Conflict(
                f"There is a collection {held.name!r} that is no example. Rename it first."
            )
        return held, False
    install(file_of(example.protocol), f"{example.protocol}.toml")
    made = [_imported(example, path) for path in example.paths][-1]
    made.title, made.description = example.title, example.description
    made.source = f"demonstration/{example.protocol}/"
    made.licence = "Apache-2.0"
    made.is_demonstration = True
    made.save()
    plan = SubsetPlan(seed=1, one_per_tag=False, wanted={ALL: example.drawn})
    subsets.freeze(example.subset, made, Query(), plan, by=None)
    return made, True


def _imported(example: Example, path: Path) -> Collection:
    importer, protocol = format_for(example.protocol, example.name, file_name=path.name)
    with path.open("rb") as file:
        return import_file(
            importer=importer, protocol=protocol, file=file, collection_name=example.name
        ).collection


def said(collection: Collection, example: Example, is_new: bool) -> str:
    """What a command says of it."""
    return (
        f"{'Loaded' if is_new else 'Loaded before'}: {collection.contradictions.count()} records in the collection "
        f"{collection.name}, and its subset “{example.subset}”."
    )
