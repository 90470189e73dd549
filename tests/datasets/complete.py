"""Complete forms: a collection with all that one can hold, its file, and files with one thing changed."""

import io
import json
from typing import Any

from datasets.exclusions import excluded_ids
from datasets.exporters import exporters_of
from datasets.importers import IMPORTERS
from datasets.importers.import_files import ImportReport, import_file
from datasets.models import Collection, Contradiction, Instance
from datasets.records import current, link_same_tag
from datasets.streaming import streamed
from tests.datasets.factories import annotation, edited, imported, record

PIECE = {
    "revid": 1_234_567_890,
    "date": "2023-06-07",
    "title": "Old Mill, Ahrfeld",
    "section": "",
    "kind": "infobox",
    "start": 12,
    "end": 30,
    "sha256": "0" * 64,
    "wikitext": [3, 80],
    "text": "It was built \u2028 in 1791. 😀",
}
OF_BLOCK = {**PIECE, "start": None, "end": None, "sha256": "", "wikitext": None}
OF_BLOCK.pop("date")
ABOUT = {
    "title": "Old mills: “a”",
    "description": "Two lines.\nOf mills.",
    "creators": [{"name": "Ash", "orcid": "0000-0002-1825-0097", "affiliation": ""}],
    "licence": "CC-BY-4.0",
    "language": "de",
    "source": "a study",
}


def full(name: str = "mills") -> Collection:
    """Three records: an edited one with everything, the other one of its tag, and an invalid tag without questions."""
    two = {f"question2{end}": "x" for end in ("", "_answer1", "_answer2")}
    invalid = {"wikitag_label_valid": "Invalid"}
    whole = [
        record(title="A", given=annotation(**two)),
        record(title="B"),
        record(title="C", given=invalid),
    ]
    collection = imported(*whole, into=name).collection
    first, second, _ = current(collection)
    newest = edited(first, valid_comment="Corrected.")
    link_same_tag(newest, second)
    Contradiction.objects.filter(pk=newest.pk).update(
        oldid=1_234_567_890,
        modality_1="infobox",
        span_1_ranges=[[0, 4], [6, 9]],
        filled=["article_1"],
        provenance={"2": [{"revision": 5, **OF_BLOCK}], "1": [{**PIECE, "revision": 5}, OF_BLOCK]},
    )
    Instance.objects.filter(contradiction=newest, n=2).update(derived_2=True)
    Collection.objects.filter(pk=collection.pk).update(**ABOUT)
    collection.refresh_from_db()
    return collection


def file_of(collection: Collection, format: str = "complete-json") -> bytes:
    rows = streamed(current(collection), without=excluded_ids(collection))
    return "".join(exporters_of(collection)[format].chunks(rows)).encode()


def files_of(collection: Collection) -> dict[str, bytes]:
    return {name: file_of(collection, name) for name in exporters_of(collection)}


def back(data: bytes, into: str = "back", **options: Any) -> ImportReport:
    """The complete form brought in as a collection."""
    return import_file(
        importer=IMPORTERS["complete-json"], file=io.BytesIO(data), collection_name=into, **options
    )


def changed(data: bytes, n: int | None = None, /, **changes: Any) -> bytes:
    """The file with these keys of its n-th record, from 0, or of its head; a change to `...` takes the key away."""
    whole = json.loads(data)
    part = whole if n is None else whole["records"][n]
    part |= changes
    for name in [name for name, value in changes.items() if value is ...]:
        del part[name]
    records = whole.pop("records")
    return json.dumps({**whole, "records": records}).encode()
