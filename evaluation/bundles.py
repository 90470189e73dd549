"""The zip of a report: its rows, its numbers, and a script that computes these from those. Pure.

It holds no text that anybody wrote and no name: judges stand under their pseudonyms.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.importers.json_text import Unreadable, decode
from evaluation import recompute

FORMAT = 1
REPORT, ROWS, MANIFEST, SCRIPT, README = (
    "report.json",
    "rows.jsonl",
    "manifest.json",
    "recompute.py",
    "README.txt",
)
NAMES = (REPORT, ROWS, MANIFEST, SCRIPT, README)
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
recompute.py  computes every number from the rows anew:  python recompute.py  (needs numpy)

The sha256 of rows.jsonl is the hash that the report names. On an installation of the program,
manage.py verify_report FILE checks this zip as a whole.
"""


@dataclass(frozen=True)
class Bundle:
    """What a zip holds, read and bounded, not yet checked. `manifest` and `rows` are empty for a lone report."""

    report: dict[str, Any]
    manifest: dict[str, Any]
    rows: bytes


def write(
    report_text: str,
    lines: Iterable[bytes],
    columns: Mapping[str, Sequence[str]],
    models: list[dict[str, str]],
) -> bytes:
    """The zip. `columns` are those of people's and of machines' rows, as the manifest names them; `models` say by
    service, model and options' hash which name the report gives them.
    """
    report = json.loads(report_text)
    files = {
        REPORT: report_text.encode("utf-8"),
        ROWS: b"".join(lines),
        SCRIPT: _script(),
        README: ABOUT.format(name=report["study"]["name"]).encode("utf-8"),
    }
    manifest = {
        "format": FORMAT,
        **{name: list(given) for name, given in columns.items()},
        "models": models,
        "files": {name: _described(content) for name, content in files.items()},
    }
    files[MANIFEST] = json.dumps(manifest, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in NAMES:
            zipped.writestr(_entry(name), files[name])
    return buffer.getvalue()


def has_own_script(manifest: dict[str, Any]) -> bool:
    """Whether a zip that was read holds this version's script: another version's may be as good, or do anything."""
    found: bool = manifest["files"][SCRIPT] == _described(_script())
    return found


def _script() -> bytes:
    return Path(recompute.__file__).read_bytes()


def _described(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, NO_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


# ---------------------------------------------------------------- reading


def read(data: bytes) -> Bundle:
    """A zip that `write` made, or the JSON of a report. Raises Unreadable with what is wrong with the file."""
    if len(data) > MOST_BYTES:
        raise Unreadable(f"The file is larger than {MOST_BYTES // 2**20} MB: no report is.")
    if not data.startswith(b"PK"):
        return Bundle(_object(data, "The file"), {}, b"")
    files = _files(data)
    return Bundle(_object(files[REPORT], REPORT), _manifest(files), files[ROWS])


def _files(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            _check_names([entry.filename for entry in zipped.infolist()])
            return _bounded(zipped)
    except UNZIPPING as error:
        raise Unreadable(f"The zip is damaged or cut off: {str(error)[:120]}.") from None


def _check_names(found: list[str]) -> None:
    if strange := [name for name in found if name not in NAMES]:
        raise Unreadable(
            f"The zip holds {strange[0][:80]!r}, which no zip of a report does. Nothing of it was unpacked."
        )
    if missing := [name for name in NAMES if name not in found]:
        raise Unreadable(f"The zip lacks {', '.join(missing)}.")
    if len(found) > len(NAMES):
        raise Unreadable("The zip holds a file twice; which one counts cannot be told.")


def _bounded(zipped: zipfile.ZipFile) -> dict[str, bytes]:
    """Every file, unpacked up to the bound: what a zip says of its sizes is not to be believed."""
    files = {}
    left = MOST_BYTES
    for name in NAMES:
        with zipped.open(name) as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise Unreadable(
                f"Unpacked, the zip is larger than {MOST_BYTES // 2**20} MB: no report is. It was not unpacked."
            )
        files[name] = content
    return files


def _manifest(files: dict[str, bytes]) -> dict[str, Any]:
    manifest = _object(files[MANIFEST], MANIFEST)
    if manifest.get("format") != FORMAT or not isinstance(manifest.get("files"), dict):
        raise Unreadable(
            f"{MANIFEST} has the format {manifest.get('format')!r}; this version of the program reads {FORMAT}."
        )
    kept = {name: _described(content) for name, content in files.items() if name != MANIFEST}
    if wrong := [name for name in kept if manifest["files"].get(name) != kept[name]]:
        raise Unreadable(
            f"{' and '.join(wrong)} differ from the hashes in {MANIFEST}: the zip was changed after it was made."
        )
    return manifest


def _object(content: bytes, name: str) -> dict[str, Any]:
    try:
        found = decode(content)
    except Unreadable as refused:
        raise Unreadable(f"{name}: {refused}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{name} holds no report: a report is a JSON object.")
    return found
