"""The bundle of a release or a subset, written from its rows and its other files, a batch in memory at a time."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from itertools import islice
from typing import Any

from datasets.exporters import Exporter, exporters_of
from datasets.exporters.complete_json import CompleteJson
from datasets.models import Collection, Release, ReleaseFile
from datasets.releasing.bundle.asked import (
    Asked,
    BundledPrompt,
    Harness,
    harnesses_of,
    prompt_lines,
    prompts_of,
)
from datasets.releasing.bundle.card import citation, readme
from datasets.releasing.bundle.counted import Annotated, Tally
from datasets.releasing.bundle.croissant import croissant
from datasets.releasing.bundle.datasheet import datasheet
from datasets.releasing.bundle.facts import DataFile, Facts
from datasets.releasing.bundle.fields import LineFile, Lines, fields_of
from datasets.releasing.bundle.licence_texts import licences
from datasets.releasing.bundle.licences import HEADER, attributions
from datasets.releasing.bundle.schemas import schema
from datasets.releasing.bundle.zipping import Zip, zip_into
from datasets.releasing.citing import bibtex, plain, source_of, title_of
from datasets.releasing.stored_files import StoredFile, folder, opened, store
from datasets.releasing.wiki_licences import licences_of_wikis
from datasets.streaming import StreamedRow
from leases.extension import ExtensionPoint
from pages.data_responses import csv_lines

Rows = Callable[[], Iterator[StreamedRow]]
# Who annotated these records of the collection.
annotated_records: ExtensionPoint[[Collection, AbstractSet[int]], Annotated] = ExtensionPoint(
    "datasets.releasing.bundle.writing.annotated_records"
)
_PIECE = 2**20
_LINES = "application/jsonlines"


class Bundle:
    """The bundle as one of the files of a release."""

    name = "bundle"
    label = "All files in one bundle (zip)"
    suffix = ".zip"
    holds = (
        "Records, questions and prompts as JSON Lines and in the other formats below, with a card, a datasheet, "
        "licences, the source of each passage, schemas, and the hash of each file. It is not compressed, so that its "
        "bytes are the same each time."
    )
    leaves_out = "excluded questions, revised passages, and earlier versions."
    loads = (
        'with zipfile.ZipFile("{name}") as bundle, bundle.open("data/questions.jsonl") as lines:\n'
        "    questions = [json.loads(line) for line in lines]"
    )
    content_type = "application/zip"


@dataclass(frozen=True)
class FormatFile:
    """A file in one of the collection's formats; `chunks` gives its bytes anew each time."""

    exporter: Exporter
    name: str
    chunks: Callable[[], Iterator[bytes]]


def readings(collection: Collection) -> int:
    """How often the rows are read for a bundle."""
    declaration = collection.declaration if collection.is_declared else None
    return 1 + bool(prompts_of(declaration)) + (declaration is None)


def stored_bundle(
    release: Release, rows: Rows, files: Sequence[ReleaseFile], left_out: int
) -> StoredFile:
    """Write the bundle of a release, which may not be saved yet, and store it. Raises ExportFailed.

    rows: gives its rows anew each time. files: its other files, stored. left_out: how many questions are.
    """
    known = exporters_of(release.collection)
    formats = [
        FormatFile(known[file.format], file.name, partial(_stored_bytes, file)) for file in files
    ]
    return store(_pieces(lambda zipped: write_bundle(zipped, release, rows, formats, left_out)))


def _stored_bytes(file: ReleaseFile) -> Iterator[bytes]:
    with opened(file) as stored:
        while piece := stored.read(_PIECE):
            yield piece


def _pieces(write: Callable[[Zip], None]) -> Iterator[bytes]:
    # A zip goes back to the head of each entry, so it is whole before it is stored under its hash.
    with tempfile.TemporaryFile(dir=folder()) as file:
        with zip_into(file) as zipped:
            write(zipped)
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def write_bundle(
    zipped: Zip,
    release: Release,
    rows: Rows,
    formats: Sequence[FormatFile],
    left_out: int,
    subset: str = "",
) -> None:
    """Write the bundle; `subset` is the name of the subset that it has in place of the whole release."""
    collection = release.collection
    declaration = collection.declaration if collection.is_declared else None
    prompts, runners = prompts_of(declaration), harnesses_of(declaration)
    lines = fields_of(declaration, collection.canary, has_prompts=bool(prompts))
    tally = Tally()
    data = list(_data(zipped, rows, formats, lines, prompts, tally))
    wikis: dict[str, str] = {}
    if declaration is None:
        said = licences_of_wikis()
        found = (
            tally.seen(line) for row in rows() for line in attributions(row.columns, said, wikis)
        )
        zipped.add("attribution.csv", (text.encode("utf-8") for text in csv_lines(HEADER, found)))
    facts = _facts(release, lines, tally, left_out, subset, wikis, runners)
    texts = {
        "README.md": readme(facts, data),
        "CITATION.cff": citation(facts),
        "DATASHEET.md": datasheet(facts),
        "LICENSES.md": licences(facts),
    }
    documents = {
        **{path: text.encode("utf-8") for path, text in texts.items()},
        "croissant.json": croissant(facts, data),
        **{
            f"schema/{of.name}.json": schema(f"A line of {of.name}.jsonl", of.fields)
            for of in lines.files
        },
        **{path: text for runner in runners for path, text in runner.files.items()},
    }
    for path, content in documents.items():
        zipped.add(path, [content])


def _data(
    zipped: Zip,
    rows: Rows,
    formats: Sequence[FormatFile],
    lines: Lines,
    prompts: Sequence[BundledPrompt],
    tally: Tally,
) -> Iterator[DataFile]:
    """Add the files below data/; `tally` counts what is in them."""
    [complete] = [of for of in formats if of.exporter.name == CompleteJson.name]

    def added(of: LineFile, chunks: Iterator[bytes]) -> DataFile:
        return DataFile(of.path, f"{of.name}.jsonl", of.holds, _LINES, *zipped.add(of.path, chunks))

    yield added(lines.records, _record_lines(complete, lines))
    yield added(lines.questions, _question_lines(rows, lines.questions, tally))
    if lines.prompts:
        yield added(lines.prompts, _prompt_lines(_asked(rows, Tally()), lines.prompts, prompts))
    for of in formats:
        if of is not complete:
            path, exporter = f"data/{of.name}", of.exporter
            size, sha256 = zipped.add(path, of.chunks())
            yield DataFile(
                path, exporter.label, exporter.holds, exporter.content_type, size, sha256
            )


def _record_lines(complete: FormatFile, lines: Lines) -> Iterator[bytes]:
    """The records of the complete form, which has one on each line after its head."""
    for line in islice(_lines_in(complete.chunks()), 1, None):
        text = line.strip().removesuffix(b",")
        if not text.startswith(b"{"):
            continue
        if lines.added:
            entry = json.loads(text) | lines.added
            text = json.dumps(entry, ensure_ascii=False).encode("utf-8")
        yield text + b"\n"


def _lines_in(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    yield rest


def _asked(rows: Rows, tally: Tally) -> Iterator[Asked]:
    """Each question with its number in the file."""
    for row in rows():
        tally.count_record(row.columns, is_asked=bool(row.questions))
        for slot in row.questions:
            tally.questions += 1
            yield Asked(tally.questions, row.columns, slot)


def _question_lines(rows: Rows, of: LineFile, tally: Tally) -> Iterator[bytes]:
    for asked in _asked(rows, tally):
        line = of.line(asked)
        tally.count_question(asked, of, line)
        yield _json_line(line)


def _prompt_lines(
    asked: Iterator[Asked], of: LineFile, prompts: Sequence[BundledPrompt]
) -> Iterator[bytes]:
    for question in asked:
        for line in prompt_lines(question, prompts):
            yield _json_line(of.line(line))


def _json_line(line: dict[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode("utf-8") + b"\n"


def _facts(
    release: Release,
    lines: Lines,
    tally: Tally,
    left_out: int,
    subset: str,
    wikis: Mapping[str, str],
    runners: Sequence[Harness],
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
        citation=plain(release, ""),
        bibtex=bibtex(release, ""),
        source=source_of(release),
        protocol=str(declaration or ""),
        protocol_licence=declaration.licence if declaration else "",
        protocol_source=declaration.source if declaration else "",
        canary=collection.canary if declaration else "",
        lines=lines,
        counted=tally,
        annotated=_annotated(collection, tally),
        left_out=left_out,
        wikis=wikis,
        subset=subset,
        harnesses=runners,
    )


def _annotated(collection: Collection, tally: Tally) -> Annotated:
    return next(iter(annotated_records(collection, tally.keys)), Annotated())
