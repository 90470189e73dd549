"""What one chooses above the rows: lists, and words in comments and notes."""

import pytest

from evaluation.rows.choice import Choice, chosen
from judging.models import Judgment
from tests.evaluation.factories import resolve_all

pytestmark = pytest.mark.django_db


def count(study, **query):
    return chosen(study, Choice.read(query)).count()


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


@pytest.mark.parametrize("query", [{"cause": "weather"}, {"words": "a" * 201}])
def test_what_cannot_be_chosen_is_refused(client, rita, study, query):
    assert client.get(f"/reports/{study.pk}/rows/", query).status_code == 400


def test_the_page_keeps_what_a_number_chose(client, rita, told_apart):
    query = {"of": "first", "differ": "yes", "words": "plain", "prompt": "both-passages"}
    page = client.get(f"/reports/{told_apart.pk}/rows/", query).content.decode()
    assert 'name="of" value="first"' in page
    assert 'name="differ" value="yes"' in page
    assert page.count('name="prompt"') == 1
    assert '<option value="both-passages" selected>' in page
    assert 'name="words" type="search" maxlength="200" value="plain"' in page


def test_words_are_text_on_the_page(client, rita, study):
    page = client.get(f"/reports/{study.pk}/rows/", {"words": '"><script>'}).content.decode()
    assert "<script>" not in page.replace('<script type="module"', "").replace("<script src", "")
    assert "No response matches." in page
