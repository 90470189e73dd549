"""The tables of a protocol before there are responses: their axes, columns, margins and measures."""

from evaluation.report.example_tables import table_blocks
from protocols.checking import all_problems, part_keys
from protocols.reading import read_protocol
from protocols.shipped import declaration_of
from tests.protocols.factories import WHOLE, changed


def block(text, name="by-setting"):
    declaration = read_protocol(text.encode(), all_problems, part_keys())
    [found] = table_blocks(declaration, {})["table", name]
    return found


def test_a_table_has_its_axes_and_a_dash_for_each_figure():
    found = block(WHOLE)
    assert found.head == [
        [("", 1), ("alone", 1), ("read", 1)],
        [("Model", 1), ("Accuracy", 1), ("Accuracy", 1)],
    ]
    assert found.rows == [["Each model", "–", "–"]]


def test_slices_have_their_known_values_and_margins_stand_beside_them():
    text = changed(
        'columns = ["setting"]', 'columns = ["mill", "setting"]\nmean = "setting"', WHOLE
    )
    text = changed('rows = ["model"]', 'rows = ["sample"]\nwhere = { setting = "read" }', text)
    found = block(text)
    assert found.head == [
        [("", 1), ("water", 2), ("wind", 2)],
        [("", 1), ("read", 1), ("mean over setting", 1), ("read", 1), ("mean over setting", 1)],
        [("Sample", 1), *[("Accuracy", 1)] * 4],
    ]
    assert found.rows == [["Each sample", *["–"] * 4]]


def test_combinations_that_no_prompt_has_are_left_out():
    heads = table_blocks(declaration_of("conflictbank"), {})["table", "figure-3"][0].head
    assert [words for words, _ in heads[0]] == [
        "", "misinformation", "temporal", "semantic", "mean over cause", "pooled over cause",
    ]  # fmt: skip


def test_wikicontradict_declares_no_tables():
    assert table_blocks(declaration_of("wikicontradict"), {}) == {}


def test_people_next_to_a_scorer_have_the_labels_of_both():
    [found] = table_blocks(declaration_of("knot"), {})["validation", "figure-6"]
    assert found.head == [[("People", 1), ("answer: wrong", 1), ("answer: right", 1)]]
    assert found.rows == [["wrong", "–", "–"], ["right", "–", "–"]]
