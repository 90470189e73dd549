"""Files of each shape: read record by record, and written as json.dumps writes the whole."""

import io
import json

import pytest

from datasets.declared.writing import FileNoted, writer_of
from datasets.importers.declared_records import DeclaredRecords
from datasets.readers import json_list
from datasets.readers.json_text import Unreadable
from tests.datasets.declared.small import LINES, LIST, OBJECT, declaration, ferry

TWO = [ferry(), ferry(river="Oker", note="é 😀 \\n", options=["Oker", "\u2028"], right="A")]
KEPT = {"canary": 'no "training"', "made": ""}
INDENT = "\nindent = 4"
ASCII = "\nascii = true"


def dumped(file, records):
    """The file as one call writes it."""
    options = {"ensure_ascii": ASCII in file, "indent": 4 if INDENT in file else None}
    if LINES in file:
        return "\n".join(json.dumps(record, **options) for record in records)
    return json.dumps(
        records if LIST in file else {**KEPT, "ferries": records}, **options
    )  # fmt: skip


def read(file, data):
    noted = FileNoted()
    parsed = list(DeclaredRecords(declaration(file)).records(io.BytesIO(data), noted))
    return [one.record for one in parsed], noted


def message_of(file, data):
    with pytest.raises(Unreadable) as refused:
        read(file, data)
    return " ".join([refused.value.message, *refused.value.problems])


SHAPES = [LINES, LINES + ASCII, *(
    shape + more for shape in (LIST, OBJECT) for more in ("", INDENT, ASCII, INDENT + ASCII)
)]  # fmt: skip


@pytest.mark.parametrize("file", SHAPES)
@pytest.mark.parametrize("records", [[], TWO[:1], TWO])
def test_a_file_is_written_as_one_call_writes_it(file, records):
    writer = writer_of(declaration(file), FileNoted(KEPT, "\n"))
    mixed = [dict(sorted(record.items())) for record in records]  # as a database gives them
    text = "".join([*map(writer.next, mixed), writer.last()])
    assert text == dumped(file, records) + "\n"


@pytest.mark.parametrize("file", SHAPES)
@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("piece", [1, 40, 256 * 1024])
def test_a_file_that_was_written_so_is_read_and_does_not_differ(file, end, piece, monkeypatch):
    monkeypatch.setattr(json_list, "_PIECE", piece)
    records, noted = read(file, (dumped(file, TWO) + end).encode())
    assert records == TWO
    assert noted == FileNoted(KEPT if "object" in file else {}, end)


LINE, OTHER = (json.dumps(record, ensure_ascii=False) for record in TWO)


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        (LINES, f"{LINE}\n\n{OTHER}\n", 2),
        (LINES, f"{LINE}\n{OTHER}\n\n", 3),
        (LINES, f"{LINE}\r\n{OTHER}\r\n", 1),
        (LINES, f"\ufeff{LINE}\n{OTHER}", 1),
        (LINES, f"{LINE}\n{json.dumps(TWO[1])}\n", 2),
        (LINES, f"{LINE}\n{json.dumps(TWO[1], indent=1, ensure_ascii=False)}", 2),
        (LINES, f"{LINE}\n{json.dumps(dict(sorted(TWO[1].items())), ensure_ascii=False)}", 2),
        (LINES, f"{LINE} {OTHER}", 1),
        (LIST, f"[{LINE},{OTHER}]", 1),
        (LIST, f"[{LINE}, {OTHER}]\n ", 1),
        (LIST + INDENT, json.dumps(TWO, indent=4, ensure_ascii=False).replace('"A"', '"\\u0041"'), 12),
        (OBJECT, json.dumps({"ferries": TWO, **KEPT}, ensure_ascii=False), 1),
        (OBJECT + INDENT, json.dumps({"ferries": TWO, **KEPT}, ensure_ascii=False, indent=4), 2),
        (OBJECT + INDENT, json.dumps({**dict(reversed(KEPT.items())), "ferries": TWO}, indent=4), 2),
    ],
)  # fmt: skip
def test_another_file_is_equal_as_data_and_the_first_line_that_differs_is_named(file, text, line):
    records, noted = read(file, text.encode())
    assert (records, noted.differs) == (TWO, line)


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (LINES, "", "The file is empty."),
        (LINES, f"[{LINE}]", "holds a list, not a record on each line"),
        (LINES, f"{LINE}\n5", "holds a number, not a record on each line"),
        (LINES, f"{LINE}\n{LINE[:-1]}", "Expecting ',' delimiter (line 2, column "),
        (LINES, f"{OTHER}\n{LINE.replace(chr(34) + 'B' + chr(34), 'NaN')}",
         "The file contains NaN, which JSON does not have. Look at the record that begins in line 2."),
        (LINES, LINE[:-1] + ', "river": "Oker"}', 'has the key "river" twice'),
        (LIST, LINE, "holds an object, not a list of records"),
        (LIST, "[]", "a list without a record"),
        (OBJECT, f"[{LINE}]", "holds a list, not an object with the list 'ferries'"),
        (OBJECT, json.dumps(KEPT), "an object without the list 'ferries'"),
        (OBJECT, json.dumps({**KEPT, "ferries": "none"}), "'ferries' in the file is text, not a list"),
        (OBJECT, json.dumps({"ferries": TWO, "canary": ""}), "'made' is missing from the file"),
        (OBJECT, json.dumps({**KEPT, "ferries": TWO, "x": "y"}), "'x' is no key of such a file"),
        (OBJECT, json.dumps({**KEPT, "canary": 5, "ferries": TWO}), "'canary' is a number, not text"),
        (OBJECT, '{"ferries": [], "ferries": []}', 'has the key "ferries" twice'),
        (OBJECT, '{"ferries": [] "made": ""}', "Expecting ',' delimiter (line 1, column 16)"),
        (OBJECT, '{"ferries" []}', "Expecting ':' delimiter (line 1, column 12)"),
        (OBJECT, "{5: []}", "Expecting property name enclosed in double quotes (line 1, column 2)"),
        (OBJECT, '{"ferries": []} x', "Extra data (line 1, column 17)"),
        (LINES, json.dumps(ferry(note=7)), "record 1 (index 0, 'Aller'): 'note' is a number, not text"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_says_what_it_is(file, text, says):
    assert says in message_of(file, text.encode())


def test_a_long_file_is_compared_without_being_whole_in_memory(monkeypatch):
    monkeypatch.setattr(json_list, "_PIECE", 1000)
    file = io.BytesIO("\n".join([LINE] * 1000).encode())
    noted = FileNoted()
    records = DeclaredRecords(declaration()).records(file, noted)
    for _ in range(100):
        next(records)
    assert file.tell() < 150 * len(LINE)
    assert len(list(records)) == 900
    assert noted.differs is None
