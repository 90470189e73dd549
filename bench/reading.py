"""How fast a dump is read and its tags found, beside the XML parser alone, which nothing can be faster than.

The text is the demonstration set's; or a dump (.xml, .bz2) named on the command line.
"""

import bz2
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from wikifetch.dumpreader import DumpReader
from wikifetch.wikitext.finder import find_tags

DEMONSTRATION = Path(__file__).resolve().parent.parent / "demonstration" / "articles.xml"
CHUNK = 64 * 1024


def main() -> None:
    xml = dump(sys.argv[1:])
    texts = latest_texts(xml)
    megabytes = len(xml) / 1e6
    print(f"{megabytes:.1f} MB of export XML, {len(texts)} articles")
    print(f"XML parser alone        {megabytes / seconds(lambda: bare(xml)):7.1f} MB/s")
    print(f"pages and revisions     {megabytes / seconds(lambda: latest_texts(xml)):7.1f} MB/s")
    words = sum(len(text) for text in texts) / 1e6
    took = seconds(lambda: [find_tags(text) for text in texts])
    print(
        f"tags found in wikitext  {words / took:7.2f} M characters/s, {took / len(texts) * 1e3:.1f} ms an article"
    )


def dump(named: list[str]) -> bytes:
    if named:
        raw = Path(named[0]).read_bytes()
        return bz2.decompress(raw) if named[0].endswith(".bz2") else raw
    return DEMONSTRATION.read_bytes()


def bare(xml: bytes) -> None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    for start in range(0, len(xml), CHUNK):
        parser.Parse(xml[start : start + CHUNK], False)
    parser.Parse(b"", True)


def latest_texts(xml: bytes) -> list[str]:
    reader = DumpReader()
    latest = {}
    for start in range(0, len(xml) + CHUNK, CHUNK):
        for head, revision in reader.feed(xml[start : start + CHUNK]):
            if revision and revision.text:
                latest[head.pageid] = revision.text
    return list(latest.values())


def seconds(work: Callable[[], object]) -> float:
    """The best of three."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


main()
