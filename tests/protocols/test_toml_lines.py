"""On which lines tables and keys stand, also around texts that look like them."""

import tomllib

import pytest

from protocols.shipped import FOLDER
from protocols.toml_lines import lines_of


def lines(text):
    """(table, number) -> the line of its head and of each key, without what stands before the first head."""
    tomllib.loads(text)
    found = lines_of(text)
    assert found.pop(("", 1))[0] == 1
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[file]\na = 1\nb = 2", {("file", 1): (1, {"a": 2, "b": 3})}),
        ("# x\n\n  [[ prompt ]]  # y\n\ta = 1", {("prompt", 1): (3, {"a": 4})}),
        ("[[p]]\na = 1\n[[q]]\n[[p]]\na = 1", {("p", 1): (1, {"a": 2}), ("q", 1): (3, {}), ("p", 2): (4, {"a": 5})}),
        ("[['p']]\n\"a\" = 1", {("p", 1): (1, {"a": 2})}),
        # texts of several lines
        ("[[p]]\na = '''\n[[p]]\nb = 1\n'''\nc = 1", {("p", 1): (1, {"a": 2, "c": 6})}),
        ('[[p]]\na = """\n[[p]]\nb = 1\n"""\nc = 1', {("p", 1): (1, {"a": 2, "c": 6})}),
        ('[p]\na = """\n\'\'\'\n[[p]]\n"""\nc = 1', {("p", 1): (1, {"a": 2, "c": 6})}),
        ('[p]\na = """\\"""\n[q]\n"""\nc = 1', {("p", 1): (1, {"a": 2, "c": 5})}),
        ('[p]\na = """one ""two"""""\nc = 1', {("p", 1): (1, {"a": 2, "c": 3})}),
        ("[p]\na = ''''one'''''\nc = 1", {("p", 1): (1, {"a": 2, "c": 3})}),
        ("[p]\na = ''''''\nc = 1", {("p", 1): (1, {"a": 2, "c": 3})}),
        ("[p]\na = [\n'''\n[[q]]\nb = 1''', ]\nc = 1", {("p", 1): (1, {"a": 2, "c": 6})}),
        # texts and comments with signs in them
        ("[p]\na = \"'''\"\nb = '\"\"\"'\nc = 1", {("p", 1): (1, {"a": 2, "b": 3, "c": 4})}),
        ('[p]\na = "[{\\"["\nb = 1  # """ [[\nc = 1', {("p", 1): (1, {"a": 2, "b": 3, "c": 4})}),
        # lists and tables of several lines
        ("[p]\na = [\n  [1],\n  [\n[2]\n],\n]\nb = 1", {("p", 1): (1, {"a": 2, "b": 8})}),
        ("[p]\na = [\n  { b = 1, c = [\n{ d = 2 }] },\n]\nd = 1", {("p", 1): (1, {"a": 2, "d": 6})}),
        # tables in tables
        ("[[p]]\na = 1\n[p.b.c]\na = 2\n[p.b.d]\n[[p]]\na = 3",
         {("p", 1): (1, {"a": 2, "b": 3, "b.c": 3, "b.c.a": 4, "b.d": 5}), ("p", 2): (6, {"a": 7})}),
        ("[[p]]\nb.c = 1\nb . d = 2", {("p", 1): (1, {"b": 2, "b.c": 2, "b.d": 3})}),
        ("[[p]]\n[[q]]\n[p.b]\na = 1", {("p", 1): (1, {"b": 3, "b.a": 4}), ("q", 1): (2, {})}),
        ("[[p]]\n[[p.b]]\na = 1\n[[p.b]]\na = 2\n[[p]]\n[[p.b]]\na = 3",
         {("p", 1): (1, {"b": 2, "b.1": 2, "b.1.a": 3, "b.2": 4, "b.2.a": 5}),
          ("p", 2): (6, {"b": 7, "b.1": 7, "b.1.a": 8})}),
        ("[p.b]\na = 1", {("p", 1): (1, {"b": 1, "b.a": 2})}),
    ],
)  # fmt: skip
def test_tables_and_keys_have_their_lines(text, expected):
    assert lines(text) == expected


def test_what_stands_before_the_first_head_is_known_too():
    assert lines_of("\na = 1\n[p]")["", 1] == (1, {"a": 2})


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_table_of_a_long_file_is_found(path):
    """Next to a line that a search for its name finds."""
    text = path.read_text("utf-8")
    values, found = tomllib.loads(text), lines_of(text)
    tables = {
        (part, number): table
        for part, given in values.items()
        for number, table in enumerate(given if isinstance(given, list) else [given], start=1)
    }
    assert set(found) == {("", 1), *tables}
    rows = text.split("\n")
    for place, table in tables.items():
        head, keys = found[place]
        assert rows[head - 1].strip("[]") == place[0]
        assert set(table) == {key for key in keys if "." not in key}
        at = {key: rows[keys[key] - 1].lstrip("[") for key in table}
        assert all(line.startswith((key, f"{place[0]}.{key}")) for key, line in at.items())
