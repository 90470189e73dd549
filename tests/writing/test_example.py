"""The forms of a protocol on an example record."""

from protocols.checking import all_problems, part_keys
from protocols.example_record import invented
from protocols.reading import read_protocol
from tests.writing.factories import TEXT
from writing.declared.example import form_blocks


def test_each_form_has_what_its_writer_reads_and_its_steps():
    declaration = read_protocol(TEXT.encode(), all_problems, part_keys())
    shown = form_blocks(declaration, invented(declaration).record)
    assert [name for _, name in shown] == [entry.name for entry in declaration.entries("form")]
    for blocks in shown.values():
        read, *steps = blocks
        assert read.heading == "What the writer reads"
        assert all(words for _, words in read.facts)
        assert [step.heading.partition(":")[0] for step in steps] == [
            f"Step {n}" for n in range(1, len(steps) + 1)
        ]
        assert all(step.facts for step in steps)


def test_a_field_says_its_kind_its_options_and_how_it_begins():
    declaration = read_protocol(TEXT.encode(), all_problems, part_keys())
    record = {**invented(declaration).record, "question": "Who built It?"}
    [_, answer, more] = form_blocks(declaration, record)["form", "answers"]
    assert answer.facts == [
        ("Answer", "A line; it has to be there"),
        ("Other names of it", "A text"),
        ("How sure are you?", "A rating 1, 2, 3, 4, 5"),
    ]
    assert ("Kind", "Some of date, name") in more.facts
