"""Packed files made to unpack to far more than they have, or to nothing: refused before much of them was read."""

import bz2
import gzip
import lzma
import random
import tracemalloc
from itertools import chain, repeat

import pytest

from tests.wikifetch.factories import export, mill, page, revision
from wikifetch.source.dump import DumpError, read_dump
from wikifetch.source.dump_unpacking import MIB, unpacked

GIB = 1024 * MIB
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
BEGINNING = export(mill("One page.")).encode().removesuffix(b"</mediawiki>\n")
ENDLESS = b"<page><title>A</title><ns>0</ns><id>2</id><revision><id>3</id><text>"


def in_members(path, *parts):
    """Write (packed member, how often); both formats are read on after a member's end. Returns the path."""
    with path.open("wb") as file:
        for member, times in parts:
            file.writelines(repeat(member, times))
    return path


def read_to_end(path, most=4 * GIB):
    """How many bytes were unpacked, and why no more."""
    size = 0
    try:
        for piece in unpacked(path, "a file", most):
            size += len(piece)
    except DumpError as error:
        return size, error.message
    return size, ""


def spaces(kind):
    """16 MiB of them: some 16 kB with gzip, 0.1 kB with bzip2."""
    return PACK[kind](b" " * (16 * MIB))


@pytest.mark.long
@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("honest", [0, 4])
def test_four_gib_out_of_little_are_refused_early(tmp_path, kind, honest):
    """Also after 4 MiB that unpack to no more than they should."""
    noise = PACK[kind](random.Random(1).randbytes(MIB))
    bomb = in_members(
        tmp_path / "bomb", (PACK[kind](BEGINNING), 1), (noise, honest), (spaces(kind), 256)
    )
    tracemalloc.start()
    try:
        size, message = read_to_end(bomb)
        assert tracemalloc.get_traced_memory()[1] < 16 * MIB
    finally:
        tracemalloc.stop()
    assert "a file unpacks to over 250 times its size" in message
    assert size < (honest + 64) * MIB


@pytest.mark.parametrize("kind", PACK)
def test_a_page_that_never_ends_is_refused_without_its_text_in_memory(tmp_path, kind):
    path = in_members(tmp_path / "bomb", (PACK[kind](BEGINNING + ENDLESS), 1), (spaces(kind), 256))
    dump = read_dump(path, max_bytes=4 * GIB)
    assert dump.base
    with pytest.raises(DumpError, match="unpacks to over 250 times"):
        list(chain.from_iterable(one.revisions for one in dump.pages))


@pytest.mark.parametrize(
    "parts",
    [
        [(bz2.compress(b""), 310_000)],
        [(gzip.compress(BEGINNING), 1), (gzip.compress(b""), 20_000)],
        [(b"\x1f\x8b\x08\x08" + 6 * b"\0", 1), (b"a" * MIB, 3)],  # a file's name without end
    ],
)
def test_a_file_that_unpacks_to_nothing_is_refused(tmp_path, parts):
    size, message = read_to_end(in_members(tmp_path / "bomb", *parts))
    assert "a file is long and unpacks to nothing" in message
    assert size <= len(BEGINNING)


@pytest.mark.parametrize("outer", ["gz", "bz2"])
@pytest.mark.parametrize("inner", ["gz", "bz2"])
def test_a_file_that_is_packed_twice_is_refused(tmp_path, outer, inner):
    path = tmp_path / "nested"
    path.write_bytes(PACK[outer](PACK[inner](BEGINNING)))
    with pytest.raises(DumpError, match=r"nested is packed twice. Unpack it once"):
        read_dump(path)


@pytest.mark.parametrize(
    ("beginning", "packing"),
    [
        (b"7z\xbc\xaf\x27\x1c\0\4", "7z"),
        (b"PK\x03\x04\x14\0", "zip"),
        (b"\x28\xb5\x2f\xfd\4", "zstd"),
    ],
)
def test_another_packing_is_refused_by_its_name(tmp_path, beginning, packing):
    path = tmp_path / "history.xml.gz"
    path.write_bytes(beginning + b"\0" * 100)
    with pytest.raises(
        DumpError, match=rf"history.xml.gz is packed with {packing}. Unpack it \(\w+ "
    ):
        read_dump(path)


@pytest.mark.parametrize("kind", ["gz", "bz2"])
def test_a_history_that_packs_well_is_no_bomb(tmp_path, kind):
    """Edits of a short page differ in ids and times only; each member packs to a sixtieth or less."""
    text = random.Random(2).randbytes(1000).hex()
    edits = [revision(10 + n, text + str(n), parent=9 + n) for n in range(600)]
    member = PACK[kind](page(1, "Mill", *edits).encode())
    honest = in_members(tmp_path / "history", (PACK[kind](BEGINNING), 1), (member, 40))
    size, message = read_to_end(honest)
    assert (message, size > 48 * MIB) == ("", True)
    assert size > 40 * honest.stat().st_size


def test_xz_is_read_with_members_and_zeros_after_them(tmp_path):
    path = tmp_path / "mill.xml.xz"
    first, second = export(mill("Old.")).encode().split(b"<page>")
    path.write_bytes(lzma.compress(first) + bytes(8) + lzma.compress(b"<page>" + second) + bytes(4))
    assert [page.title for page in read_dump(path).pages] == ["Kettle Mill"]
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DumpError, match="damaged or cut off"):
        list(read_dump(path).pages)


def test_xz_that_asks_for_much_memory_is_refused(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 256 * MIB}]
    path = tmp_path / "mill.xml.xz"
    path.write_bytes(lzma.compress(BEGINNING, filters=filters))
    with pytest.raises(DumpError, match="Memory usage limit exceeded"):
        read_dump(path)


def test_a_file_without_a_bound_is_read_to_its_end(tmp_path):
    """The operator's own, by the command."""
    path = in_members(tmp_path / "a", (spaces("bz2"), 4))
    assert read_to_end(path, None) == (64 * MIB, "")


def test_the_head_is_read_without_the_pages(tmp_path):
    """A request reads no more: what is wrong with the pages is noticed by the worker."""
    text = BEGINNING + b"<page><title>B</title>" + b"x" * MIB + b"</nopage>"
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(text))
    dump = read_dump(path)
    assert dump.base == "https://wiki.example/wiki/Main_Page"
    with pytest.raises(DumpError, match="not well-formed"):
        list(chain.from_iterable(one.revisions for one in dump.pages))
