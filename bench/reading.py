"""Time and memory of reading a dump, its pages, revisions and tags, compared with decompression alone.

The dump is the demonstration's history, over and over, or --file FILE, a dump of yours (.bz2). With more megabytes it
shows that memory does not grow with the length of the file.
"""

import bz2
import tempfile
from functools import partial
from pathlib import Path

from bench.machine import arguments, measured, print_next_to
from demonstration.history import pages
from demonstration.wiki_export import export
from wikifetch.history.introductions import read_history
from wikifetch.source.dump import read_dump

CHUNK = 64 * 1024


def main() -> None:
    options = arguments("reading", __doc__, megabytes=50, file="")
    with tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as folder:
        path = Path(options.file or f"{folder}/dump.xml.bz2")
        if not options.file:
            write(path, options.megabytes)
        least = measured(partial(decompress, path))
        print_next_to(
            least, f"{path.stat().st_size / 1e6:.2f} MB of .bz2", measured(partial(scan, path))
        )


def write(path: Path, megabytes: int) -> None:
    whole = export(pages())
    first, last = whole.index("<page>"), whole.rindex("</page>") + len("</page>\n")
    with bz2.open(path, "wt", encoding="utf-8") as file:
        file.write(whole[:first])
        for _ in range(1 + int(megabytes * 1e6 / len(whole))):
            file.write(whole[first:last])
        file.write(whole[last:])


def decompress(path: Path) -> None:
    with bz2.open(path) as file:
        while file.read(CHUNK):
            pass


def scan(path: Path) -> None:
    """A fetch of a file, without its rows."""
    tags = 0
    for page in read_dump(path).pages:
        tags += len(read_history(page.revisions).reading.words())
    assert tags


if __name__ == "__main__":
    main()
