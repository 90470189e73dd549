"""Dumps of many streams: the same is taken of them as of one stream, whatever stands in their pages."""

import bz2
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.wikifetch.factories import TAG, export, multistream, page, revision, written
from wikifetch.source import dump_streams
from wikifetch.source.dump_files import DumpFile, DumpFiles, in_natural_order
from wikifetch.source.dump_streams import (
    NotAligned,
    StreamPlace,
    places_of_streams,
    read_stream,
)
from wikifetch.source.dump_wanted import TaggedPages, TitledPages
from wikifetch.source.dumpreader import DumpError
from wikifetch.wikitext import KNOWN_NAMES
from wikifetch.wikitext.limits import MAX_PAGE_BYTES

TITLES = ["Mill", "Mill & Co", 'Ford\'s "end"', "A: b", "Ǆ mill", "mill", "<b>"]
TEXTS = [
    "Old.",
    "",
    ('bytes="7"', 'deleted="deleted"'),
    ('bytes="7"', 'location="x"'),
    ('bytes="0"',),
    None,
    f"Old.{TAG}",
    "Old.{{inconsistent}} It was {{Self-contradictory|date=May 2009}} new.",
    "Old.{{ template : contradict_other_|Mill & Co}}",
    "Old.{{\u200eINCONSISTENT\u200e\n|reason=<b> & \"b\"}}",
    "Old.{{<!-- a > b -->Inconsistent|date=May 2009}}",
    "Old.{{Inconsistent<!-- a --> |date=May 2009}}",
    "Old.{{Incon<!-- a -->sistent}}",
    "Old.{{Incon\u017fi\u017ftent}}",
    "Old.{{Inconsistent&nbsp;}} {{Inconsistent&#32;}} &#123;{Inconsistent}}",
    "{{Multiple issues|contradict=May 2009}}\nOld.",
    "{{article_issues|contra\u200edict=May 2009|pov=May 2009}}\nOld.",
    "{{Multiple issues|{{POV}}}}\nOld.",
    "{{Issues|incon\ufb06ent=1}}\nOld.",
    "<nowiki>{{Inconsistent}}</nowiki> {{Inconsistent",
    "x" * (MAX_PAGE_BYTES + 1),
    "é" * (MAX_PAGE_BYTES // 2 + 1),
    "It contradicts itself: </page><page> and {{issues}}.",
]  # fmt: skip


def pages(seed, count=60):
    """Pages of all kinds, each text at least once; some are told of in a way that MediaWiki does not have."""
    chance = random.Random(seed)
    texts = [*TEXTS, *chance.choices(TEXTS[:20], k=count - len(TEXTS))]
    chance.shuffle(texts)
    for pageid, text in enumerate(texts, start=1):
        ns = chance.choice([0, 0, 0, 0, 1, 2, 10])
        title = f"{chance.choice(TITLES)}{chance.choice(['', ' 2', ' 3'])}"
        title = f"{ {0: '', 1: 'Talk:', 2: 'User:', 10: 'Template:'}[ns] }{title}"
        older = (
            [revision(1000 + pageid, chance.choice(TEXTS[:19]))] if chance.random() < 0.3 else []
        )
        last = [revision(2000 + pageid, text)] if chance.random() < 0.95 else []
        target = chance.choice(["Mill", "Mill & Co", "A: b"]) if chance.random() < 0.2 else ""
        yield page(pageid, title, *older, *last, ns=ns, redirect=target)


def in_streams(found, chance):
    while found:
        size = chance.choice([1, 2, 5, 20])
        yield found[:size]
        found = found[size:]


WANTED = [
    TaggedPages(KNOWN_NAMES),
    TaggedPages(KNOWN_NAMES, frozenset({1, 7, 13, 30})),
    TitledPages(KNOWN_NAMES, frozenset({*TITLES, "Mill 2"}), frozenset({"Mill", "Mill & Co 2"})),
    TitledPages(KNOWN_NAMES, frozenset({"Nothing", "Mill"})),
    TaggedPages(KNOWN_NAMES),
]


def read(path, processes=1, most=None):
    """What each of the readings takes of a file; the first ones count what is elsewhere, and the last one again."""
    files = DumpFiles([DumpFile(path, "a dump", most)], processes)
    for wanted in WANTED:
        parts = list(files.read(wanted))
        taken = [page for part in parts for page in part.taken]
        elsewhere = sum((part.elsewhere for part in parts), Counter())
        counted = elsewhere if isinstance(wanted, TaggedPages) else None
        yield sum(part.pages for part in parts), taken, counted


@pytest.mark.long
@pytest.mark.parametrize("number", range(6))
def test_the_same_is_taken_out_of_streams_as_out_of_one(tmp_path, number):
    found = [*pages(number)]
    parts = multistream(tmp_path, *in_streams(found, random.Random(number)))
    plain = [*read(written(tmp_path, export(*found)))]
    assert all(plain[0])
    assert plain[2][1]
    assert [*read(parts)] == plain
    files = DumpFiles([DumpFile(parts, "a dump")], 1)
    assert [*files.read(WANTED[0])]
    assert all(files._streams.values())  # it was not read as one


@pytest.mark.long
def test_several_processes_take_the_same_in_the_same_order(tmp_path):
    found = [*pages(7)]
    parts = multistream(tmp_path, *([one] for one in found))
    assert [*read(parts, processes=3)] == [*read(written(tmp_path, export(*found)))]


# ---------------------------------------------------------------- damaged, or of another form

HEAD, END = (part.encode() for part in export("\0").split("\0"))
ONE, TWO, THREE = (page(n, f"Mill {n}", revision(n, f"Old.{TAG}")).encode() for n in (1, 2, 3))
PLAIN = page(4, "Ford", revision(4, "Deep. " * 500)).encode()
NOISE = page(5, "Noise", revision(5, random.Random(1).randbytes(30_000).hex())).encode()
FALSE_START = b"BZh91AY&SY"


def packed(*parts):
    return b"".join(map(bz2.compress, parts))


def spoilt(data, at, by=b"\0\0\0"):
    """With other bytes at this part of the length."""
    place = int(at * len(data))
    return data[:place] + by + data[place + len(by) :]


WHOLE = packed(HEAD, ONE, TWO, PLAIN, THREE, END)
FILES = {
    "whole": WHOLE,
    "end with the last pages": packed(HEAD, ONE, TWO + END),
    "an empty stream": packed(HEAD, ONE, b"", TWO, END),
    "blanks": packed(HEAD, b"\n" + ONE, b"  \n", TWO + b"\n\n", END + b"\n"),
    "no pages": packed(HEAD, END),
    "head and pages in one": packed(HEAD + ONE, TWO, END),
    "one stream": packed(HEAD + ONE + TWO + END),
    "a page over two streams": packed(HEAD, ONE, TWO[:99], TWO[99:], THREE, END),
    "cut at any byte": packed(*((HEAD + ONE + PLAIN + TWO + END)[n : n + 400] for n in range(0, 9000, 400))),
    "damaged in a page that is wanted": packed(HEAD, ONE) + spoilt(packed(TWO), 0.7) + packed(THREE, END),
    "damaged in one that is not": packed(HEAD, ONE) + spoilt(packed(PLAIN), 0.5) + packed(THREE, END),
    "damaged first bytes": packed(HEAD, ONE) + spoilt(packed(TWO), 0) + packed(THREE, END),
    "damaged first block": packed(HEAD, ONE) + spoilt(packed(TWO), 5 / len(packed(TWO))) + packed(END),
    "damaged late in a large one": packed(HEAD, ONE) + spoilt(packed(NOISE), 0.9) + packed(THREE, END),
    "damaged end of a stream": packed(HEAD, ONE) + spoilt(packed(TWO), 0.97) + packed(THREE, END),
    "cut off in a stream": WHOLE[: len(packed(HEAD, ONE, TWO)) - 9],
    "cut off in the end": WHOLE[:-9],
    "cut off between two": packed(HEAD, ONE, TWO),
    "two ends": packed(HEAD, ONE, END, TWO, END),
    "something after the end": WHOLE + b"nothing of bzip2",
    "zeros after the end": WHOLE + b"\0" * 100,
    "what looks like a stream": packed(HEAD, ONE) + spoilt(packed(PLAIN), 0.5, FALSE_START) + packed(END),
    "one after the end": WHOLE + FALSE_START,
    "a comment": packed(HEAD, ONE, b"<!-- <page><title>A</title><ns>0</ns><id>7</id> -->" + TWO, END),
    "a comment in a page": packed(HEAD, ONE.replace(b"Old.", b"Old<!-- </page> -->"), TWO, END),
    "CDATA": packed(HEAD, ONE.replace(b"Old.", b"<![CDATA[{{Inconsistent}}]]>"), END),
    "numeric references": packed(HEAD, ONE.replace(b"{{", b"&#123;{").replace(b"Mill", b"M&#x69;ll"), END),
    "not well-formed, wanted": packed(HEAD, ONE, TWO.replace(b"</title>", b"</titel>"), THREE, END),
    "not well-formed, tagged": packed(HEAD, ONE, TWO.replace(b"</text>", b"</txet>"), THREE, END),
    "another order": packed(HEAD, ONE.replace(b"<ns>0</ns>", b""), TWO, END),
    "an id that is none": packed(HEAD, ONE, TWO.replace(b"<id>2</id>", b"<id>two</id>"), END),
    "two titles": packed(HEAD, ONE, TWO.replace(b"<ns>", b"<title>Weir</title><ns>"), END),
    "a latin title": packed(HEAD, ONE, TWO.replace(b"Mill 2", b"M\xfchle"), END),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_what_is_damaged_or_of_another_form_is_read_or_refused_as_in_one_stream(tmp_path, name):
    path = tmp_path / "dump.bz2"
    path.write_bytes(FILES[name])
    outcomes = []
    for most in (None, 2**40):  # with a bound, a file is read as one
        try:
            outcomes.append([*read(path, most=most)])
        except DumpError as error:
            outcomes.append(error.message)
    assert outcomes[0] == outcomes[1]


def test_a_stream_of_another_size_than_any_is_no_stream(tmp_path, monkeypatch):
    path = multistream(tmp_path, [page(1, "Mill", revision(1, "Old. " * 500))])
    (first, _) = places_of_streams(path, "a dump")
    assert first.end - first.start < 1000
    monkeypatch.setattr(dump_streams, "_MAX_STREAM", 1000)
    with pytest.raises(NotAligned):
        read_stream(first, WANTED[0])


def test_what_is_far_larger_than_a_stream_is_not_read(tmp_path):
    path = tmp_path / "dump.bz2"
    path.write_bytes(WHOLE)
    with pytest.raises(NotAligned):
        read_stream(StreamPlace(path, "a dump", 0, 2**40, is_last=True), WANTED[0])


def test_a_system_that_does_not_say_which_cores_it_gives_has_some(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    assert DumpFiles([])._processes >= 1


def test_where_streams_begin_is_found_over_pieces_of_the_file(tmp_path, monkeypatch):
    path = tmp_path / "dump.bz2"
    path.write_bytes(packed(HEAD, *[ONE, TWO] * 20, END))
    whole = [(place.start, place.end) for place in places_of_streams(path, "a dump")]
    assert len(whole) == 41
    monkeypatch.setattr(dump_streams, "_SEARCHED", 37)
    assert [(place.start, place.end) for place in places_of_streams(path, "a dump")] == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"", "a dump is empty"), (b"616:10:Mill\n", "is an index"), (None, "No such file")],
)
def test_what_is_no_dump_is_refused(tmp_path, text, message):
    path = tmp_path / "dump.bz2"
    if text is not None:
        path.write_bytes(bz2.compress(text) if text else text)
    with pytest.raises(DumpError, match=message):
        list(read(path))


# ---------------------------------------------------------------- processes


class Killed(TaggedPages):
    def may_take(self, page, xml):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_a_sentence(tmp_path):
    path = multistream(tmp_path, [page(1, "Mill", revision(1, "Old."))])
    files = DumpFiles([DumpFile(path, "a dump")], 2)
    with pytest.raises(DumpError, match=r"was ended from outside.*Go on with --resume"):
        list(files.read(Killed(KNOWN_NAMES)))


class Endless(TaggedPages):
    def may_take(self, page, xml):
        print("at work", flush=True)
        threading.Event().wait()


def read_for_ever(path):
    list(DumpFiles([DumpFile(Path(path), "a dump")], 2).read(Endless(KNOWN_NAMES)))


def test_processes_end_with_the_one_that_was_killed(tmp_path):
    """What they print to stays open while one of them lives."""
    path = multistream(tmp_path, *([page(n, "Mill", revision(n, "Old."))] for n in (1, 2)))
    code = f"from {__name__} import read_for_ever; read_for_ever({str(path)!r})"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as command:
        assert command.stdout.readline() == b"at work\n"
        command.kill()
        command.stdout.read()


# ---------------------------------------------------------------- several files


def test_files_come_in_the_natural_order_of_their_names():
    names = [
        "dump10.bz2",
        "dump2.bz2-p9p11",
        "dump1.bz2",
        "dump2.bz2-p10p12",
        "dump2.bz2-p9p11",
        "a",
    ]
    assert [path.name for path in in_natural_order(map(Path, names))] == [
        "a", "dump1.bz2", "dump2.bz2-p9p11", "dump2.bz2-p10p12", "dump10.bz2",
    ]  # fmt: skip


def test_files_are_read_one_after_the_other_in_each_form(tmp_path):
    found = [*pages(8)]
    first = multistream(tmp_path, found[:20], found[20:25])
    second = written(tmp_path, export(*found[25:40]), "second.gz")
    third = multistream(tmp_path, found[40:], name="third.bz2")
    files = DumpFiles([DumpFile(path, path.name) for path in (first, second, third)], 1)
    one = DumpFiles([DumpFile(written(tmp_path, export(*found)), "one")], 1)
    for wanted in WANTED:
        parts, whole = [*files.read(wanted)], [*one.read(wanted)]
        assert [p for part in parts for p in part.taken] == [
            p for part in whole for p in part.taken
        ]
        assert sum(part.pages for part in parts) == 60
