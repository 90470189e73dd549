from dataclasses import dataclass

import pytest

from datasets.contexts import (
    QuestionKind,
    Reasoning,
    context_1,
    context_2,
    merged_context,
    question_kind,
    reasoning,
)


@dataclass
class Pair:
    passage_1_copied: str | None = "It was built in 1791."
    passage_1_standalone: str | None = "The mill was built in 1791. "
    passage_2_copied: str | None = " Begun in 1803"
    passage_2_standalone: str | None = None
    same_passage: str | None = None


def test_a_context_is_the_stand_alone_passage_else_the_copied_one_unstripped():
    assert context_1(Pair()) == "The mill was built in 1791. "
    assert context_2(Pair()) == " Begun in 1803"


@pytest.mark.parametrize("same", [None, "Different"])
def test_two_passages_are_merged_on_two_lines(same):
    assert merged_context(Pair(same_passage=same)) == "The mill was built in 1791. \n Begun in 1803"


def test_the_same_passage_is_given_once():
    assert merged_context(Pair(same_passage="Same")) == "The mill was built in 1791. "


def test_equal_texts_are_the_same_passage_only_by_the_annotators_answer():
    pair = Pair(passage_1_standalone="a", passage_2_standalone="a")
    assert merged_context(pair) == "a\na"


def test_a_tag_without_passages_has_empty_contexts():
    assert merged_context(Pair(None, None, None, None, "Same")) == ""


@pytest.mark.parametrize(
    ("type_4", "group"),
    [
        ("Explicit", Reasoning.EXPLICIT),
        ("Implicit (reasoning required)", Reasoning.IMPLICIT),
        (None, Reasoning.UNTYPED),
        ("", Reasoning.UNTYPED),
        ("Implicit", Reasoning.UNTYPED),
    ],
)
def test_only_the_two_options_are_a_reasoning(type_4, group):
    assert reasoning(type_4) is group


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Was the mill built in 1791?", QuestionKind.YES_NO),
        (" “Did it burn?”", QuestionKind.YES_NO),
        ("ISN'T it old?", QuestionKind.YES_NO),
        ("Can’t it turn?", QuestionKind.YES_NO),
        ("Israel or Jordan?", QuestionKind.WH),
        ("When was it built?", QuestionKind.WH),
        ("In which year did it burn?", QuestionKind.WH),
        ("", QuestionKind.WH),
    ],
)
def test_a_question_that_opens_with_an_auxiliary_verb_asks_for_yes_or_no(question, kind):
    assert question_kind(question) is kind
