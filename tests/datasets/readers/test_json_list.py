"""A JSON list read a value at a time gives what reading it whole gives, wherever the pieces of the file end."""

import io
import json

import pytest

from datasets.readers import json_list
from datasets.readers.json_list import values_in
from datasets.readers.json_text import Unreadable, decode

LIST = """ \n[ 0, -0.5, 12.5e-07, 1E+20, 123456789012345678901234567890, true, false, null, "",
  "a \\"quoted\\" \\ud83d\\ude00 \\n é 😀", [], {}, [[1, [2]], {"b": [3.25e1, {"c": "]"}]}], "[,]" ]\n """


def read(data):
    return list(values_in(io.BytesIO(data)))


def message_of(data, how=read):
    with pytest.raises(Unreadable) as refused:
        how(data)
    return refused.value.message


@pytest.fixture(params=[1, 2, 3, 7, 40])
def small_pieces(request, monkeypatch):
    monkeypatch.setattr(json_list, "_PIECE", request.param)


def test_the_values_are_the_same_wherever_a_piece_ends(small_pieces):
    assert read(LIST.encode()) == decode(LIST.encode())
    assert read("[-1.5e-07]".encode("utf-8-sig")) == [-1.5e-07]


@pytest.mark.parametrize(
    "text",
    [
        LIST.replace("true", "tru"),
        LIST.replace('"[,]" ]', '"[,]" '),
        LIST.replace('"[,]" ]', '"[,] ]'),
        LIST.replace("[2]]", "[2}]"),
        LIST.replace("\\n é", "\\x é"),
        LIST.replace("\\n é", "\\u12 é"),
        LIST.replace("\\n é", "\n é"),
        LIST.replace("0, -0.5", "0 -0.5"),
        LIST.replace("12.5e-07", "12.5e-"),
        LIST + "x",
        "",
        " \n ",
        "[",
        "[1",
        "[1,",
    ],
)
def test_a_fault_is_named_with_its_line_and_column_in_the_file(small_pieces, text):
    assert message_of(text.encode()) == message_of(text.encode(), decode)


def test_a_comma_after_the_last_value_is_named_by_its_line(small_pieces):
    """Python 3.13 names the comma where it reads the whole file; here, what is missing after it."""
    text = LIST.replace('"[,]" ]', '"[,]", ]')
    assert "Expecting value (line 3, column 95)" in message_of(text.encode())


def test_a_byte_that_is_no_utf8_is_named_by_its_line_in_the_file(small_pieces):
    data = LIST.encode()
    broken = data[: data.index(b"quoted")] + b"\xff" + data[data.index(b"quoted") :]
    assert "is not UTF-8 (line 3)" in message_of(broken)
    assert message_of(broken) == message_of(broken, decode)
    assert "is not UTF-8 (line 3)" in message_of(
        data.partition("😀".encode())[0] + "😀".encode()[:2]
    )


def test_a_value_longer_than_any_record_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(json_list, "MAX_VALUE", 1000)
    monkeypatch.setattr(json_list, "_PIECE", 100)
    file = io.BytesIO(b'["' + b"x" * 100_000 + b'"]')
    with pytest.raises(Unreadable, match="over 1,000 characters, more than any record"):
        list(values_in(file))
    assert file.tell() < 3_000
    assert "holds an object, not a list" in message_of(b'{"a": "' + b"x" * 100_000 + b'"}')


def test_a_long_file_is_never_whole_in_memory(monkeypatch):
    monkeypatch.setattr(json_list, "_PIECE", 100)
    file = io.BytesIO(json.dumps([{"n": n} for n in range(1000)]).encode())
    values = values_in(file)
    for n in range(100):
        assert next(values) == {"n": n}
    assert file.tell() < 2_000


def test_what_can_be_read_only_once_is_refused():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    with pytest.raises(Unreadable, match="Save it as a file first"):
        list(values_in(Pipe(b"[]")))
