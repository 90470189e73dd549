"""MediaWiki exports: read as a stream, and refused with a sentence where they are none."""

import gzip
from datetime import UTC, datetime

import pytest

from tests.wikifetch.factories import export, mill, page, revision, written
from wikifetch.source.dump import DumpError, read_dump
from wikifetch.wikitext.limits import MAX_PAGE_BYTES


def read(path, **options):
    """Everything in an export: its base, and (page, revisions) pairs."""
    dump = read_dump(path, **options)
    return dump.base, [(page, list(page.revisions)) for page in dump.pages]


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz", "a.xml.bz2"])
@pytest.mark.parametrize("version", ["0.10", "0.11"])
def test_pages_with_their_revisions_in_order(tmp_path, name, version):
    text = export(
        page(1, "Mill & Co", revision(10, "One <b>"), revision(11, "Two", parent=10, summary="+2")),
        page(2, "Talk:Mill & Co", revision(12, "Ho"), ns=1),
        page(3, "Old mill", revision(13, "#REDIRECT"), redirect="Mill & Co"),
        page(4, "Empty"),
        version=version,
    )
    base, pages = read(written(tmp_path, text, name))
    assert base == "https://wiki.example/wiki/Main_Page"
    assert [(p.pageid, p.title, p.namespace, p.is_redirect, len(rs)) for p, rs in pages] == [
        (1, "Mill & Co", 0, False, 2),
        (2, "Talk:Mill & Co", 1, False, 1),
        (3, "Old mill", 0, True, 1),
        (4, "Empty", 0, False, 0),
    ]
    second = pages[0][1][1]
    assert (second.revid, second.parent_revid, second.editor, second.summary, second.text) == (
        11,
        10,
        "Alice",
        "+2",
        "Two",
    )
    assert second.timestamp == datetime(2020, 5, 1, 10, tzinfo=UTC)


def test_packing_is_recognised_by_content_not_by_name(tmp_path):
    packed = written(tmp_path, export(mill("Text")), "a.gz")
    renamed = packed.rename(tmp_path / "a.xml")
    assert len(read(renamed)[1]) == 1


def test_revisions_that_nobody_read_do_not_get_lost_pages(tmp_path):
    text = export(page(1, "A", revision(1, "x"), revision(2, "y")), page(2, "B", revision(3, "z")))
    assert [page.title for page in read_dump(written(tmp_path, text)).pages] == ["A", "B"]


def test_only_the_main_slot_is_the_text(tmp_path):
    extra = "<content><role>mediainfo</role><text>{}</text></content></revision>"
    text = export(mill("Main")).replace("</revision>", extra)
    assert read(written(tmp_path, text))[1][0][1][0].text == "Main"


@pytest.mark.parametrize(
    ("text", "kept", "why"),
    [
        ("", "", ""),
        (('bytes="0"',), "", ""),
        (None, None, "The file holds no text of it."),
        (('bytes="7"', 'deleted="deleted"'), None, "The wiki hides its text."),
        (('bytes="7"', 'location="x"'), None, "The file holds no text of it."),
    ],
)
def test_a_revision_without_text(tmp_path, text, kept, why):
    ((_, (result,)),) = read(written(tmp_path, export(page(1, "A", revision(1, text)))))[1]
    assert (result.text, result.no_text) == (kept, why)


def test_a_text_over_the_limit_is_counted_and_not_kept(tmp_path):
    long = export(mill("x" * (MAX_PAGE_BYTES + 1)), page(2, "B", revision(11, "short")))
    pages = read(written(tmp_path, long))[1]
    assert [(r.text, r.no_text) for _, (r,) in pages] == [
        (None, "Its text is over 2 MiB."),
        ("short", ""),
    ]


def test_hidden_names_and_summaries_are_empty(tmp_path):
    hidden = '<contributor deleted="deleted" /><comment deleted="deleted" />'
    text = export(
        page(1, "A", "<revision><id>1</id>" + hidden + "<text>x</text></revision>"), base=""
    )
    base, ((_, (result,)),) = read(written(tmp_path, text))
    assert (base, result.editor, result.summary, result.timestamp) == ("", "", "", None)


@pytest.mark.parametrize(
    ("written_as", "read_as"),
    [
        ("2020-05-01T12:00:00+02:00", datetime(2020, 5, 1, 10, tzinfo=UTC)),
        ("9999-12-31T23:59:59-14:00", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("2020-05-01T12:00:00", None),
        ("yesterday", None),
    ],
)
def test_a_time_that_no_database_gives_back_is_none(tmp_path, written_as, read_as):
    ((_, (seen,)),) = read(written(tmp_path, export(mill("x", time=written_as))))[1]
    assert seen.timestamp == read_as


WHOLE = export(mill("A long text " * 50), page(2, "B", revision(11, "More " * 100)))
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WHOLE[:900], "ends in the middle"),
        (WHOLE.removesuffix("</mediawiki>\n"), "ends in the middle"),
        ("", "export.xml is empty"),
        ("not XML at all", "not well-formed"),
        (WHOLE.replace("</title>", "</titel>"), "not well-formed"),
        (WHOLE.replace("A long", "A \x0b long"), "not well-formed"),
        ("<html><body>Wikimedia Error</body></html>", "no MediaWiki export: it begins with <html>"),
        (BOMB + export(mill("&b;"), head=""), "declares a document type"),
        (export(mill("x"), head='<?xml version="1.0" encoding="iso-8859-1"?>'), "is in iso-8859-1"),
        (WHOLE.replace("<id>1</id>", "<id>one</id>"), "A page's id is 'one', not a number"),
        (WHOLE.replace("<id>10</id>", ""), "A revision's id is '', not a number"),
        (export("<a>" * 50 + "</a>" * 50), "nests elements deeper"),
        (export(page(1, "T" * 70_000)), "<title> is longer than 64 KiB"),
    ],
)
def test_what_is_no_export_is_refused_with_a_sentence(tmp_path, text, message):
    with pytest.raises(DumpError, match=message):
        read(written(tmp_path, text))


def test_text_in_another_encoding_is_refused(tmp_path):
    with pytest.raises(DumpError, match="not well-formed XML in UTF-8"):
        read(written(tmp_path, export(mill("Mühle")), encoding="latin-1"))


@pytest.mark.parametrize("name", ["a.gz", "a.bz2"])
def test_a_packed_file_that_is_cut_off_or_damaged_is_refused(tmp_path, name):
    path = written(tmp_path, export(mill("x" * 5000)), name)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:40] + b"\x00" * 20 + whole[60:]):
        path.write_bytes(damaged)
        with pytest.raises(DumpError, match="damaged or cut off"):
            read(path)


def test_a_packed_bomb_is_refused_at_the_limit(tmp_path):
    path = written(tmp_path, export(mill("0" * 3_000_000)), "bomb.bz2")
    assert path.stat().st_size < 1_000
    with pytest.raises(DumpError, match="over 1 MiB unpacked"):
        read(path, max_bytes=1024**2)


HEAD = b"<mediawiki><siteinfo><base>https://wiki.example/wiki/Main_Page</base></siteinfo>"


@pytest.mark.parametrize(
    ("opening", "filling", "message"),
    [
        (b"<!-- ", b"a", "a tag or comment of over 1 MiB"),
        (b"<page name='", b"a", "a tag or comment of over 1 MiB"),
        (b"<", b"a", "a tag or comment of over 1 MiB"),
        (b"<?a ", b"a", "a tag or comment of over 1 MiB"),
        (b"<siteinfo>", b"<a/>", "no page in its first 1 MiB"),
        (b"", b"\n", "no page in its first 1 MiB"),
    ],
)
def test_a_packed_bomb_is_refused_long_before_the_limit(tmp_path, opening, filling, message):
    """A token without end is read anew with each piece of the file: 200 MiB of it took a minute."""
    path = tmp_path / "bomb.xml.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(HEAD + opening)
        for _ in range(4):
            file.write(filling * (2**20 // len(filling)))
    with pytest.raises(DumpError, match=message):
        read_dump(path)


def test_a_long_text_is_no_bomb(tmp_path):
    text = "é < " * 300_000
    ((_, (seen,)),) = read(written(tmp_path, export(mill(text))))[1]
    assert seen.text == text


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DumpError, match="cannot be read: No such file"):
        read_dump(tmp_path / "nothing.xml")


def test_pages_before_the_damage_have_been_given(tmp_path):
    pages = read_dump(written(tmp_path, WHOLE.removesuffix("</mediawiki>\n"))).pages
    assert next(pages).title == "Kettle Mill"
    with pytest.raises(DumpError):
        list(pages)
