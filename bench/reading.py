"""Time of looking for tags in a dump, next to `bzip2 -t` of the same streams on as many cores.

The dump is made of phrases of the documentation: streams of a hundred pages, as wikis publish it. One page in 50 has a
banner that may hold tags, one in 1,000 a tag. With few megabytes most of the time is the start of processes.
"""

import argparse
import bz2
import os
import random
import re
import subprocess
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from bench.common import ROOT, measured, print_next_to, run
from tests.wikifetch import factories as wiki

CORES = len(os.sched_getaffinity(0))
BANNER = "{{Multiple issues|{{POV|date=May 2020}}{{More citations needed|date=May 2020}}}}\n"
TAG = "{{Inconsistent|date=May 2020|reason=Another year is given below.}}"
PAGES, STREAMS = 100, 60  # of a stream; made once, a longer dump has them again


def main() -> None:
    run("reading", __doc__, measure, megabytes=400)


def measure(options: argparse.Namespace, folder: Path) -> None:
    dump, parts = written(folder, options.megabytes)
    print(f"  {dump.stat().st_size / 1e6:.1f} MB of .bz2, {CORES} cores", flush=True)
    works = (partial(test, parts), partial(scan, dump))
    least, ours = (min(measured(work) for _ in range(2)) for work in works)
    print_next_to(least, "dump", ours)


def written(folder: Path, megabytes: int) -> tuple[Path, list[Path]]:
    """A dump of so many megabytes unpacked, or of one turn of the streams; and its streams in a part for each core."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    words = re.findall(r"[^\s{}<>]+\s+", text)
    with ProcessPoolExecutor() as pool:
        made = [*pool.map(partial(stream, words), range(min(STREAMS, 1 + megabytes)))]
    turns = max(1, round(megabytes * 1e6 / sum(size for _, size in made)))
    streams = [packed for packed, _ in made] * turns
    head, end = (bz2.compress(part.encode()) for part in wiki.export("\0").split("\0"))
    dump, parts = folder / "dump.xml.bz2", [folder / f"part{n}.bz2" for n in range(CORES)]
    dump.write_bytes(b"".join([head, *streams, end]))
    for n, part in enumerate(parts):
        part.write_bytes(b"".join(streams[n::CORES]) or head)
    return dump, parts


def stream(words: list[str], number: int) -> tuple[bytes, int]:
    """The pages of a stream, packed, and their size unpacked."""
    chance = random.Random(number)
    pages = (article(chance, words, number * PAGES + n) for n in range(PAGES))
    text = "".join(pages).encode()
    return bz2.compress(text), len(text)


def article(chance: random.Random, words: list[str], number: int) -> str:
    places = (chance.randrange(len(words)) for _ in range(int(chance.lognormvariate(5, 1))))
    text = "".join("".join(words[place : place + 6]) for place in places)
    text = BANNER * (number % 50 == 7) + text + TAG * (number % 1000 == 9)
    return wiki.page(number + 1, f"Article {number}", wiki.revision(number + 1, text))


def test(parts: list[Path]) -> None:
    """`bzip2 -t` of all of them at once."""
    running = [subprocess.Popen(["bzip2", "-t", part]) for part in parts]
    assert not any(process.wait() for process in running)


def scan(dump: Path) -> None:
    """A fetch of a file, without its rows: twice, for tags and for the articles that they name."""
    from wikifetch.source.dump_files import DumpFile, DumpFiles
    from wikifetch.source.dump_wanted import TaggedPages, TitledPages
    from wikifetch.wikitext import KNOWN_NAMES

    files = DumpFiles([DumpFile(dump, dump.name)])
    tags = [page for part in files.read(TaggedPages(KNOWN_NAMES)) for page in part.taken]
    assert tags
    taken = frozenset(page.title for page, _ in tags)
    assert list(files.read(TitledPages(KNOWN_NAMES, frozenset({"Article 1"}), taken)))


if __name__ == "__main__":
    main()
