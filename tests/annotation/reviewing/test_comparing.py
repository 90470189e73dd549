"""Comparing annotations, joining their questions, and merging them: pure."""

import pytest

from annotation.fields.steps import STEPS
from annotation.reviewing.comparing import compared_steps
from annotation.reviewing.joining import (
    NEITHER,
    alike_pairs,
    are_alike,
    joined_questions,
    picked_wordings,
)
from annotation.reviewing.merging import FieldSources, merged, sources_of
from leases.refusal import Refusal
from tests.annotation.factories import nothing, whole

INVALID = nothing(validity="Invalid", valid_comment="Gone.")


def question(text="When was it built?", one="1801", two="1820"):
    return {
        "question": text,
        "answer_1": one,
        "answer_2": two,
        "derived_1": False,
        "derived_2": False,
    }


def fields(*annotations):
    """Name -> compared field."""
    steps = compared_steps(STEPS, annotations)
    return {each.field.name: each for step in steps for each in step.fields}


def marked(field):
    """The marked words of each cell."""
    return [[piece.text for piece in cell.pieces if piece.kind == "new"] for cell in field.cells]


# ---------------------------------------------------------------- comparing


@pytest.mark.parametrize(
    ("change", "differing"),
    [
        ({}, set()),
        ({"span_1": "in 1801"}, {"span_1"}),
        ({"statement_1": "  the MILL was built in 1801. "}, set()),
        ({"span_1": "“1801”", "span_2": "1,820"}, {"span_1"}),
        ({"type_4": ["Implicit (reasoning required)"]}, {"type_4"}),
        ({"confidence": 1}, {"confidence"}),
        ({"span_1_at": "0-4"}, set()),
    ],
)
def test_which_fields_differ(change, differing):
    base = whole(statement_1="The mill was built in 1801.", span_1="1801", span_2="1820")
    found = fields(base, {**base, **change})
    assert {name for name, each in found.items() if each.differs} == differing


def test_the_order_of_options_is_no_difference():
    one, two = "(PhraseLevel) Entity - Number", "(PhraseLevel) Entity - Date/time"
    found = fields(whole(type_1=[one, two]), whole(type_1=[two, one]))
    assert not found["type_1"].differs


def test_the_words_that_another_lacks_are_marked_in_each_of_three():
    texts = ("built in 1801", "built in 1802", "built of oak in 1801")
    found = fields(*(whole(span_1=text) for text in texts))["span_1"]
    assert marked(found) == [["1801"], ["1802"], ["of oak "]]


def test_a_text_is_marked_against_the_first_and_the_first_against_the_next_that_differs():
    texts = ("1801", "1801", "about 1801")
    found = fields(*(whole(span_1=text) for text in texts))["span_1"]
    assert marked(found) == [[], [], ["about "]]


def test_a_step_that_an_invalid_tag_closes_is_compared_without_it():
    found = fields(whole(), INVALID, whole(span_1="in 1801"))
    assert [cell.index for cell in found["validity"].cells] == [0, 1, 2]
    assert [cell.index for cell in found["span_1"].cells] == [0, 2]
    assert not fields(whole(), INVALID)["span_1"].differs


# ---------------------------------------------------------------- joining


@pytest.mark.parametrize(
    ("other", "wordings"),
    [
        (question(), [2]),
        (question("when was it BUILT"), [2]),
        (question(one="the 1801", two="1,820"), [2]),
        (question(one="1802"), [1, 1]),
        (question(one="1820", two="1801"), [1, 1]),
    ],
)
def test_doubles_are_joined_and_other_answers_contradict(other, wordings):
    (asked,) = joined_questions({7: [question()], 8: [other]})
    assert [len(each.sources) for each in asked.wordings.values()] == wordings
    assert asked.contradicts == (len(wordings) > 1)


def test_swapped_answers_are_named_as_such():
    (asked,) = joined_questions({7: [question()], 8: [question(one="1820", two="1801")]})
    assert asked.is_swapped
    (asked,) = joined_questions({7: [question()], 8: [question(one="1820", two="1830")]})
    assert not asked.is_swapped


def test_a_joined_question_keeps_all_who_wrote_it():
    first, second = joined_questions(
        {7: [question("A?"), question("B?")], 8: [question("b")], 9: []}
    )
    assert [each.annotations for each in first.wordings.values()] == [[7]]
    assert [each.annotations for each in second.wordings.values()] == [[7, 8]]


def test_only_picked_questions_are_taken():
    asked = joined_questions({7: [question("A?"), question("B?")]})
    assert [each.key for each in picked_wordings(asked, {1: ["7-2"], 5: ["7-1"]})] == ["7-2"]


@pytest.mark.parametrize("picked", [[], ["7-1", "8-1"]])
def test_a_contradicting_question_is_refused_until_one_is_chosen(picked):
    asked = joined_questions({7: [question()], 8: [question(one="1802")]})
    with pytest.raises(Refusal, match="different answers"):
        picked_wordings(asked, {0: picked})


@pytest.mark.parametrize(("picked", "count"), [("8-1", 1), (NEITHER, 0)])
def test_one_of_the_contradicting_wordings_or_neither_is_taken(picked, count):
    asked = joined_questions({7: [question()], 8: [question(one="1802")]})
    assert len(picked_wordings(asked, {0: [picked]})) == count


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        (question("When was the mill built?"), question("In what year was the mill built?"), True),
        # The same answers, in any words and order.
        (question("When was it built?"), question("Since when does it stand?", "in 1820", "1801"), True),
        # The same question in other words, with other answers.
        (question("When was the mill built?"), question("What year was the mill built?", "1799"), True),
        (question("How old is it?"), question("Who built it?", "one man", "two men"), False),
        (question("Was it built in 1801?", "yes", "no"), question("Was it built 1801?", "Yes", "No"), True),
        (question("Was it built in 1801?", "yes", "no"), question("Was it built in 1801?", "no", "yes"), False),
        (question("Was it built in 1801?", "yes", "no"), question("Was it red?", "yes", "no"), False),
        (question("Was it built in 1801?", "yes", "no"), question("When was it built?"), False),
        (question("¿?", "?", "!"), question("??", "?", "."), False),
    ],
)  # fmt: skip
def test_which_questions_are_nearly_equal(first, second, alike):
    assert are_alike(first, second) == are_alike(second, first) == alike


def test_nearly_equal_questions_are_pointed_out_between_annotations_only():
    own = [question("When was it built?"), question("Since when does it stand?")]
    asked = joined_questions({7: own, 8: [question("Since which year is it there?")]})
    wordings = [wording for each in asked for wording in each.wordings.values()]
    pairs = [(one.key, two.key) for one, two in alike_pairs(wordings)]
    assert pairs == [("7-1", "8-1"), ("7-2", "8-1")]


# ---------------------------------------------------------------- merging


def test_each_field_comes_from_the_chosen_annotation_and_a_place_with_its_span():
    one, two = whole(span_1="1801", span_1_at="0-4"), whole(span_1="in 1801", span_1_at="3-10")
    (asked,) = joined_questions({7: [question()], 8: [question()]})
    questions = list(asked.wordings.values())
    choice = FieldSources(7, {"span_1": 8, "confidence": 8})
    given = {7: one, 8: {**two, "confidence": 1}}
    entries = merged(given, choice, questions)
    assert (entries["span_1"], entries["span_1_at"], entries["confidence"]) == (
        "in 1801",
        "3-10",
        1,
    )
    assert entries["statement_1"] == one["statement_1"]
    assert entries["questions"] == [question()]
    assert sources_of(given, choice, entries, questions) == {7, 8}


def test_a_merge_that_says_invalid_has_the_first_step_alone():
    given = {7: whole(), 8: INVALID}
    entries = merged(given, FieldSources(7, {"validity": 8}), [])
    assert entries == {**INVALID, "valid_comment": ""}
    assert sources_of(given, FieldSources(7, {"validity": 8}), entries, []) == {7, 8}


def test_those_that_nothing_comes_from_are_no_sources():
    asked = joined_questions({7: [question()], 8: [question("Another?")]})
    questions = picked_wordings(asked, {0: ["7-1"]})
    given = {7: whole(), 8: whole()}
    for choice in (
        FieldSources(7),
        FieldSources(7, {"span_1": 8}),
    ):  # the same words are nothing taken
        entries = merged(given, choice, questions)
        assert sources_of(given, choice, entries, questions) == {7}


def test_a_field_that_another_one_left_empty_is_taken_from_it():
    given = {7: whole(qa_comment="Hard."), 8: whole(qa_comment="")}
    choice = FieldSources(7, {"qa_comment": 8})
    entries = merged(given, choice, [])
    assert entries["qa_comment"] == ""
    assert sources_of(given, choice, entries, []) == {7, 8}
