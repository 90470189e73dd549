"""MediaWiki's export format (0.10, 0.11; .xml, .gz, .bz2) as a stream of pages. Pure.

Special:Export and database dumps share it. Memory is bounded by one revision: texts over the page limit
are counted, not kept; entities, other encodings, deep nesting and bombs are refused.
Source: mediawiki.org, Help:Export and xml/export-0.11.xsd.
"""

import bz2
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO
from xml.parsers import expat

from wikifetch.history.revisions import PageSeen, RevisionSeen
from wikifetch.source.dumpreader import DumpError, DumpReader, PageHead

# Two blocks of bzip2 (900 kB each) and a little more: with less, what unpacking a block has in the processor's cache
# is lost to the reading of another chunk several times a block.
_CHUNK = 2 * 1024 * 1024
_BROKEN = (EOFError, OSError, zlib.error)

__all__ = ["Dump", "DumpError", "read_dump"]


@dataclass(frozen=True)
class Dump:
    """A file being read: `base` is the address of the wiki's main page ("" if not given), and the pages."""

    base: str
    site_name: str
    pages: Iterator[PageSeen]


def read_dump(path: Path, *, name: str = "", max_bytes: int | None = None) -> Dump:
    """Open an export file, compressed or not (recognised by its content, not its name).

    Pages come in the file's order; each page's revisions are a stream, valid until the next page is
    asked for. `max_bytes` bounds the unpacked size; `name` is what a message calls the file. Raises
    DumpError here or while pages are read.
    """
    reader = DumpReader()
    revisions = _revisions(path, reader, name or path.name, max_bytes)
    first = next(revisions, None)  # by the first page the head of the file has been read
    return Dump(reader.base, reader.site_name, _pages(first, revisions))


Item = tuple[PageHead, RevisionSeen | None]


def _pages(first: Item | None, rest: Iterator[Item]) -> Iterator[PageSeen]:
    for head, items in groupby(_chained(first, rest), key=lambda item: item[0]):
        revisions = (revision for _, revision in items if revision is not None)
        yield PageSeen(
            head.pageid,
            head.title,
            head.namespace,
            head.is_redirect,
            revisions,
            redirect_to=head.redirect_to,
        )


def _chained(first: Item | None, rest: Iterator[Item]) -> Iterator[Item]:
    if first is not None:
        yield first
        yield from rest


def _revisions(path: Path, reader: DumpReader, name: str, max_bytes: int | None) -> Iterator[Item]:
    """Each page with each of its revisions; a page without any comes once, with None."""
    size = 0
    with _opened(path) as source:
        while True:
            try:
                chunk = source.read(_CHUNK)
            except _BROKEN as error:
                raise DumpError(
                    f"{name} is damaged or cut off ({error}). Download it again."
                ) from error
            size += len(chunk)
            if max_bytes is not None and size > max_bytes:
                raise DumpError(
                    f"{name} holds over {max_bytes // 2**20} MiB unpacked. Split it, or let an "
                    f"administrator read it with manage.py fetch_tagged_pages --xml."
                )
            yield from _fed(name, reader, chunk)
            if not chunk:
                return


def _fed(name: str, reader: DumpReader, chunk: bytes) -> Iterator[Item]:
    try:
        yield from reader.feed(chunk)
    except expat.ExpatError as error:
        if reader.unfinished(error):
            raise DumpError(
                f"{name} ends in the middle (line {error.lineno}). Export it again."
            ) from error
        raise DumpError(
            f"{name} is not well-formed XML in UTF-8: {expat.errors.messages.get(error.code, error)} "
            f"(line {error.lineno}, column {error.offset}). Export it again, or convert it to UTF-8."
        ) from error


def _opened(path: Path) -> IO[bytes] | gzip.GzipFile | bz2.BZ2File:
    try:
        with path.open("rb") as handle:
            magic = handle.read(4)
        if magic[:3] == b"BZh":
            return bz2.open(path)
        if magic[:2] == b"\x1f\x8b":
            return gzip.open(path)
        return path.open("rb")
    except OSError as error:
        raise DumpError(f"{path} cannot be read: {error.strerror or error}.") from error
