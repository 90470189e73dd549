"""A file's bytes, unpacked piece by piece: .gz, .bz2, .xz or none of them, recognised by its content. Pure.

A hostile file may unpack to far more than it has, or to nothing for minutes. In a bounded file this is noticed early.
"""

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from wikifetch.source.dumpreader import DumpError

MIB = 1024 * 1024
# A little over two blocks of bzip2 (900 kB each). With smaller pieces the processor's cache loses what unpacking a
# block needs several times a block.
_PIECE = 2 * MIB
# The beginning comes in small ones, for those who want no more of it.
_FIRST_PIECE, _BEGINNING = 64 * 1024, MIB
TAKEN_AT_ONCE = 8 * 1024
# Articles have 4 or 5, histories of short pages up to 100; gzip reaches 1,030, bzip2 a million.
MAX_RATIO = 250
_MEASURED = 16 * MIB  # unpacked, over which a ratio is measured
_MAX_IDLE = 4 * MIB  # taken without anything given; what does not pack at all takes 2 for a piece
_LEAST = 256  # for one reading, which costs time however little it takes
_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError)
# For unpacking .xz: a file says how much it needs, of xz -9 half of this.
_MOST_MEMORY = 128 * MIB
_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"PK\x03\x04": "zip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_UNPACKING = {"7z": "7z x FILE", "zip": "unzip FILE", "zstd": "unzstd FILE"}
_INDEX = re.compile(rb"\d+:\d+:")
_COMMAND = "manage.py fetch_tagged_pages --xml reads it on the server."


def unpacked(path: Path, name: str, max_bytes: int | None = None) -> Iterator[bytes]:
    """The file's bytes in pieces of up to 2 MiB, and b"" at its end. Raises DumpError, which calls the file `name`.

    `max_bytes` bounds the unpacked size, and then the ratio is bounded too.
    """
    measure = _Measure(name, max_bytes)
    size, piece = 0, b"-"
    with _opened(path, name, measure) as source:
        while piece:
            try:
                piece = source.read(_FIRST_PIECE if size < _BEGINNING else _PIECE)
            except _BROKEN as error:
                raise damaged(name, error) from error
            if not size and not piece:
                raise DumpError(f"{name} is empty. Export or download it again.")
            if not size and _INDEX.match(piece):
                raise DumpError(f"{name} is an index of a dump, which is not needed. Leave it out.")
            if not size and _packing_of(piece):
                raise DumpError(f"{name} is packed twice. Unpack it once, and take what comes out.")
            size += len(piece)
            measure.give(len(piece))
            yield piece


def damaged(name: str, why: object) -> DumpError:
    return DumpError(f"{name} is damaged or cut off ({why}). Download it again.")


def unreadable(name: str, error: OSError) -> DumpError:
    return DumpError(f"{name} cannot be read: {error.strerror or error}.")


class _Measure:
    """What is taken from a bounded file, and given out of it. Raises DumpError for what no export of a wiki has."""

    def __init__(self, name: str, max_bytes: int | None) -> None:
        self._name, self._max = name, max_bytes
        self._size = self._idle = 0
        self._taken = self._given = 0  # since the ratio was measured last

    def take(self, size: int) -> None:
        self._taken += size
        self._idle += max(size, _LEAST)
        if self._max is not None and self._idle > _MAX_IDLE:
            raise DumpError(
                f"{self._name} is long and unpacks to nothing, which no export of a wiki does. It was read no further."
            )

    def give(self, size: int) -> None:
        self._idle = 0
        self._size += size
        self._given += size
        if self._max is None:
            return
        if self._size > self._max:
            raise DumpError(
                f"{self._name} holds over {self._max // MIB} MiB unpacked. Split it, or ask the operator: {_COMMAND}"
            )
        if self._given > _MEASURED:
            if self._given > MAX_RATIO * self._taken:
                raise DumpError(
                    f"{self._name} unpacks to over {MAX_RATIO} times its size, which exports of wikis do not. It was "
                    f"read no further. If it is one, ask the operator: {_COMMAND}"
                )
            self._taken = self._given = 0


class _Packed(io.FileIO):
    """A packed file, of which little is taken at once, so that what comes out can be compared with it."""

    def __init__(self, path: Path, measure: _Measure) -> None:
        super().__init__(path)
        self._measure = measure

    def read(self, size: int | None = -1) -> bytes:
        few = TAKEN_AT_ONCE if size is None or size < 0 else min(size, TAKEN_AT_ONCE)
        piece = super().read(few) or b""
        self._measure.take(len(piece))
        return piece


class _Unxz:
    """As lzma.LZMAFile, but with a limit to the memory that a file may ask for."""

    def __init__(self, packed: _Packed) -> None:
        self._packed, self._member, self._left = packed, self._begun(), b""

    @staticmethod
    def _begun() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)

    def read(self, size: int) -> bytes:
        while True:
            if self._member.eof:  # another member may follow, after zeros
                left = self._member.unused_data
                while not (left := left.lstrip(b"\0")):
                    if not (left := self._packed.read()):
                        return b""
                self._member, self._left = self._begun(), left
            taken = self._left or (self._packed.read() if self._member.needs_input else b"")
            if not taken and self._member.needs_input:
                raise EOFError("it ends too early")
            self._left = b""
            if given := self._member.decompress(taken, size):
                return given


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@contextmanager
def _opened(path: Path, name: str, measure: _Measure) -> Iterator[_Readable]:
    with ExitStack() as open_files:
        try:
            plain = open_files.enter_context(path.open("rb"))
            packing = _packing_of(plain.read(8))
            plain.seek(0)
            packed = open_files.enter_context(_Packed(path, measure))
        except OSError as error:
            raise unreadable(name, error) from error
        if packing == "gzip":
            yield gzip.GzipFile(fileobj=packed)
        elif packing == "bzip2":
            yield bz2.BZ2File(packed)
        elif packing == "xz":
            yield _Unxz(packed)
        elif packing:
            raise DumpError(
                f"{name} is packed with {packing}. Unpack it ({_UNPACKING[packing]}), or pack it with gzip, bzip2 "
                "or xz."
            )
        else:
            yield plain


def _packing_of(beginning: bytes) -> str:
    """The name of the packing that begins so; "" for none that is known."""
    return next((name for magic, name in _PACKINGS.items() if beginning.startswith(magic)), "")
