import codecs
import io
import json

import pytest

from datasets.importers import wikicontradict_records
from datasets.importers.wikicontradict_records import WikiContradict
from datasets.readers.json_text import SHOWN, Unreadable, shown
from datasets.schema import parse
from tests.datasets.factories import annotation, record, text_of


def read(data):
    return list(WikiContradict().records(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "The file is empty."),
        (b" \n", "The file is empty."),
        (b"title,url\n1,2", "If it is a CSV table, choose the format csv"),
        (b'"title","url"\n1,2', "If it is a CSV table, choose the format csv"),
        (b"[title]", "not JSON: Expecting value (line 1, column 2)"),
        (b'[{"title": "a"', "not JSON: Expecting ',' delimiter (line 1, column 15)"),
        (b"[1] [2]", "not JSON: Extra data (line 1, column 5)"),
        ("[{}]".encode("utf-16"), "not UTF-8 (line 1). Save it as UTF-8, and send it again."),
        (b'[\n"caf\xe9"]', "not UTF-8 (line 2)"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no text, but binary"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[NaN]", "contains NaN"),
        (b"[1" + b"0" * 5000 + b"]", "cannot be read"),
        (b'[{"title": "a", "title": "b"}]', 'has the key "title" twice'),
        (b"{}", "holds an object, not a list of records"),
        (b'"text"', "not JSON of records, which begins with [ or {"),
        (b"[]", "a list without a record"),
    ],
)
def test_a_file_that_is_none_says_what_it_is_in_one_line(data, says):
    with pytest.raises(Unreadable) as refused:
        read(data)
    assert says in refused.value.message
    assert "\n" not in refused.value.message


def test_a_byte_order_mark_is_no_fault():
    (parsed,) = read(codecs.BOM_UTF8 + text_of(record()))
    assert parsed.columns["title"] == "Old Mill, Ahrfeld"


def test_every_fault_is_named_with_its_record_and_key():
    with pytest.raises(Unreadable) as refused:
        read(text_of(record(), record(title=7), 5, record(tag=None, extra="x")))
    assert refused.value.message == "3 of 4 records cannot be read; nothing was imported."
    assert refused.value.problems == [
        "record 2 (index 1): 'title' is a number, not text",
        "record 3 (index 2): is a number, not an object with keys",
        "record 4 (index 3, 'Old Mill, Ahrfeld'): 'tag' is missing",
        "record 4 (index 3, 'Old Mill, Ahrfeld'): 'extra' is not a key of this format",
    ]


@pytest.mark.parametrize(
    ("problems", "last"),
    [(SHOWN, "x"), (SHOWN + 1, "and 1 more problem"), (SHOWN + 2, "and 2 more problems")],
)
def test_the_problems_that_are_not_shown_are_counted(problems, last):
    assert shown(["x"] * problems)[-1] == last


def test_a_file_of_another_kind_does_not_fill_the_page():
    with pytest.raises(Unreadable) as refused:
        read(json.dumps([{}] * 200).encode())
    assert len(refused.value.problems) == SHOWN + 1
    assert refused.value.problems[-1] == "and 700 more problems"
    assert refused.value.message == (
        "100 of the first 100 records cannot be read, and the other 100 were not looked at; nothing was imported."
    )


def test_300_001_empty_records_are_refused_within_the_time_of_reading_them(monkeypatch):
    looked_at = []
    monkeypatch.setattr(
        wikicontradict_records, "parse", lambda one: looked_at.append(one) or parse(one)
    )
    with pytest.raises(Unreadable) as refused:
        read(b"[" + b"{}," * 300_000 + b"{}]")
    assert "of the first 100 records cannot be read" in refused.value.message
    assert len(looked_at) == SHOWN


@pytest.mark.parametrize(
    "one",
    [{str(n): "" for n in range(9_999)}, record(given={str(n): "" for n in range(9_999)}),
     record(given=annotation(taxonomy=[["x"]] * 9_999 + [5]))],
)  # fmt: skip
def test_a_record_with_thousands_of_entries_is_one_problem(one):
    with pytest.raises(Unreadable) as refused:
        read(text_of(one))
    (problem,) = refused.value.problems
    assert "more than the 1000 of any record" in problem
