"""The place of a contradicted span in its passage."""

import pytest

from annotation.fields.form_input import read_changes
from annotation.fields.span_ranges import marked, ranges_at
from annotation.fields.steps import STEPS
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow.saving import entries_of
from datasets.models import Contradiction
from tests.annotation import factories as make
from tests.annotation.factories import decide

TEXT = "A 🏭 built in 1801, not in 1820."


@pytest.mark.parametrize(
    ("span", "place", "ranges"),
    [
        ("1801", "13-17", [[13, 17]]),
        ("1801 … 1820", "13-17 26-30", [[13, 17], [26, 30]]),
        ("1820", "13-17", []),
        ("1801", "", []),
        ("", "", []),
        ("1801", "900-904", []),
        ("", "17-13", []),
    ],
)
def test_a_place_counts_only_while_it_gives_the_words_of_the_span(span, place, ranges):
    assert ranges_at(TEXT, span, place) == ranges


@pytest.mark.parametrize(
    ("posted", "kept"),
    [
        ("13-17 26-30", "13-17 26-30"),
        ("13-", ""),
        ("<b>", ""),
        (7, ""),
        ("1-2 ", ""),
        ("1-2 " * 300 + "1-2", ""),
    ],
)
def test_a_place_of_another_shape_is_left_out(posted, kept):
    reading = read_changes(STEPS, {"span_1_at": posted})
    assert (reading.entries, reading.problems) == ({"span_1_at": kept}, {})


@pytest.mark.django_db
def test_a_record_has_the_ranges_that_the_annotator_selected():
    alice = make.annotator("alice")
    entries = make.whole(span_1="1801", span_1_at="25-29", span_2_at="0-3")
    annotation = make.submitted(alice, entries=entries)
    assert entries_of(annotation)["span_1_at"] == "25-29"
    decide(annotation, make.admin("olga2"), "accept")
    publish_campaign(annotation.assignment.campaign)
    record = Contradiction.objects.get()
    assert (record.span_1_ranges, record.span_2_ranges) == ([[25, 29]], [])


def test_a_passage_is_marked_where_its_span_is():
    text = "Built in 1801, not in 1820."
    assert marked(text, "1801", "9-13") == [
        ("Built in ", False),
        ("1801", True),
        (", not in 1820.", False),
    ]
    typed = marked(text, "1801 … 1820", "")
    assert [piece for piece, is_span in typed if is_span] == ["1801", "1820"]
    assert "".join(piece for piece, _ in typed) == text
    assert marked(text, "1901", "9-13") == [(text, False)]
    assert marked("", "1801", "") == []
