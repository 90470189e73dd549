"""The speed of reading dumps and their tags, compared with the fastest possible.

reading            the demonstration set's text
reading small      the same once, with a short history
reading FILE       a dump (.xml, .bz2) of yours
reading big GB     a generated export of that size: seconds, MB/s, and the memory at its peak
"""

import bz2
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from xml.parsers import expat
from xml.sax.saxutils import escape

import mwparserfromhell

from demonstration.history import pages
from demonstration.wiki_export import export
from wikifetch.history.introductions import read_history
from wikifetch.history.tracing import Newest, Outline, Outlines, trace
from wikifetch.source.dump import read_dump
from wikifetch.wikitext import KNOWN_NAMES
from wikifetch.wikitext.finder import find_tags

CHUNK = 64 * 1024
ROUNDS = 10


def main() -> None:
    if sys.argv[1:2] == ["big"]:
        big(float(sys.argv[2]))
        return
    small = sys.argv[1:2] == ["small"]
    of_demonstration = small or not sys.argv[1:]
    raw = export(pages()).encode() if of_demonstration else Path(sys.argv[1]).read_bytes()
    xml = bz2.decompress(raw) if raw[:3] == b"BZh" else raw
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "dump.xml.bz2"
        packed.write_bytes(bz2.compress(xml))
        scanning(xml, packed, 1 if small else ROUNDS)
        finding(latest_texts(packed))
    histories(600 if small else 3_000)


def scanning(xml: bytes, packed: Path, rounds: int) -> None:
    megabytes = len(xml) / 1e6
    print(f"{megabytes:.1f} MB of export XML, best of {rounds} rounds of each in turn")
    works: dict[str, Callable[[], object]] = {
        "decompression alone": lambda: bz2.decompress(packed.read_bytes()),
        "XML parser alone": lambda: bare(xml),
        "pages, revisions and tags of a .bz2": lambda: scan(packed),
    }
    taken: dict[str, list[float]] = {label: [] for label in works}
    for _ in range(rounds):
        for label, work in works.items():
            taken[label].append(seconds(work, times=1))
    alone = taken["decompression alone"]
    for label, here in taken.items():
        print(
            f"  {label:38} {megabytes / min(here):7.1f} MB/s   {min(alone) / min(here):.2f} of decompression "
            f"alone (median of the rounds {median(a / b for a, b in zip(alone, here, strict=True)):.2f})"
        )


def bare(xml: bytes) -> None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    for start in range(0, len(xml), CHUNK):
        parser.Parse(xml[start : start + CHUNK], False)
    parser.Parse(b"", True)


def scan(path: Path) -> int:
    """A fetch of a file, without its rows."""
    return sum(len(read_history(page.revisions).reading.words()) for page in read_dump(path).pages)


def latest_texts(path: Path) -> list[str]:
    latest = []
    for page in read_dump(path).pages:
        texts = [revision.text for revision in page.revisions if revision.text]
        latest += texts[-1:]
    return latest


def finding(texts: list[str]) -> None:
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{len(texts)} latest texts, {megabytes:.2f} MB")
    expression = seconds(lambda: [KNOWN_NAMES.hint_pattern.search(text) for text in texts])
    finder = seconds(lambda: [find_tags(text).words() for text in texts])
    tree = seconds(lambda: [mwparserfromhell.parse(text).filter_templates() for text in texts])
    for label, took in (("expression alone", expression), ("finder", finder), ("whole tree", tree)):
        print(
            f"  {label:38} {megabytes / took:7.1f} MB/s {len(texts) / took:9.0f} pages/s   "
            f"{tree / took:6.1f} times the whole tree"
        )


class Kept:
    """A history in memory, with a wiki's interface; counts the requests."""

    def __init__(self, revisions: list) -> None:
        self.revisions, self.requests = revisions, 0

    def newest_revisions(self, pageid: int, revid: int, since: object) -> Newest:
        self.requests += 1
        return Newest(tuple(self.revisions[:-51:-1]), more=len(self.revisions) > 50)

    def outlines(self, pageid: int, revid: int, since: object) -> Outlines:
        self.requests += len(self.revisions) // 500
        kept = (Outline(r.revid, r.timestamp, r.sha1, len(r.text)) for r in self.revisions)
        return Outlines(tuple(kept), whole=True)

    def texts(self, revids: list[int]) -> dict:
        self.requests += 1
        wanted = set(revids)
        return {r.revid: r for r in self.revisions if r.revid in wanted}


def histories(length: int) -> None:
    from wikifetch.history.pages_seen import RevisionSeen

    words = "The mill was built by Ann Kettle in 1801. " * 400
    revisions = [
        RevisionSeen(
            n, n - 1, text=f"{words}{'{{Inconsistent}}' if n > length // 4 else ''} Edit {n}."
        )
        for n in range(1, length + 1)
    ]
    print(f"A history of {length:,} revisions, 17 kB each, the tag added in a quarter of them")
    whole = seconds(lambda: read_history(iter(revisions)))
    kept = Kept(revisions)
    introduction = trace(kept, 1, length).introductions[0]
    asked, traced = kept.requests, seconds(lambda: trace(Kept(revisions), 1, length))
    print(f"  read from a file, every text           {whole:7.2f} s")
    print(f"  traced, asking a wiki                  {traced:7.2f} s, {asked} requests")
    assert introduction
    assert introduction.revision.revid == length // 4 + 1


def big(gigabytes: float) -> None:
    """Shows that memory does not grow with the length of the file."""
    page = (
        "<page><title>Mill {n}</title><ns>0</ns><id>{n}</id><revision><id>{n}</id>"
        "<timestamp>2020-05-01T10:00:00Z</timestamp><contributor><username>Ann</username></contributor>"
        '<model>wikitext</model><text xml:space="preserve">{text}</text></revision></page>\n'
    )
    words = "The mill was built by [[Ann]] in 1801.<ref>Book</ref> It stands.\n\n"
    text = escape(words * 280)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".xml") as file:
        file.write('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">\n')
        n = 0
        while file.tell() < gigabytes * 1e9:
            n += 1
            file.write(
                page.format(n=n, text=f"{text}{'{{Inconsistent}}' if n % 1000 == 0 else ''}")
            )
        file.write("</mediawiki>\n")
        file.flush()
        size = Path(file.name).stat().st_size
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        began = time.perf_counter()
        tags = scan(Path(file.name))
        took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{size / 1e9:.2f} GB, {n} pages, {tags} tags: {took:.0f} s, {size / 1e6 / took:.0f} MB/s, "
        f"{after:.0f} MB at most, {before:.0f} MB before"
    )


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The best of `times` runs."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


main()
