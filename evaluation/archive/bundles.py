"""A report as a file: JSON with its hash, and a zip with its rows and a script that recomputes its numbers. Pure.

The zip has no text that anybody wrote and no name: judges are named by their pseudonyms.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, cast

from datasets.readers.json_text import Unreadable, decode
from evaluation import statistics
from evaluation.archive import recompute, recompute_scores
from evaluation.archive.recompute import HASH, body_hash
from evaluation.shapes.study_report import FORMAT, Report, SnapshotStamp
from leases.refusal import Refusal

ZIP_FORMAT = 3
REPORT, ROWS, MANIFEST, README = ("report.json", "rows.jsonl", "manifest.json", "README.txt")
# The script and its formulas by their names in the zip, where `statistics` would be Python's own module.
FORMULAS = "sic_et_non_statistics"
_FORMULAS = sorted(Path(statistics.__file__).parent.glob("*.py"))
# What only a report with scores needs: all other zips are as they were before there were any.
OF_SCORES = ("correlation.py", "measures.py", "score_tables.py", "sliced.py", "validation.py")
SCRIPTS = {
    "recompute.py": Path(recompute.__file__),
    **{f"{FORMULAS}/{file.name}": file for file in _FORMULAS if file.name not in OF_SCORES},
}
SCORE_SCRIPTS = {
    "recompute_scores.py": Path(recompute_scores.__file__),
    **{f"{FORMULAS}/{file.name}": file for file in _FORMULAS if file.name in OF_SCORES},
}
PROTOCOL = "protocol.toml"
NAMES = (REPORT, ROWS, MANIFEST, *SCRIPTS, README)
MOST_BYTES = 50 * 2**20
# A zip has no time of its own: the same report gives the same bytes.
NO_TIME = (1980, 1, 1, 0, 0, 0)
# What zipfile raises for a zip that is cut off, changed, encrypted, or packed in a way it does not know.
UNZIPPING = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
ABOUT = """\
{name}

report.json   the numbers, as the program gave them
rows.jsonl    the rows they were computed from, a JSON list a line; manifest.json names the columns
manifest.json the hashes of the files, and by which names the report calls the models
recompute.py  counts the rows anew, computes the report's numbers, and says what differs and what it did not check:
              python recompute.py  (needs Python 3.11 or later, and numpy)
sic_et_non_statistics
              the program's formulas, which recompute.py uses for intervals, p-values and coefficients

The sha256 of rows.jsonl is the hash that the report names. On an installation of the program,
manage.py verify_report FILE checks this zip as a whole.
"""
ABOUT_PROTOCOL = """
protocol.toml the protocol that declares records, prompts, scorers, measures and tables; the report names its sha256
"""
ABOUT_SCORES = """\
recompute_scores.py
              counts the scores anew for recompute.py, from labels: rows.jsonl has no text of a response
"""


class FileSize(TypedDict):
    """A file of the zip: its hash (hex) and how many bytes it has."""

    sha256: str
    size: int


class NamedModel(TypedDict):
    """A model as the rows name it, and the name that the report gives it."""

    service: str
    model: str
    options: str
    name: str


class RowsLegend(TypedDict):
    """How to read the rows: their format, the columns of each kind of row, and the models."""

    rows_format: int
    columns: dict[str, list[str]]
    models: list[NamedModel]


class Manifest(RowsLegend):
    """What the zip says of its files."""

    format: int
    files: dict[str, FileSize]


@dataclass(frozen=True)
class ReportBundle:
    """What a zip holds, read and bounded: a report of FORMAT, its parts not yet checked.

    A lone report has no `manifest` and no rows.
    """

    report: Report
    manifest: Manifest | None
    rows: bytes


# ---------------------------------------------------------------- the report


def is_read(body: Mapping[str, object]) -> bool:
    """Whether this version reads reports in the format of this one."""
    return body.get("format") == FORMAT


def require_read(body: Mapping[str, object]) -> None:
    """Raises Refusal for a report in a format that this version does not read."""
    if not is_read(body):
        raise Refusal(
            f"This report has the format {body.get('format')}, and this version of the program reads format {FORMAT} "
            "only. The report's file is as it was frozen. The version that made it checks it, and draws its tables "
            "and charts."
        )


def sealed(body: Report) -> Report:
    """The report with the hash of itself."""
    snapshot: SnapshotStamp = {**body["snapshot"], HASH: body_hash(body)}
    return {**body, "snapshot": snapshot}


def text_of(body: Report) -> str:
    """The report as it is served and kept: readable JSON."""
    return json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


# ---------------------------------------------------------------- writing the zip


def _scripts_of(report: Mapping[str, object]) -> dict[str, Path]:
    return {**SCRIPTS, **SCORE_SCRIPTS} if "scores" in report else SCRIPTS


def names_of(report: Mapping[str, object]) -> tuple[str, ...]:
    """The files of a report's zip, in their order."""
    protocol = (PROTOCOL,) if "protocol" in report else ()
    return (REPORT, ROWS, MANIFEST, *protocol, *_scripts_of(report), README)


def write(
    report_text: str, lines: Iterable[bytes], rows_of: RowsLegend, protocol: str = ""
) -> bytes:
    """The zip of a report (as `text_of` writes it), of its rows, and of the text of its protocol if it names one."""
    report = json.loads(report_text)
    about = ABOUT.format(name=report["study"]["name"])
    about += ABOUT_PROTOCOL * ("protocol" in report) + ABOUT_SCORES * ("scores" in report)
    files = {
        REPORT: report_text.encode("utf-8"),
        ROWS: b"".join(lines),
        PROTOCOL: protocol.encode("utf-8"),
        **_script(report),
        README: about.encode("utf-8"),
    }
    files = {name: files[name] for name in names_of(report) if name != MANIFEST}
    manifest: Manifest = {
        "format": ZIP_FORMAT,
        **rows_of,
        "files": {name: _described(content) for name, content in files.items()},
    }
    files[MANIFEST] = json.dumps(manifest, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in names_of(report):
            zipped.writestr(_entry(name), files[name])
    return buffer.getvalue()


def has_own_script(bundle: ReportBundle) -> bool:
    """Whether a zip that was read holds this version's scripts; another one may do anything."""
    kept = bundle.manifest["files"] if bundle.manifest else {}
    scripts = _script(cast(Mapping[str, object], bundle.report))
    return all(kept.get(name) == _described(content) for name, content in scripts.items())


def _script(report: Mapping[str, object]) -> dict[str, bytes]:
    return {name: file.read_bytes() for name, file in _scripts_of(report).items()}


def _described(content: bytes) -> FileSize:
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, NO_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


# ---------------------------------------------------------------- reading a file


def read_bundle(data: bytes) -> ReportBundle:
    """A zip that `write` made, or the JSON of a report. Raises Refusal with what is wrong with the file."""
    if len(data) > MOST_BYTES:
        raise Unreadable(f"The file is larger than {MOST_BYTES // 2**20} MB: no report is.")
    if not data.startswith(b"PK"):
        return ReportBundle(_report(data, "The file"), None, b"")
    files = _files(data)
    return ReportBundle(_report(files[REPORT], REPORT), _manifest(files), files[ROWS])


def _files(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            names = [entry.filename for entry in zipped.infolist()]
            report: Mapping[str, object] = {}
            if REPORT in names:  # another version's zip holds other files
                report = cast(
                    Mapping[str, object], _report(_bounded(zipped, [REPORT])[REPORT], REPORT)
                )
            expected = names_of(report)
            _check_names(names, expected)
            return _bounded(zipped, expected)
    except UNZIPPING as error:
        raise Unreadable(f"The zip is damaged or cut off: {str(error)[:120]}.") from None


def _check_names(names: list[str], expected: Sequence[str]) -> None:
    """Raises Unreadable unless the names are those expected."""
    if strange := [name for name in names if name not in expected]:
        raise Unreadable(
            f"The zip holds {strange[0][:80]!r}, which no zip of a report does. Nothing of it was unpacked."
        )
    if missing := [name for name in expected if name not in names]:
        raise Unreadable(f"The zip lacks {', '.join(missing)}.")
    if len(names) > len(expected):
        raise Unreadable("The zip holds a file twice; which one counts is unknown.")


def _bounded(zipped: zipfile.ZipFile, names: Iterable[str]) -> dict[str, bytes]:
    """Every file, unpacked up to the bound: the sizes that a zip states prove nothing."""
    files = {}
    left = MOST_BYTES
    for name in names:
        with zipped.open(name) as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise Unreadable(
                f"Unpacked, the zip is larger than {MOST_BYTES // 2**20} MB: no report is. It was not unpacked."
            )
        files[name] = content
    return files


def _manifest(files: dict[str, bytes]) -> Manifest:
    manifest = _object(files[MANIFEST], MANIFEST)
    named = manifest.get("files")
    if manifest.get("format") != ZIP_FORMAT or not isinstance(named, dict):
        raise Unreadable(
            f"{MANIFEST} has the format {manifest.get('format')!r}; this version of the program reads {ZIP_FORMAT}."
        )
    kept = {name: _described(content) for name, content in files.items() if name != MANIFEST}
    if wrong := [name for name in kept if named.get(name) != kept[name]]:
        raise Unreadable(
            f"{' and '.join(wrong)} differ from the hashes in {MANIFEST}: the zip was changed after it was made."
        )
    return cast(Manifest, manifest)


def _report(content: bytes, name: str) -> Report:
    report = _object(content, name)
    require_read(report)
    return cast(Report, report)


def _object(content: bytes, name: str) -> dict[str, object]:
    try:
        value = decode(content)
    except Unreadable as refused:
        raise Unreadable(f"{name}: {refused}") from None
    if not isinstance(value, dict):
        raise Unreadable(f"{name} holds no report: a report is a JSON object.")
    return value
