"""MediaWiki's export format (0.10, 0.11; .xml, .gz, .bz2, .xz) as a stream of pages. Pure.

Special:Export and database dumps share it. Memory is bounded by one revision: texts over the page limit are counted,
not kept. Entities, other encodings, deep nesting and bombs are refused. Source: mediawiki.org, Help:Export and
xml/export-0.11.xsd.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from xml.parsers import expat

from wikifetch.history.pages_seen import PageSeen, RevisionSeen
from wikifetch.source.dump_unpacking import unpacked
from wikifetch.source.dumpreader import DumpError, DumpPageHead, DumpReader

__all__ = ["Dump", "DumpError", "pages_in", "read_dump"]


@dataclass(frozen=True)
class Dump:
    """A file being read: `base` is the address of the wiki's main page ("" if not given), and the pages.

    `namespaces` are the wiki's names of its namespaces, by their numbers as they are written.
    """

    base: str
    site_name: str
    namespaces: Mapping[str, str]
    pages: Iterator[PageSeen]


def read_dump(path: Path, *, name: str = "", max_bytes: int | None = None) -> Dump:
    """Open an export file, compressed or not, and read what comes before its first page: at most 1 MiB, unpacked.

    Pages come in the file's order; a page's revisions are a stream, valid until the next page is asked for. `max_bytes`
    bounds the unpacked size and the ratio; `name` is what a message calls the file. Raises DumpError here or while
    pages are read.
    """
    name, reader = name or path.name, DumpReader()
    pieces = unpacked(path, name, max_bytes)
    first: list[Item] = []
    for piece in pieces:
        first += _fed(name, reader, piece)
        if reader.in_pages:
            break
    items = chain(first, chain.from_iterable(_fed(name, reader, piece) for piece in pieces))
    return Dump(reader.base, reader.site_name, reader.namespaces, _pages(items))


def pages_in(xml: bytes) -> Iterator[PageSeen]:
    """The pages of a part of an export that holds whole pages alone. Raises DumpError or ExpatError."""
    reader = DumpReader()
    items = reader.feed(b"<mediawiki>" + xml + b"</mediawiki>")
    return _pages(iter(items + reader.feed(b"")))


Item = tuple[DumpPageHead, RevisionSeen | None]  # a page without any revision comes once, with None


def _pages(items: Iterator[Item]) -> Iterator[PageSeen]:
    for head, of_page in groupby(items, key=lambda item: item[0]):
        revisions = (revision for _, revision in of_page if revision is not None)
        yield PageSeen(
            head.pageid,
            head.title,
            head.namespace,
            head.is_redirect,
            revisions,
            redirect_to=head.redirect_to,
        )


def _fed(name: str, reader: DumpReader, piece: bytes) -> list[Item]:
    try:
        return reader.feed(piece)
    except expat.ExpatError as error:
        if reader.unfinished(error):
            raise DumpError(
                f"{name} ends in the middle (line {error.lineno}). Export it again."
            ) from error
        raise DumpError(
            f"{name} is not well-formed XML in UTF-8: {expat.errors.messages.get(error.code, error)} "
            f"(line {error.lineno}, column {error.offset}). Export it again, or convert it to UTF-8."
        ) from error
