"""The file of a backup: a ZIP of parts with a manifest, which is written last and names every part. Pure.

A part is `rows/TABLE.jsonl`, one JSON array on each line, or `files/PATH`, a copy of PATH in DATA_DIR
(names.py). Parts of any size are written and read in pieces.
"""

import json
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, get_origin

from leases.refusal import Refusal
from operations.names import are_kept

FORMAT = "sic-et-non backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MOST_MANIFEST = 64 * 1024**2  # bytes
PIECE = 1 << 20
# Measured on rows: a third of the default level's time, for files a tenth larger.
LEVEL = 2


class BadBundle(Refusal):
    """The file is no backup, is incomplete, or was changed after it was written."""


@dataclass(frozen=True)
class Part:
    """A part's entry in the manifest."""

    name: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        for field in fields(self):
            if not isinstance(getattr(self, field.name), get_origin(field.type) or field.type):  # type: ignore[arg-type]
                raise TypeError(f"{field.name} has another type")


@dataclass(frozen=True)
class RowsPart(Part):
    """The rows of one table. `checksum` (checksums.py) is the same on every database; its key in the file is `said`.

    `last_key` is the highest key that the table has ever used.
    """

    table: str
    columns: list[str]
    rows: int
    checksum: str
    last_key: int = 0


class Writer:
    """Writes parts, then the manifest, into a file that is open for writing."""

    def __init__(self, file: IO[bytes]) -> None:
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)

    def part(self, name: str, pieces: Iterable[bytes]) -> Part:
        entry = zipfile.ZipInfo(name)  # without a time, so that equal rows make equal parts
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
        digest, size = sha256(), 0
        with self.zip.open(entry, "w", force_zip64=True) as out:
            for piece in pieces:
                out.write(piece)
                digest.update(piece)
                size += len(piece)
        return Part(name, size, digest.hexdigest())

    def close(self, manifest: dict[str, Any], sign: Callable[[dict[str, Any]], str]) -> None:
        """Write the manifest with its signature, and end the file."""
        entries = {"format": FORMAT, "format_version": FORMAT_VERSION, **manifest}
        entries["signature"] = sign(entries)
        text = json.dumps(entries, indent=1, ensure_ascii=False, default=_entry)
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
            self.zip = zipfile.ZipFile(path)
            if self.zip.getinfo(MANIFEST).file_size > MOST_MANIFEST:
                raise BadBundle(f"{path} is no backup of Sic et Non: its {MANIFEST} is too large.")
            manifest = json.loads(self.zip.read(MANIFEST))
        except FileNotFoundError:
            raise BadBundle(f"There is no file {path}.") from None
        except KeyError:
            raise BadBundle(f"{path} is no backup of Sic et Non: it has no {MANIFEST}.") from None
        except RuntimeError:  # encrypted, compressed in a way of its own, or nested too deeply
            raise BadBundle(f"{path} is no backup of Sic et Non: it cannot be read.") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError):
            raise BadBundle(
                f"{path} is no backup of Sic et Non, or only part of one: its end is missing. Copy it again from "
                "where it was written, or take an older one."
            ) from None
        self._read(manifest)

    def _read(self, manifest: Any) -> None:
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise BadBundle(f"{self.path} is no backup of Sic et Non.")
        if manifest.get("format_version") != FORMAT_VERSION:
            raise BadBundle(
                f"{self.path} was written by a newer version of Sic et Non. Restore it with that version."
            )
        try:
            self.manifest: dict[str, Any] = manifest
            self.app_version = str(manifest["app_version"])
            self.made_at = str(manifest["made_at"])
            self.migrations: dict[str, list[str]] = {
                app: list(map(str, names)) for app, names in dict(manifest["migrations"]).items()
            }
            self.tables = [_rows_part(**part) for part in manifest["tables"]]
            self.files = [Part(**part) for part in manifest["files"]]
        except (KeyError, TypeError, ValueError):
            raise BadBundle(f"The manifest of {self.path} cannot be read.") from None
        if not all(0 <= part.last_key < 2**62 for part in self.tables):
            raise BadBundle(f"The manifest of {self.path} has keys that no table has.")
        if not are_kept([part.name for part in self.files]):
            raise BadBundle(
                f"{self.path} would write files that no backup holds, such as keys or files outside of the data "
                "folder. Do not use it."
            )
        if any(stat.S_ISLNK(entry.external_attr >> 16) for entry in self.zip.infolist()):
            raise BadBundle(f"{self.path} holds links, which no backup does. Do not use it.")

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
            digest, size = sha256(), 0
            for piece in self.pieces(part.name):
                digest.update(piece)
                size += len(piece)
            if (size, digest.hexdigest()) != (part.bytes, part.sha256):
                raise self._damaged(part.name)

    def pieces(self, name: str) -> Iterator[bytes]:
        try:
            with self.zip.open(name) as part:
                yield from pieces_of(part)
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError):
            raise self._damaged(name) from None

    def rows(self, part: RowsPart) -> Iterator[list[Any]]:
        with self.zip.open(part.name) as lines:
            for line in lines:
                yield json.loads(line)

    def _damaged(self, name: str) -> BadBundle:
        return BadBundle(
            f"{self.path} is damaged: {name} is not as it was written. Nothing was restored; copy the file again "
            "from where it was written, or take an older one."
        )


def signed_text(manifest: Mapping[str, Any]) -> bytes:
    """What a signature is over: the manifest without it, the same however it was spaced."""
    entries = {key: value for key, value in manifest.items() if key != "signature"}
    return json.dumps(entries, sort_keys=True, default=_entry).encode("ascii")


def _entry(part: Part) -> dict[str, Any]:
    return {"said" if key == "checksum" else key: value for key, value in asdict(part).items()}


def _rows_part(said: str, **entries: Any) -> RowsPart:
    return RowsPart(checksum=said, **entries)


def pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
