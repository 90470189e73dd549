"""A multistream dump: bzip2 streams of a hundred pages each, of which only what is wanted is parsed. Pure.

The first stream holds what comes before the pages, the last one may hold the end alone, the others whole pages. What is
not so raises NotAligned: it is to be read as one stream. Source: mediawiki.org, Manual:dumpBackup and
meta.wikimedia.org, Data dumps/Dump format.
"""

import bz2
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import unescape

from wikifetch.history.introductions import PageRead
from wikifetch.history.pages_seen import ARTICLES, TALK, PageSeen
from wikifetch.source.dump import pages_in
from wikifetch.source.dump_unpacking import MIB, TAKEN_AT_ONCE, damaged, unreadable
from wikifetch.source.dump_wanted import PageXml, Wanted, number_of_title
from wikifetch.source.dumpreader import DumpError

_BEGINNING = re.compile(rb"BZh[1-9]1AY&SY")
_LONGEST = 10  # bytes of it
_SEARCHED = 4 * MIB  # at once
_CUT_OFF = "Compressed file ended before the end-of-stream marker was reached"  # as Python says it
_MAX_HEAD = MIB  # packed; it takes a few kB
_MAX_STREAM = 256 * MIB  # unpacked: a hundred pages of 2 MiB, and some
_HEAD = re.compile(rb"<mediawiki\b[^<>]*>\s*(?:<siteinfo>.*</siteinfo>\s*)?\Z", re.DOTALL)
_QUOTES = {"&quot;": '"', "&apos;": "'"}
_END = b"</mediawiki>"
_MARKS = re.compile(
    rb"<(?:(page>\s*<title>([^<]*)</title>\s*<ns>(\d+)</ns>\s*<id>(\d{1,18})</id>)"
    rb"|(revision\b)|(text\b[^<>]*(?<!/)>(?!<))|([!?]|page\b))"
)


class NotAligned(Exception):
    """The file is no multistream dump after all."""


@dataclass(frozen=True)
class StreamPlace:
    """Where a stream lies in its file, in bytes."""

    path: Path
    name: str
    start: int
    end: int
    is_last: bool


@dataclass(frozen=True)
class PagesTaken:
    """Of some pages one after another: how many they are, and what was taken of them.

    `elsewhere` counts those outside the main namespace by the name of theirs; `titles` are the numbers of the titles
    of articles and talk pages; `place` is the stream's.
    """

    pages: int
    taken: tuple[PageRead, ...] = ()
    elsewhere: Counter[str] = field(default_factory=Counter)
    titles: Sequence[int] = ()
    place: StreamPlace | None = None


def places_of_streams(path: Path, name: str) -> Iterator[StreamPlace]:
    """The streams after the first one. Raises NotAligned where the beginning is not that of a multistream dump."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_MAX_HEAD)
        size = path.stat().st_size
    except OSError as error:
        raise unreadable(name, error) from error
    first, second, *_ = [*(m.start() for m in _BEGINNING.finditer(beginning)), -1, -1]
    if first != 0 or second < 0 or not _is_head(StreamPlace(path, name, 0, second, is_last=False)):
        raise NotAligned
    for start, end in pairwise(chain(_beginnings(path, name, second), [size])):
        yield StreamPlace(path, name, start, end, is_last=end == size)


def read_stream(place: StreamPlace, wanted: Wanted) -> PagesTaken:
    """What is wanted of a stream's pages. Raises DumpError for a damaged one."""
    return replace(_read(_unpacked(place).strip(), place.is_last, wanted), place=place)


def _read(xml: bytes, is_last: bool, wanted: Wanted) -> PagesTaken:
    if xml.endswith(_END) != is_last:
        raise NotAligned
    xml = xml.removesuffix(_END).rstrip()
    if not xml:
        return PagesTaken(0)
    if not (xml.startswith(b"<page>") and xml.endswith(b"</page>")):
        raise NotAligned
    try:
        pages = _pages_of(xml)
        if pages is None:
            return taken_of(pages_in(xml), wanted)
        parts = (
            pages_in(xml[page.start : page.end]) for page in pages if wanted.may_take(page, xml)
        )
        taken = tuple(filter(None, map(wanted.take, chain.from_iterable(parts))))
    except (DumpError, expat.ExpatError, UnicodeDecodeError):
        raise NotAligned from None  # read as one stream, it is refused with its line in the file
    return PagesTaken(
        len(pages),
        taken,
        Counter(namespace_in(p.title) for p in pages if p.namespace != ARTICLES),
        [number_of_title(p.namespace, p.title) for p in pages if p.namespace in {ARTICLES, TALK}],
    )


def taken_of(pages: Iterable[PageSeen], wanted: Wanted) -> PagesTaken:
    """What is wanted of pages that were parsed."""
    taken: list[PageRead] = []
    elsewhere: Counter[str] = Counter()
    titles: list[int] = []
    for page in pages:
        if page.namespace != ARTICLES:
            elsewhere[namespace_in(page.title)] += 1
        titles.append(number_of_title(page.namespace, page.title))
        if read := wanted.take(page):
            taken.append(read)
    return PagesTaken(len(titles), tuple(taken), elsewhere, titles)


def namespace_in(title: str) -> str:
    return title.partition(":")[0][:40]


def _beginnings(path: Path, name: str, start: int) -> Iterator[int]:
    """Where streams begin, or what looks so, from `start` on, which is one."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            before = b""
            while piece := file.read(_SEARCHED):
                searched = before + piece
                yield from (start - len(before) + m.start() for m in _BEGINNING.finditer(searched))
                before = searched[1 - _LONGEST :]
                start += len(piece)
    except OSError as error:
        raise unreadable(name, error) from error


def _is_head(place: StreamPlace) -> bool:
    try:
        return bool(_HEAD.search(_unpacked(place)))
    except (NotAligned, DumpError):
        return False


def _unpacked(place: StreamPlace) -> bytes:
    # Packed it may be a little larger than unpacked; what is far larger is not to be held in memory.
    if place.end - place.start > 2 * _MAX_STREAM:
        raise NotAligned
    try:
        with place.path.open("rb") as file:
            file.seek(place.start)
            packed = file.read(place.end - place.start)
    except OSError as error:
        raise unreadable(place.name, error) from error
    unpacker = bz2.BZ2Decompressor()
    try:
        xml = unpacker.decompress(packed, _MAX_STREAM)
    except OSError as error:
        if _is_no_stream(packed[:TAKEN_AT_ONCE]):
            raise NotAligned from None
        raise damaged(place.name, error) from error
    if place.is_last and unpacker.needs_input and not unpacker.eof:
        raise damaged(place.name, _CUT_OFF)
    if not unpacker.eof or unpacker.unused_data:
        raise NotAligned
    return xml


def _is_no_stream(beginning: bytes) -> bool:
    """Whether it is damaged so early that, read as one stream, it passes for something after the end."""
    try:
        bz2.BZ2Decompressor().decompress(beginning)
    except OSError:
        return True
    return False


def _pages_of(xml: bytes) -> list[PageXml] | None:
    """The pages of a stream as MediaWiki writes them; None for one that has to be parsed as a whole."""
    heads: list[re.Match[bytes]] = []
    revisions: list[int] = []
    texts: list[int] = []
    for mark in _MARKS.finditer(xml):
        if mark[1]:
            heads.append(mark)
            revisions.append(0)
            texts.append(0)
        elif mark[7] or not heads:
            return None
        else:
            (revisions if mark[5] else texts)[-1] += 1
    if xml.count(b"</page>") != len(heads) or any(b"&#" in head[2] for head in heads):
        return None
    ends = [*(head.start() for head in heads[1:]), len(xml)]
    has_references = b"&#" in xml
    return [
        PageXml(
            int(head[4]),
            int(head[3]),
            unescape(head[2].decode(), _QUOTES).strip(),
            head.start(),
            end,
            seen == full > 0 and not (has_references and b"&#" in xml[head.start() : end]),
        )
        for head, end, seen, full in zip(heads, ends, revisions, texts, strict=True)
    ]
