import pytest

from datasets.deviations import DeviationKind, deviations
from datasets.schema import parse
from tests.datasets.factories import PLACEHOLDERS, TYPES, annotation, record


def found_in(whole):
    parsed = parse(whole)
    return deviations(parsed.columns, parsed.slots)


def test_a_record_that_the_form_would_take_has_none():
    assert found_in(record()) == []


@pytest.mark.parametrize(
    ("changes", "kind", "place"),
    [
        ({"relevantInfo_comment_A_Span": "1792"}, DeviationKind.SPAN, "span_1"),
        ({"relevantInfo_comment_B_Span": "begun in 1803"}, DeviationKind.SPAN, "span_2"),
        ({"wikitag_label_samepassage": None}, DeviationKind.SAME_PASSAGE, "same_passage"),
        ({"wikitag_label_samepassage": "Same"}, DeviationKind.SAME_BUT_DIFFERENT, "same_passage"),
        (
            {"paragraphB_information_standalone": "The Old Mill was  built in 1791."}
            | {"relevantInfo_comment_B_Span": "1791"},
            DeviationKind.DIFFERENT_BUT_SAME,
            "same_passage",
        ),
        ({"confidence": ""}, DeviationKind.CONFIDENCE, "confidence"),
        ({"confidence": None}, DeviationKind.CONFIDENCE, "confidence"),
        ({"confidence": "6"}, DeviationKind.CONFIDENCE_VALUE, "confidence"),
        ({"relevantInfo_comment_A": " "}, DeviationKind.STATEMENT, "statement_1"),
        ({"relevantInfo_comment_B": None}, DeviationKind.STATEMENT, "statement_2"),
        ({"taxonomy": [*TYPES, ["Contradict type II", "Other"]], "Contradict type II": "Other"},
         DeviationKind.TYPE_TWICE, "taxonomy"),
        ({"taxonomy": TYPES[:3], "Contradict type IV": None}, DeviationKind.TYPE_MISSING, "taxonomy"),
        ({"Contradict type IV": None}, DeviationKind.TYPE_KEY, "type_4"),
        ({"taxonomy": [*TYPES, ["Contradict type V"]]}, DeviationKind.TYPE_UNKNOWN, "taxonomy"),
        ({"question1": None, "question1_answer1": None}, DeviationKind.NO_QUESTION, "question_1"),
        ({"question1_answer1": " 1803"}, DeviationKind.EQUAL_ANSWERS, "question_1"),
        (PLACEHOLDERS | {"question2": "Who?"}, DeviationKind.PLACEHOLDER, "question_2"),
        ({"question1_answer2": " "}, DeviationKind.EMPTY_ANSWER, "question_1_answer_2"),
        ({"paragraphA_information_standalone": " ", "relevantInfo_comment_A_Span": "It was"},
         DeviationKind.EMPTY_PASSAGE, "passage_1"),
        ({"paragraphB_information_standalone": "", "paragraphB_information": "",
          "relevantInfo_comment_B_Span": ""}, DeviationKind.EMPTY_PASSAGE, "passage_2"),
    ],
)  # fmt: skip
def test_a_departure_from_the_form_is_named(changes, kind, place):
    assert [(one.kind, one.place) for one in found_in(record(given=annotation(**changes)))] == [
        (kind, place)
    ]


def test_what_is_empty_twice_is_not_also_called_equal():
    empty = dict.fromkeys(("question1_answer1", "question1_answer2"), "")
    empty |= {f"paragraph{n}_information{rest}": "" for n in "AB" for rest in ("", "_standalone")}
    empty |= {f"relevantInfo_comment_{n}_Span": "" for n in "AB"}
    assert [(one.kind, one.place) for one in found_in(record(given=annotation(**empty)))] == [
        (DeviationKind.EMPTY_PASSAGE, "passage_1"), (DeviationKind.EMPTY_PASSAGE, "passage_2"),
        (DeviationKind.EMPTY_ANSWER, "question_1_answer_1"), (DeviationKind.EMPTY_ANSWER, "question_1_answer_2"),
    ]  # fmt: skip


def test_an_option_in_the_wrong_dimension_is_unknown_there():
    moved = [*TYPES[:3], ["Contradict type IV", "Text - Text"]]
    whole = record(given=annotation(**{"taxonomy": moved, "Contradict type IV": "Text - Text"}))
    assert [one.kind for one in found_in(whole)] == [DeviationKind.TYPE_UNKNOWN]


def test_a_span_in_the_copied_passage_is_in_its_passage():
    assert found_in(record(given=annotation(relevantInfo_comment_A_Span="It was"))) == []


@pytest.mark.parametrize("span", ["1791", " 179", "built in 1791.", "It\twas  built"])
def test_a_span_is_in_its_passage_however_either_is_folded(span):
    given = annotation(
        paragraphA_information="It\xa0was\n built  in\t1791.",
        paragraphA_information_standalone="",
        relevantInfo_comment_A_Span=span,
    )
    assert found_in(record(given=given)) == []


def test_an_invalid_tag_ends_after_its_first_step():
    assert found_in(record(given={"wikitag_label_valid": "Invalid"})) == []
    asked = annotation(wikitag_label_valid="Invalid")
    assert [one.kind for one in found_in(record(given=asked))] == [DeviationKind.INVALID_ANSWERED]
