"""Time and memory of looking for tags in a dump, next to `bzip2 -t` of the same file on as many cores.

The dump is made of the demonstration's words: streams of a hundred pages, as wikis publish it. One page in 50 has a
banner that may hold tags, one in 1,000 a tag. Or --file FILE, a multistream dump of yours. With few megabytes most of
the time is the start of processes.
"""

import bz2
import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.machine import Taken, arguments, peak, print_next_to
from wikifetch.source.dump_files import DumpFile, DumpFiles
from wikifetch.source.dump_streams import places_of_streams
from wikifetch.source.dump_wanted import TaggedPages, TitledPages
from wikifetch.wikitext import KNOWN_NAMES

ARTICLES = Path(__file__).parents[1] / "demonstration" / "articles.xml"
CORES = len(os.sched_getaffinity(0))
PAGE = """  <page>
    <title>{title}</title>
    <ns>0</ns>
    <id>{number}</id>
    <revision>
      <id>{number}</id>
      <timestamp>2020-05-01T10:00:00Z</timestamp>
      <contributor>
        <username>Old Ledger</username>
        <id>882975</id>
      </contributor>
      <comment>more on {title}</comment>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="{size}" xml:space="preserve">{text}</text>
    </revision>
  </page>
"""
BANNER = "{{Multiple issues|{{POV|date=May 2020}}{{More citations needed|date=May 2020}}}}\n"
TAG = "{{Inconsistent|date=May 2020|reason=Another year is given below.}}"
PAGES, STREAMS = 100, 60  # of a stream; made once, a longer dump has them again


def main() -> None:
    options = arguments("reading", __doc__, megabytes=400, file="")
    with tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as name:
        path = Path(options.file or f"{name}/dump.xml.bz2")
        if not options.file:
            write(path, options.megabytes)
        parts = parted(path, Path(name))
        busy = f"load average {os.getloadavg()[0]:.1f}"
        print(f"{path.stat().st_size / 1e6:.1f} MB of .bz2, {CORES} cores, {busy}", flush=True)
        print_next_to(taken(lambda: test(parts)), "dump", taken(lambda: scan(path)))


def write(path: Path, megabytes: int) -> None:
    """A dump of so many megabytes unpacked, or of one turn of the streams."""
    whole = ARTICLES.read_text(encoding="utf-8")
    head = whole[: whole.index("<page>")].encode()
    words = re.findall(r"(?<=\s)[^\s{}<>]+\s+", whole)
    with ProcessPoolExecutor() as pool:
        made = min(STREAMS, 1 + megabytes)
        streams = [*pool.map(stream, range(made), [words] * made)]
    turn = sum(unpacked for _, unpacked in streams)
    with path.open("wb") as file:
        file.write(bz2.compress(head))
        for _ in range(max(1, round(megabytes * 1e6 / turn))):
            file.writelines(packed for packed, _ in streams)
        file.write(bz2.compress(b"</mediawiki>\n"))


def stream(number: int, words: list[str]) -> tuple[bytes, int]:
    """A stream of the dump, and its size unpacked."""
    chance = random.Random(number)
    xml = "".join(article(chance, words, number * PAGES + n) for n in range(PAGES)).encode()
    return bz2.compress(xml), len(xml)


def article(chance: random.Random, words: list[str], number: int) -> str:
    """Phrases of the demonstration, in any order."""
    places = (chance.randrange(len(words)) for _ in range(int(chance.lognormvariate(5, 1))))
    text = "".join("".join(words[place : place + 6]) for place in places)
    text = BANNER * (number % 50 == 7) + text + TAG * (number % 1000 == 9)
    return PAGE.format(title=f"Article {number}", number=number + 1, size=len(text), text=text)


def parted(path: Path, folder: Path) -> list[Path]:
    """The file in as many parts as there are cores, each of whole streams."""
    places = [*places_of_streams(path, path.name)]
    share = -(-len(places) // CORES)
    parts = []
    with path.open("rb") as file:
        for first in range(0, len(places), share):
            start, end = places[first].start, places[min(first + share, len(places)) - 1].end
            part = folder / f"part{first}.bz2"
            file.seek(start)
            part.write_bytes(file.read(end - start))
            parts.append(part)
    return parts


def test(parts: list[Path]) -> None:
    """`bzip2 -t` of all of them at once."""
    running = [subprocess.Popen(["bzip2", "-t", part]) for part in parts]
    assert not any(process.wait() for process in running)


def scan(path: Path) -> None:
    """A fetch of a file, without its rows: twice, for tags and for the articles that they name."""
    files = DumpFiles([DumpFile(path, path.name)])
    tags = [page for part in files.read(TaggedPages(KNOWN_NAMES)) for page in part.taken]
    assert tags
    others = TitledPages(
        KNOWN_NAMES, frozenset({"Article 1"}), frozenset(page.title for page, _ in tags)
    )
    assert list(files.read(others))


def taken(work: Callable[[], None]) -> Taken:
    """Of the faster of two runs: seconds, those of CPU of all its processes, and megabytes of this one."""
    return min(once(work) for _ in range(2))


def once(work: Callable[[], None]) -> Taken:
    before, began, worked = peak(), time.perf_counter(), cpu()
    work()
    return Taken(time.perf_counter() - began, cpu() - worked, peak() - before)


def cpu() -> float:
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
