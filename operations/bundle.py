"""The file of a backup: a ZIP of parts with a manifest, which is written last and names every part. Pure.

A part is `rows/TABLE.jsonl`, one JSON array on each line, or `files/PATH`, a copy of PATH in DATA_DIR
(names.py). Parts of any size are written and read in pieces.
"""

import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, get_origin

from leases.refusal import Refusal
from operations.names import are_kept

FORMAT = "sic-et-non backup"
FORMAT_VERSION = 2
MANIFEST = "manifest.json"
MOST_MANIFEST = 64 * 1024**2  # bytes
# The bytes of a row: neither database holds a longer value.
MOST_LINE = 1 << 30
PIECE = 1 << 20
# Measured on rows: a third of the default level's time, for files a tenth larger.
LEVEL = 2
# What the library raises for a file that is not as it should be.
UNREADABLE = (
    *(ArithmeticError, EOFError, LookupError, OSError, RuntimeError, ValueError),
    *(struct.error, zipfile.BadZipFile, zlib.error),
)


class BadBundle(Refusal):
    """The file is no backup, is incomplete, or was changed after it was written."""


@dataclass(frozen=True)
class BundlePart:
    name: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        for field in fields(self):
            if not isinstance(getattr(self, field.name), get_origin(field.type) or field.type):  # type: ignore[arg-type]
                raise TypeError(f"{field.name} has another type")


@dataclass(frozen=True)
class RowsPart(BundlePart):
    """The rows of one table. `checksum` (checksums.py) is the same on every database.

    `last_key` is the highest key that the table has ever used.
    """

    table: str
    columns: list[str]
    rows: int
    checksum: str
    last_key: int


class Writer:
    """Writes parts, then the manifest, into a file that is open for writing."""

    def __init__(self, file: IO[bytes]) -> None:
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)

    def part(self, name: str, pieces: Iterable[bytes]) -> BundlePart:
        entry = zipfile.ZipInfo(name)  # without a time, so that equal rows make equal parts
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
        digest, size = sha256(), 0
        with self.zip.open(entry, "w", force_zip64=True) as out:
            for piece in pieces:
                out.write(piece)
                digest.update(piece)
                size += len(piece)
        return BundlePart(name, size, digest.hexdigest())

    def close(self, manifest: dict[str, Any], sign: Callable[[dict[str, Any]], str]) -> None:
        """Write the manifest with its signature, and end the file."""
        entries = {"format": FORMAT, "format_version": FORMAT_VERSION, **manifest}
        entries["signature"] = sign(entries)
        text = json.dumps(entries, indent=1, ensure_ascii=False, default=asdict)
        self.part(MANIFEST, [text.encode("utf-8")])
        self.zip.close()

    def abandon(self) -> None:
        """Close an unfinished file; otherwise the library would try to finish it later."""
        with suppress(OSError, ValueError):
            self.zip.close()


class Bundle:
    """A backup opened for reading. Raises BadBundle if the file is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if not path.exists():
                raise BadBundle(f"There is no file {path}.")
            if not path.is_file():
                raise BadBundle(f"{path} is no file. Name the file of a backup.")
            self.zip = zipfile.ZipFile(path)
            self._check_entries()
            manifest = json.loads(self.zip.read(MANIFEST))
        except OSError as error:
            raise BadBundle(f"{path} cannot be read: {error.strerror or error}.") from None
        except RuntimeError:  # encrypted, or nested too deeply
            raise BadBundle(f"{path} is no backup of Sic et Non: it cannot be read.") from None
        except UNREADABLE:
            raise BadBundle(
                f"{path} is no backup of Sic et Non, or only part of one: its end is missing. Copy it again from "
                "where it was written, or take an older one."
            ) from None
        self._read(manifest)

    def _check_entries(self) -> None:
        names = self.zip.namelist()
        if MANIFEST not in names:
            raise BadBundle(f"{self.path} is no backup of Sic et Non: it has no {MANIFEST}.")
        if self.zip.getinfo(MANIFEST).file_size > MOST_MANIFEST:
            raise BadBundle(f"{self.path} is no backup of Sic et Non: its {MANIFEST} is too large.")
        if len(set(names)) < len(names):
            raise BadBundle(f"{self.path} holds a part twice, which no backup does. Do not use it.")
        for entry in self.zip.infolist():
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise BadBundle(f"{self.path} holds links, which no backup does. Do not use it.")
            if entry.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
                raise BadBundle(
                    f"{self.path} is no backup of Sic et Non: it is compressed in another way."
                )

    def _read(self, manifest: Any) -> None:
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise BadBundle(f"{self.path} is no backup of Sic et Non.")
        if manifest.get("format_version") != FORMAT_VERSION:
            raise BadBundle(
                f"{self.path} was written by another version of Sic et Non. Restore it with that version."
            )
        try:
            self.manifest: dict[str, Any] = manifest
            self.app_version = _short(manifest["app_version"])
            self.made_at = datetime.fromisoformat(manifest["made_at"]).isoformat()
            self.migrations: dict[str, list[str]] = {
                _short(app): list(map(_short, names))
                for app, names in dict(manifest["migrations"]).items()
            }
            self.tables = [RowsPart(**part) for part in manifest["tables"]]
            self.files = [BundlePart(**part) for part in manifest["files"]]
        except (KeyError, TypeError, ValueError):
            raise BadBundle(f"The manifest of {self.path} cannot be read.") from None
        if not all(map(_is_of_a_table, self.tables)):
            raise BadBundle(f"The manifest of {self.path} names no table of ours.")
        if not all(0 <= part.last_key < 2**62 for part in self.tables):
            raise BadBundle(f"The manifest of {self.path} has keys that no table has.")
        if not are_kept([part.name for part in self.files]):
            raise BadBundle(
                f"{self.path} would write files that no backup holds, such as keys or files outside of the data "
                "folder. Do not use it."
            )

    def close(self) -> None:
        self.zip.close()

    def verify(self) -> None:
        """Read every part and compare its hash. Raises BadBundle with the first that differs."""
        expected = [part.name for part in (*self.tables, *self.files)]
        present = [name for name in self.zip.namelist() if name != MANIFEST]
        if sorted(expected) != sorted(present):
            raise BadBundle(
                f"{self.path} does not hold the parts that its manifest names. Take another."
            )
        for part in (*self.tables, *self.files):
            if self.zip.getinfo(part.name).file_size != part.bytes:
                raise self._damaged(part.name)
            for _ in self.pieces(part):
                pass

    def pieces(self, part: BundlePart) -> Iterator[bytes]:
        """The content of a part. Raises BadBundle at its end if that is not what was written."""
        digest = sha256()
        try:
            with self.zip.open(part.name) as file:
                for piece in pieces_of(file):
                    digest.update(piece)
                    yield piece
        except UNREADABLE:
            raise self._damaged(part.name) from None
        if digest.hexdigest() != part.sha256:
            raise self._damaged(part.name)

    def rows(self, part: RowsPart) -> Iterator[list[Any]]:
        """Raises BadBundle at a line that is no row."""
        try:
            with self.zip.open(part.name) as lines:
                number = 0
                while line := lines.readline(MOST_LINE + 1):
                    number += 1
                    yield self._row(line, part, number)
        except UNREADABLE:
            raise self._damaged(part.name) from None

    def _row(self, line: bytes, part: RowsPart, number: int) -> list[Any]:
        try:
            row = json.loads(line) if len(line) <= MOST_LINE else None
        except (RecursionError, ValueError):
            row = None
        if not isinstance(row, list) or len(row) != len(part.columns):
            raise BadBundle(
                f"Line {number} of {printable(part.name)} in {self.path} is no row. Take another."
            )
        return row

    def _damaged(self, name: str) -> BadBundle:
        return BadBundle(
            f"{self.path} is damaged: {printable(name)} is not as it was written. Nothing was restored; copy the "
            "file again from where it was written, or take an older one."
        )


def signed_text(manifest: Mapping[str, Any]) -> bytes:
    """What a signature is over: the manifest without it, the same however it was spaced."""
    entries = {key: value for key, value in manifest.items() if key != "signature"}
    return json.dumps(entries, sort_keys=True, default=asdict).encode("ascii")


def _short(name: Any) -> str:
    """A name as ours are: it is printed. Raises ValueError."""
    if not isinstance(name, str) or not name.isprintable() or len(name) > 200:
        raise ValueError("no name of ours")
    return name


def _is_of_a_table(part: RowsPart) -> bool:
    return all(isinstance(name, str) and name.isidentifier() for name in part.columns) and (
        part.table.replace(".", "_").isidentifier()
    )


def printable(text: str) -> str:
    """The text with everything escaped that could change or hide what a terminal shows."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
