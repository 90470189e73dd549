"""What one chooses above the rows: lists, and words in comments and notes."""

import itertools

import pytest

from datasets.models import Contradiction
from datasets.taxonomy import EXPLICIT, IMPLICIT
from evaluation.rows.choice import ResponseChoice, chosen
from generation.prompts import prompting
from judging.models import Judgment
from tests.evaluation.factories import SCALE, resolve_all

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def count(study, **query):
    return chosen(study, ResponseChoice.from_query(query, study)).count()


@pytest.fixture
def told_apart(study):
    """Every comment says "plain", one of alice's "The mill stands", and carol's two notes "Read again"."""
    resolve_all(study)
    Judgment.objects.update(comment="plain")
    one = Judgment.objects.filter(slot__judge__person__username="alice").earliest("pk")
    Judgment.objects.filter(pk=one.pk).update(comment="The mill\nstands & turns")
    return study


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", 24),
        ("mill", 1),
        ("MILL the", 1),
        ("mill turns", 1),
        ("mill plain", 0),  # two comments on one response, none with both words
        ("read again", 2),
        ("plain", 24),
        ("100%", 0),
        ("_", 0),
        ("stands & turns", 1),
    ],
)
def test_words_are_looked_for_in_each_comment_and_note(told_apart, words, found):
    assert count(told_apart, words=words) == found


def test_a_judge_and_words_are_that_judges_words(told_apart):
    alice, bob = (
        told_apart.judges.get(person__username=name).pseudonym for name in ("alice", "bob")
    )
    assert count(told_apart, judge=alice) == 24
    assert count(told_apart, judge=alice, words="mill") == 1
    assert count(told_apart, judge=bob, words="mill") == 0
    assert count(told_apart, judge=alice, words="read again") == 0
    assert count(told_apart, judge="nobody") == 0


def test_a_cause_is_that_of_the_resolution(told_apart):
    assert count(told_apart, cause="slip") == 2
    assert count(told_apart, cause="gold") == 0


def sorted_by(study, sort):
    return list(chosen(study, ResponseChoice.from_query({"sort": sort}, study)))


@pytest.mark.parametrize(
    ("sort", "value", "order"),
    [
        ("question", lambda item: item.response.instance.contradiction.title, sorted),
        ("model", lambda item: str(item.response.model), sorted),
        ("prompt", lambda item: prompting.find(item.response.prompt).label, sorted),
        ("verdict", lambda item: item.resolution.verdict, SCALE.index),
        ("cause", lambda item: item.resolution.cause, ["slip", ""].index),
    ],
)
def test_rows_are_sorted_by_what_was_chosen_and_then_as_in_the_study(
    told_apart, sort, value, order
):
    items = sorted_by(told_apart, sort)
    values = [value(item) for item in items]
    assert len(set(values)) > 1
    places = sorted(set(values), key=None if order is sorted else order)
    in_order = [(places.index(value(item)), item.position) for item in items]
    if sort == "question":
        in_order = [place for place, _ in in_order]
    assert in_order == sorted(in_order)
    assert len(items) == count(told_apart)


def test_the_reasoning_sorts_explicit_before_implicit_before_untyped(told_apart):
    about = list(Contradiction.objects.order_by("pk"))
    for one, kind in zip(about, itertools.cycle([None, IMPLICIT, EXPLICIT])):
        Contradiction.objects.filter(pk=one.pk).update(type_4=kind)
    kinds = [item.response.instance.contradiction.type_4 for item in sorted_by(told_apart, "slice")]
    assert [kind for kind, _ in itertools.groupby(kinds)] == [EXPLICIT, IMPLICIT, None]


@pytest.mark.parametrize(
    "query", [{"cause": "weather"}, {"words": "a" * 201}, {"sort": "position"}]
)
def test_what_cannot_be_chosen_is_refused(client, rita, study, query):
    assert client.get(f"/reports/{study.pk}/rows/", query).status_code == 400


def test_the_page_keeps_what_a_number_chose(client, rita, told_apart):
    query = {"of": "first", "differ": "yes", "words": "plain", "prompt": "both-passages"}
    page = client.get(f"/reports/{told_apart.pk}/rows/", query).content.decode()
    assert 'name="sort" value' not in page
    assert 'name="of" value="first"' in page
    assert 'name="differ" value="yes"' in page
    assert page.count('name="prompt"') == 1
    assert '<option value="both-passages" selected dir="auto">' in page
    assert 'name="words" type="search" dir="auto" maxlength="200" value="plain"' in page


def test_words_are_text_on_the_page(client, rita, study):
    page = client.get(f"/reports/{study.pk}/rows/", {"words": '"><script>'}).content.decode()
    assert "<script>" not in page.replace('<script type="module"', "").replace("<script src", "")
    assert "No response matches." in page
