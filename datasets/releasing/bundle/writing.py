"""The bundle of a release, written from its stored files and its rows, a batch in memory at a time."""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC

from datasets.exporters import exporters_of
from datasets.exporters.complete_json import CompleteJson
from datasets.models import Release, ReleaseFile, Validity
from datasets.releasing.bundle import croissant
from datasets.releasing.bundle.card import citation, readme
from datasets.releasing.bundle.datasheet import datasheet
from datasets.releasing.bundle.facts import DataFile, Facts
from datasets.releasing.bundle.fields import Asked, Lines, fields_of
from datasets.releasing.bundle.licences import HEADER, attributions, licences
from datasets.releasing.bundle.schemas import schema
from datasets.releasing.bundle.zipping import Zip, zip_into
from datasets.releasing.citing import bibtex, plain, title_of
from datasets.releasing.stored_files import StoredFile, folder, opened, store
from datasets.releasing.wiki_licences import licences_of_wikis
from datasets.streaming import StreamedRow
from pages.data_responses import csv_lines

Rows = Callable[[], Iterator[StreamedRow]]
_PIECE = 2**20
_LINES = "application/jsonlines"
OF_RECORDS = "The complete form of each record, a line each."
OF_QUESTIONS = "A line for each question, flat and typed."


class Bundle:
    """The bundle as one of the files of a release."""

    name = "bundle"
    label = "All files in one bundle (zip)"
    suffix = ".zip"
    holds = (
        "Records and questions as JSON Lines and in the other formats below, with a card, a datasheet, licences, the "
        "source of each passage, schemas, and the hash of each file. It is not compressed, so that its bytes are the "
        "same each time."
    )
    leaves_out = "excluded questions, revised passages, and earlier versions."
    loads = (
        'with zipfile.ZipFile("{name}") as bundle, bundle.open("data/questions.jsonl") as lines:\n'
        "    questions = [json.loads(line) for line in lines]"
    )
    content_type = "application/zip"


def stored_bundle(
    release: Release, rows: Rows, files: Sequence[ReleaseFile], left_out: int
) -> StoredFile:
    """Write the bundle of a release, which may not be saved yet, and store it. Raises ExportFailed.

    rows: gives its rows anew each time. files: its other files, stored. left_out: how many questions are.
    """
    return store(_pieces(lambda zipped: _write(zipped, release, rows, files, left_out)))


def _pieces(write: Callable[[Zip], None]) -> Iterator[bytes]:
    # A zip goes back to the head of each entry, so it is whole before it is stored under its hash.
    with tempfile.TemporaryFile(dir=folder()) as file:
        with zip_into(file) as zipped:
            write(zipped)
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def _write(
    zipped: Zip,
    release: Release,
    rows: Rows,
    files: Sequence[ReleaseFile],
    left_out: int,
) -> None:
    collection = release.collection
    declaration = collection.declaration if collection.is_declared else None
    lines = fields_of(declaration, collection.canary)
    tally = Counter[str]()
    [complete] = [file for file in files if file.format == CompleteJson.name]
    made = [
        (croissant.RECORDS, OF_RECORDS, _record_lines(complete, lines)),
        (croissant.QUESTIONS, OF_QUESTIONS, _question_lines(rows(), lines, tally)),
    ]
    data = [
        DataFile(path, path.rpartition("/")[2], holds, _LINES, *zipped.add(path, chunks))
        for path, holds, chunks in made
    ]
    data += [_published(zipped, release, file) for file in files if file != complete]
    wikis: dict[str, str] = {}
    if declaration is None:
        said = licences_of_wikis()
        found = (line for row in rows() for line in attributions(row.columns, said, wikis))
        zipped.add("attribution.csv", (text.encode("utf-8") for text in csv_lines(HEADER, found)))
    facts = _facts(release, lines, tally, left_out, wikis)
    texts = {
        "README.md": readme(facts, data),
        "CITATION.cff": citation(facts),
        "DATASHEET.md": datasheet(facts),
        "LICENSES.md": licences(facts),
    }
    documents = {path: text.encode("utf-8") for path, text in texts.items()} | {
        "croissant.json": croissant.croissant(facts, data),
        "schema/records.json": schema("A line of records.jsonl", lines.records),
        "schema/questions.json": schema("A line of questions.jsonl", lines.questions),
    }
    for path, content in documents.items():
        zipped.add(path, [content])


def _record_lines(complete: ReleaseFile, lines: Lines) -> Iterator[bytes]:
    """The records of the complete form, which has one on each line after its head."""
    with opened(complete) as file:
        next(file)
        for line in file:
            text = line.strip().removesuffix(b",")
            if not text.startswith(b"{"):
                continue
            if lines.added:
                entry = json.loads(text) | lines.added
                text = json.dumps(entry, ensure_ascii=False).encode("utf-8")
            yield text + b"\n"


def _question_lines(
    rows: Iterable[StreamedRow], lines: Lines, tally: Counter[str]
) -> Iterator[bytes]:
    """A line for each question; `tally` counts records, invalid tags and questions."""
    for row in rows:
        # A record of a protocol is left out with its question.
        tally["records"] += bool(row.questions) or row.columns["fields"] is None
        tally["invalid"] += row.columns["validity"] == Validity.INVALID
        for slot in row.questions:
            tally["questions"] += 1
            line = lines.question(Asked(tally["questions"], row.columns, slot))
            yield json.dumps(line, ensure_ascii=False).encode("utf-8") + b"\n"


def _published(zipped: Zip, release: Release, file: ReleaseFile) -> DataFile:
    """A stored file as it is."""
    exporter = exporters_of(release.collection)[file.format]
    with opened(file) as stored:
        size, sha256 = zipped.add(f"data/{file.name}", iter(lambda: stored.read(_PIECE), b""))
    return DataFile(
        f"data/{file.name}", exporter.label, exporter.holds, exporter.content_type, size, sha256
    )


def _facts(
    release: Release, lines: Lines, tally: Counter[str], left_out: int, wikis: Mapping[str, str]
) -> Facts:
    collection = release.collection
    declaration = collection.declaration if collection.is_declared else None
    return Facts(
        name=collection.name,
        title=title_of(release),
        version=release.version,
        notes=release.notes,
        about=release.about,
        doi=release.doi,
        frozen=release.created_at.astimezone(UTC),
        app_version=release.app_version,
        citation=plain(release, "").rstrip(),
        bibtex=bibtex(release, ""),
        protocol=str(declaration or ""),
        protocol_licence=declaration.licence if declaration else "",
        protocol_source=declaration.source if declaration else "",
        canary=collection.canary if declaration else "",
        lines=lines,
        records=tally["records"],
        invalid=tally["invalid"],
        questions=tally["questions"],
        left_out=left_out,
        wikis=wikis,
    )
