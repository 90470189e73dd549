"""How many tags the files of a dump have, without storing anything."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wikifetch import newfetch
from wikifetch.source.dump_files import DumpFile, DumpFiles
from wikifetch.source.dump_wanted import TaggedPages
from wikifetch.source.wikis import names_in
from wikifetch.wikitext.tag_names import KINDS


@dataclass(frozen=True)
class TagCount:
    """Tags of each kind, on so many `articles` of so many `pages`; `unread` articles could not be read or in part."""

    tags: dict[str, int]
    articles: int
    pages: int
    unread: int


def count_tags(paths: Iterable[Path], processes: int | None = None) -> TagCount:
    """The tags in the newest revision of each article. Raises Refusal for what is no export, and for a damaged one."""
    found, dump = newfetch.opened(paths)
    files = DumpFiles([DumpFile(path, path.name) for path in found], processes)
    wanted = TaggedPages(files.with_redirects(names_in(dump, newfetch.default_wiki())))
    tags: Counter[str] = Counter()
    articles = pages = unread = 0
    for part in files.read(wanted):
        pages += part.pages
        for _, history in part.taken:
            reading = history.reading
            tags.update(tag.kind for tag in reading.tags)
            articles += bool(reading.tags)
            unread += bool(history.problem or reading.problems or reading.set_aside)
    return TagCount({kind: tags[kind] for kind in KINDS}, articles, pages, unread)
