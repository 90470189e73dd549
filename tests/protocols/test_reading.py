"""Reading a protocol's file: what it gives, and a sentence with its line for everything that is wrong."""

import re

import pytest

from protocols.declaration import (
    DeclarationProblem,
    DeclaredField,
    FieldType,
    FileShape,
    ProtocolError,
    Shape,
)
from protocols.reading import LARGEST, read_protocol
from protocols.shipped import FOLDER
from tests.protocols.factories import TEXT, changed

LIST = '[file]\nshape = "list"'
OBJECT = '[file]\nshape = "object"'
LINES = '[file]\nshape = "lines"'
READS = '{ 1 = " in {1}", 2 = " from {1} to {2}" }'


def read(text):
    return read_protocol(text.encode(), lambda _: [])


def problems(data):
    with pytest.raises(ProtocolError) as refused:
        read_protocol(data, lambda _: [])
    return list(map(str, refused.value.problems))


def test_a_file_gives_its_fields_shape_and_item():
    declared = read(TEXT)
    assert (declared.name, declared.version, declared.notes) == (
        "mills",
        1,
        ("The order is ours.",),
    )
    assert str(declared) == "mills version 1"
    assert declared.file == FileShape(Shape.LINES)
    assert declared.item.cluster == "mill"
    assert list(declared.fields) == ["mill", "question", "source", "options", "right"]
    assert list(declared.slices) == ["mill"]
    options = declared.fields["options"]
    assert options == DeclaredField(
        "options", FieldType.LIST, reads={1: " in {1}", 2: " from {1} to {2}"}
    )
    assert declared.fields["right"].of == "options"
    assert [declared.fields[name].title for name in ("source", "options")] == ["Source", "Options"]
    assert not declared.is_scored


@pytest.mark.parametrize(
    ("shape", "given"),
    [
        ('shape = "list"\nindent = 4', FileShape(Shape.LIST, indent=4)),
        ('shape = "list"\nascii = true', FileShape(Shape.LIST, ascii=True)),
        (
            'shape = "object"\nlist = "examples"\nkeep = ["canary"]',
            FileShape(Shape.OBJECT, "examples", ("canary",)),
        ),
    ],
)
def test_a_file_of_records_may_be_a_list_or_in_an_object(shape, given):
    assert read(changed('shape = "lines"', shape)).file == given


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_the_protocols_that_come_with_the_program_are_read(path):
    declared = read_protocol(path.read_bytes(), lambda _: [])
    assert declared.name == path.stem


def test_the_bytes_decide_the_hash_and_not_what_they_say():
    assert read(TEXT).sha256 != read(f"{TEXT}\n").sha256
    assert read(TEXT).fixed == read(f"{TEXT}\n").fixed


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "The file is empty."),
        (b" \n\n", "The file is empty."),
        (b"x" * 5_000_000, "The file has more than 1,000,000 bytes. No protocol is that long."),
        (b'[protocol]\nname = "caf\xe9"', "line 2: This is not UTF-8. Save the file as UTF-8."),
        (TEXT.encode("utf-16"), "line 1: This is not UTF-8. Save the file as UTF-8."),
        (b'[protocol]\nname = mills', "line 2: The file is not TOML: Invalid value (column 8)."),
        (b'[protocol]\n[protocol]', "line 2: The file is not TOML: Cannot declare ('protocol',) twice (column 10)."),
        (b'{"protocol": {}}', "line 1: The file is not TOML: Invalid statement (column 1)."),
        (b"a = 1\n" + b"a." * 100_000 + b"a = 1", "line 2: A key of so many parts cannot be read."),
        (b"a = " + b"[" * 5_000, "The file holds a value that cannot be read."),
        (b"a = 1" + b"0" * 5_000, "The file holds a value that cannot be read."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_at_all_is_refused(data, sentence):
    assert problems(data) == [sentence]


def test_the_largest_file_is_read():
    assert read(TEXT + "#" * (LARGEST - len(TEXT))).name == "mills"


def test_a_file_with_the_line_ends_and_the_mark_of_windows_is_read():
    assert read("\ufeff" + TEXT.replace("\n", "\r\n")).name == "mills"
    bad = changed('type = "list"', 'type = "lists"').replace("\n", "\r\n")
    assert problems(bad.encode())[0].startswith("line 32, field 'options', type: ")


BY = f'{LINES}\nby = "mill"\n'
FOR_EACH = "name a file for each of water, wind, and for nothing else."
PLAIN = "a file's name has letters, digits, and . _ - within, as simple.json."
NAMES = "at most 24 small letters, digits, hyphens and underscores, beginning with a letter."


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        # parts
        ("[protocol]", "[study]", "[protocol] is missing."),
        ("[protocol]", "[[protocol]]", "line 1, protocol: write it as [protocol]."),
        ("[file]", "[files]",
         "line 9, files: this is no part of a protocol. There are protocol, file, item, field, example, prompt"),
        ("[protocol]", "colour = 1\n[protocol]", "line 1, colour: this is no part of a protocol."),
        ("[protocol]", "prompt = 1\n[protocol]", "line 1, prompt: write each as [[prompt]]."),
        ("[protocol]", "[prompt]\n[protocol]", "line 1, prompt: write each as [[prompt]]."),
        ("[protocol]", "prompt = [1]\n[protocol]", "line 1, prompt: write each as [[prompt]]."),
        # the protocol
        ('name = "mills"', 'name = "our/mills"',
         f"line 2, protocol 'our/mills', name: 'our/mills' cannot be a name. Use {NAMES}"),
        ('name = "mills"', 'name = "../mills"', f"'../mills' cannot be a name. Use {NAMES}"),
        ('name = "mills"', 'name = "mills.v2"', f"'mills.v2' cannot be a name. Use {NAMES}"),
        ('name = "mills"', 'name = "Mills"', f"'Mills' cannot be a name. Use {NAMES}"),
        ('name = "mills"', 'name = ""', f"'' cannot be a name. Use {NAMES}"),
        ('name = "mills"', f'name = "{"m" * 300}"', f"'{'m' * 80}' cannot be a name. Use {NAMES}"),
        ('name = "mills"', 'name = "our-mills"', "line 2, protocol 'our-mills', name: write the name without hyphens."),
        ('name = "mills"', "name = 7", "line 2, protocol, name: this is not a text."),
        ("version = 1", "version = 0", "line 3, protocol 'mills', version: write a number from 1 to 10000."),
        ("version = 1", "version = 10001", "line 3, protocol 'mills', version: write a number from 1 to 10000."),
        ("version = 1", "version = 1.0", "line 3, protocol 'mills', version: this is not a whole number."),
        ("version = 1", "version = true", "line 3, protocol 'mills', version: this is not a whole number."),
        ("version = 1", "", "line 1, protocol 'mills': version is missing."),
        ('licence = "CC0"', 'licence = " "', "line 6, protocol 'mills', licence: the text is empty."),
        ('title = "Mills', 'title = "\\u0000Mills',
         "line 4, protocol 'mills', title: the text has a NUL character. Remove it."),
        ('title = "', f'title = "{"t" * 120}',
         "line 4, protocol 'mills', title: the text has 148 characters; at most 120 are allowed."),
        ('notes = ["The order is ours."]', "notes = []",
         "line 7, protocol 'mills', notes: the list is empty. Leave the key out, or name something."),
        ('notes = ["The order is ours."]', 'notes = ["a", "a"]',
         "line 7, protocol 'mills', notes: one text is there twice."),
        ('notes = ["The order is ours."]', 'notes = ["a", 1]', "line 7, protocol 'mills', notes: this is not a text."),
        ('notes = ["The order is ours."]', 'notes = "a"',
         "line 7, protocol 'mills', notes: this is not a list of texts."),
        ('licence = "CC0"', 'license = "CC0"',
         "line 6, protocol 'mills', license: this is no key of [protocol]. There are name, version, title, source"),
        # the file
        (LINES, '[file]\nshape = "table"', "line 10, file, shape: 'table' is none of lines, list, object, csv."),
        (LINES, OBJECT, "line 9, file, list: an object needs the key of its records: list."),
        (LINES, f'{LIST}\nlist = "examples"', "line 11, file, list: only an object has a list."),
        (LINES, f'{LIST}\nkeep = ["canary"]', "line 11, file, keep: only an object has further keys."),
        (LINES, f'{OBJECT}\nlist = "all"\nkeep = ["all"]',
         "line 12, file, keep: 'all' has the records already."),
        (LINES, f"{LINES}\nindent = 2",
         "line 11, file, indent: a list or an object is indented by 1 to 8 blanks."),
        (LINES, f"{LIST}\nindent = 0",
         "line 11, file, indent: a list or an object is indented by 1 to 8 blanks."),
        (LINES, f"{LIST}\nindent = 9",
         "line 11, file, indent: a list or an object is indented by 1 to 8 blanks."),
        (LINES, '[file]\nshape = "csv"\nindent = 2',
         "line 11, file, indent: a list or an object is indented by 1 to 8 blanks."),
        (LINES, '[file]\nshape = "csv"\nascii = true', "line 11, file, ascii: CSV escapes no characters."),
        (LINES, '[file]\nshape = "csv"\nkeep = ["canary"]', "line 11, file, keep: only an object has further keys."),
        (LINES, f'{LINES}\nascii = "no"', "line 11, file, ascii: this is not true or false."),
        (LINES, f'{OBJECT}\nlist = "all"\nkeep = ["licence"]\ncanary = "canary"',
         "line 13, file, canary: 'canary' is none of keep."),
        (LINES, f'{LINES}\nby = "source"', "line 11, file, by: 'source' is no slice with values."),
        (LINES, f'{LINES}\nby = "mills"', "line 11, file, by: 'mills' is no slice with values."),
        (LINES, BY, f"line 9, file, names: {FOR_EACH}"),
        (LINES, f'{LINES}\nnames = {{ water = "a" }}',
         "line 11, file, names: only files by a slice have names for its values."),
        (LINES, f'{BY}names = {{ water = "a", wind = "b", tide = "c" }}', f"line 12, file, names: {FOR_EACH}"),
        (LINES, f'{BY}names = {{ water = "a", wind = "../b" }}', f"line 12, file, names: {PLAIN}"),
        (LINES, f'{BY}names = {{ water = "a", wind = 5 }}', f"line 12, file, names: {PLAIN}"),
        (LINES, f'{BY}names = {{ water = "mills.json", wind = "windmills.json" }}',
         "line 12, file, names: one name is within another, so that a file's name would fit both."),
        # the item
        ('cluster = "mill"', 'cluster = "weir"',
         "line 15, item, cluster: 'weir' is no field that holds a text."),
        ('question = "question"', 'question = "options"',
         "line 14, item, question: 'options' is no field that holds a text."),
        ('cluster = "mill"', "", "line 12, item: cluster is missing."),
        # fields
        ('name = "source"', 'name = "question"',
         "line 26, field 'question', name: number 2 has this name already. Choose another."),
        ('name = "source"', 'name = "the source"',
         "line 26, field 'the source', name: 'the source' cannot be a name. Use at most 60 small letters"),
        ('name = "source"', f'name = "{"s" * 300}"',
         f"name: '{'s' * 80}' cannot be a name. Use at most 60 small letters"),
        ('name = "source"', 'name = "reply"',
         "line 26, field 'reply', name: 'reply' means something else here. Choose another name."),
        ('name = "source"', 'name = "model"',
         "line 26, field 'model', name: 'model' means something else here. Choose another name."),
        ('name = "source"', "", "line 25, field number 3: name is missing."),
        ('type = "passage"', 'type = "image"',
         "line 27, field 'source', type: 'image' is none of text, passage, list, letter."),
        ('type = "passage"', 'pattern = "a+"',
         "line 27, field 'source', pattern: this is no key of [field]. There are name, type, label"),
        ('label = "Source"', f'label = "{"L" * 61}"',
         "line 28, field 'source', label: the text has 61 characters; at most 60 are allowed."),
        ('of = "options"', 'of = "question"', "line 38, field 'right', of: 'question' is no field that is a list."),
        ('of = "options"', 'of = "choices"', "line 38, field 'right', of: 'choices' is no field that is a list."),
        ('of = "options"', "", "line 35, field 'right', of: say of which list it is a letter: of."),
        ('type = "letter"', "", "line 38, field 'right', of: only a letter is of a list."),
        ('says = "question"', 'says = "options"', "line 39, field 'right', says: 'options' is no field of type text."),
        ('label = "Source"', 'says = "mill"',
         "line 28, field 'source', says: only a letter says what another field holds."),
        ("slice = true", "slice = false", "line 20, field 'mill', values: values are those of a slice: slice = true."),
        ('label = "Source"', "slice = true", "line 28, field 'source', slice: only a field of type text is a slice."),
        ('slice = true', "slice = true\noptional = true",
         "line 20, field 'mill', optional: a slice, a letter and what a letter names are in every record."),
        ('type = "list"', 'type = "list"\noptional = true',
         "line 33, field 'options', optional: a slice, a letter and what a letter names are in every record."),
        ('label = "Source"', 'one_of = "options"', "line 28, field 'source', one_of: only a text is one of a list."),
        ('type = "passage"', 'one_of = "mill"', "line 27, field 'source', one_of: 'mill' is no field that is a list."),
        ('name = "question"', 'name = "question"\noptional = true',
         "line 14, item, question: a record may lack 'question'. Name one that all have."),
        ('label = "Source"', f"reads = {READS}", "line 28, field 'source', reads: only a list reads by its length."),
        (READS, '{ 1 = " in {2}" }', "line 33, field 'options', reads: a list of 1 has no {2}."),
        (READS, '{ 2 = " in {0}" }', "line 33, field 'options', reads: a list of 2 has no {0}."),
        (READS, '{ 2 = " in {1}, {question}" }', "line 33, field 'options', reads: a list of 2 has no {question}."),
        (READS, '{ 2 = " in {1.real}" }', "line 33, field 'options', reads: a list of 2 has no {1.real}."),
        (READS, '{ one = " in {1}" }',
         """line 33, field 'options', reads: write a text for each length, as 1 = " in {1}"."""),
        (READS, "{ 1 = 1 }", """line 33, field 'options', reads: write a text for each length, as 1 = " in {1}"."""),
        (READS, f'{{ {"1" * 5_000} = "x" }}',
         """line 33, field 'options', reads: write a text for each length, as 1 = " in {1}"."""),
        (READS, "{}", "line 33, field 'options', reads: write a text for each length, as 1 = \" in {1}\"."),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_table_key_and_line(old, new, sentence):
    text = changed(old, new)
    found = problems(text.encode())
    assert any(sentence in problem for problem in found), found


def test_a_record_needs_a_field():
    text = TEXT[: TEXT.index("[[field]]")]
    assert "[[field]] is missing: a record needs fields." in problems(text.encode())


def test_all_mistakes_are_named_at_once():
    text = changed("version = 1", 'version = "one"', changed('type = "list"', 'type = "lists"'))
    found = problems(text.encode())
    assert [problem.split(":")[0] for problem in found] == [
        "line 3, protocol 'mills', version",
        "line 32, field 'options', type",
    ]


def test_files_may_be_parted_by_a_slice_whose_values_can_be_in_a_file_name():
    names = 'names = { water = "mills_by_water.json", wind = "mills_by_wind.json" }'
    file = read(changed(LINES, f"{BY}{names}")).file
    assert (file.by, file.names["wind"]) == ("mill", "mills_by_wind.json")
    spaced = names.replace("wind =", "'the wind' =")
    text = changed('"wind"', '"the wind"', changed(LINES, f"{BY}{spaced}"))
    assert problems(text.encode()) == [
        "line 11, file, by: 'the wind' names a file's records. Use small letters, digits and hyphens."
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("knot_with_simple_questions.json", "simple"),
        ("KNOT_with_Simple_questions (2).JSON", "simple"),
        ("knot-1.0-knot_with_explicit_questions.json", "explicit"),
        ("questions.json", ""),
        ("knot_with_simple_questions+knot_with_explicit_questions.json", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_file_says_which_part_it_is(name, value):
    names = {one: f"knot_with_{one}_questions.json" for one in ("simple", "explicit")}
    assert FileShape(Shape.LINES, by="level", names=names).value_of(name) == value


def test_what_the_rooms_find_wrong_with_their_parts_refuses_the_file():
    text = f'{TEXT}\n[[prompt]]\nname = "one"\ntags = {{ order = "first" }}\n'
    wrong = DeclarationProblem("it has no text.", "prompt 'one'", "text", 42)
    with pytest.raises(
        ProtocolError, match=re.escape("line 42, prompt 'one', text: it has no text.")
    ):
        read_protocol(text.encode(), lambda _: [wrong])
    [prompt] = read(text).entries("prompt")
    assert (prompt.name, prompt.number, prompt.line) == ("one", 1, 41)
    assert prompt.problem("this is no axis.", "tags.order").line == 43


@pytest.mark.parametrize("part", ["prompt", "rubric", "scorer", "population", "measure", "table"])
def test_two_of_a_part_with_one_name_are_refused(part):
    text = f'{TEXT}\n[[{part}]]\nname = "one"\n[[{part}]]\nname = "one"\n'
    assert problems(text.encode()) == [
        f"line 44, {part} 'one', name: number 1 has this name already. Choose another."
    ]
