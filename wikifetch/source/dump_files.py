"""The files of one dump, read more than once: what belongs to a tag may come before it, or in another file. Pure.

A multistream dump is read by several processes, and after the first time only where there may be something wanted.
Any other file is read by this one from its beginning to its end.
"""

import os
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wikifetch.history.pages_seen import PageSeen
from wikifetch.source.dump import read_dump
from wikifetch.source.dump_processes import StreamReaders
from wikifetch.source.dump_streams import (
    NotAligned,
    PagesTaken,
    StreamPlace,
    places_of_streams,
    taken_of,
)
from wikifetch.source.dump_wanted import TemplateRedirects, Wanted
from wikifetch.source.dumpreader import DumpError
from wikifetch.wikitext import TagNames
from wikifetch.wikitext.tag_names import KNOWN_NAMES, fold

_LARGE = 1024**3  # bytes, packed

Along = Callable[[Iterable[Any]], Iterator[Any]]


@dataclass(frozen=True)
class DumpFile:
    """A file, what a message calls it, and for one that nobody vouches for the bytes that it may have unpacked."""

    path: Path
    name: str
    max_bytes: int | None = None


class DumpFiles:
    """The files, in the order given, read by up to so many processes; None: one for each of the machine's cores.

    `along` is called with pages and revisions as they come, to watch over it.
    """

    def __init__(
        self, files: Sequence[DumpFile], processes: int | None = None, along: Along = iter
    ) -> None:
        self._files, self._along = files, along
        self._processes = processes or _cores()
        self._streams: dict[
            DumpFile, _Streams | None
        ] = {}  # of those read before; None: not by streams

    def read(self, wanted: Wanted, known: int = 0) -> Iterator[PagesTaken]:
        """What is wanted, and the number of all pages, also of those that were not looked at again.

        The first pages, as many as are `known`, may come without what is in their revisions.
        """
        before = 0
        with StreamReaders(wanted, self._processes) as readers:
            for file in self._files:
                for taken in self._of_file(file, wanted, readers, known - before):
                    before += taken.pages
                    yield taken

    def with_redirects(self, names: TagNames) -> TagNames:
        """These names of tags, and those of the redirects to their templates in the files: one reading more.

        Large files are not read for them where the names are those of the English Wikipedia, with their redirects.
        """
        kinds = dict(names.kinds)
        size = sum(file.path.stat().st_size for file in self._files if file.path.exists())
        if size > _LARGE and kinds.items() >= KNOWN_NAMES.kinds.items():
            return names
        with suppress(DumpError):  # what came before a fault is kept; reading the tags reports it
            for page in self._taken(TemplateRedirects(names)):
                name = fold(page.title.partition(":")[2])
                kinds.setdefault(name, kinds[fold(page.redirect_to.partition(":")[2])])
        return TagNames(kinds, names.words)

    def _taken(self, wanted: Wanted) -> Iterator[PageSeen]:
        """Pages without what is in their revisions."""
        for taken in self.read(wanted, sys.maxsize):
            yield from (page for page, _ in taken.taken)

    def _of_file(
        self, file: DumpFile, wanted: Wanted, readers: StreamReaders, known: int
    ) -> Iterator[PagesTaken]:
        read = 0
        if file.max_bytes is None and self._streams.get(file, True):
            try:
                for taken in self._along(self._of_streams(file, wanted, readers)):
                    read += taken.pages
                    yield taken
                return
            except NotAligned:
                self._streams[file] = None
        dump = read_dump(file.path, name=file.name, max_bytes=file.max_bytes)
        for number, page in enumerate(self._along(dump.pages), start=1):
            if number > read:
                revisions = self._along(page.revisions) if number > known else ()
                yield taken_of([replace(page, revisions=revisions)], wanted)

    def _of_streams(
        self, file: DumpFile, wanted: Wanted, readers: StreamReaders
    ) -> Iterator[PagesTaken]:
        if known := self._streams.get(file):
            yield from readers.in_order(known.again(file, wanted))
            return
        streams = _Streams()
        for taken in readers.in_order(places_of_streams(file.path, file.name)):
            streams.add(taken)
            yield taken
        self._streams[file] = streams


def _cores() -> int:
    """Those that this process may use, where the system says so."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Streams:
    """Where a file's streams are, how many pages they have, and of which titles: four bytes each."""

    def __init__(self) -> None:
        self._bounds = array("Q")  # where each begins, and where it ends
        self._pages = array("I")
        self._titles = array("I")
        self._titles_to = array("Q")  # where those of each stream end

    def add(self, taken: PagesTaken) -> None:
        assert taken.place is not None
        self._bounds.extend((taken.place.start, taken.place.end))
        self._pages.append(taken.pages)
        self._titles.extend(taken.titles)
        self._titles_to.append(len(self._titles))

    def again(self, file: DumpFile, wanted: Wanted) -> Iterator[StreamPlace | PagesTaken]:
        """The streams to look at again; of the others the number of their pages."""
        titles_from = 0
        for number, (pages, titles_to) in enumerate(zip(self._pages, self._titles_to, strict=True)):
            if wanted.may_be_among(self._titles[titles_from:titles_to]):
                start, end = self._bounds[2 * number : 2 * number + 2]
                is_last = number == len(self._pages) - 1
                yield StreamPlace(file.path, file.name, start, end, is_last)
            else:
                yield PagesTaken(pages)
            titles_from = titles_to


def in_natural_order(paths: Iterable[Path]) -> list[Path]:
    """Each once, by its name: part 2 comes before part 10."""
    return sorted({*paths}, key=lambda path: (_numbers_apart(path.name), path))


def _numbers_apart(name: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]
