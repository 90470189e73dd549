"""What an annotator sees of a published decision: what was accepted next to their own, and a note to answer."""

import pytest
from django.urls import reverse

from accounts.models import Person
from annotation.models import Annotation, Campaign, Review, Seen, TagReview
from annotation.reviewing import deciding
from annotation.reviewing.deciding import ReviewInput, ReviewNotes
from annotation.reviewing.publishing_tags import publish_campaign
from tests.annotation import factories as make
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make.admin("olga")


@pytest.fixture
def pair(olga):
    return make.two_of_a_tag({"statement_1": "It is of 1801."}, {"span_1": "1801"}, by=olga)


def accept(chosen, olga, pair, publishes=True, **notes):
    at = make.place_of(chosen)
    versions = {row.pk: row.version for row in at.submitted}
    read = ReviewInput(versions, notes.get("reason", ""), notes.get("by", {}))
    deciding.accept(at, chosen.pk, by=olga, read=read, is_same=True)
    if publishes:
        publish_campaign(Campaign.objects.get())


def path_of(annotation):
    return reverse("annotation:accepted", args=[annotation.assignment_id])


def by(client, name):
    return signed_in(client, Person.objects.get(username=name))


def test_what_was_accepted_is_next_to_one_s_own_without_names_and_is_recorded(client, olga, pair):
    accept(pair[1], olga, pair)
    alice = by(client, "alice")
    assert path_of(pair[0]) in client.get(reverse("annotation:own_progress")).content.decode()
    own = reverse("annotation:annotate", args=[pair[0].assignment_id])
    assert path_of(pair[0]) in client.get(own).content.decode()
    assert not Seen.objects.filter(person=alice).exists()
    page = client.get(path_of(pair[0]))
    assert [field.field.name for field in page.context["desk"].parts.differing] == ["span_1"]
    shown = page.content.decode()
    assert "Another annotation was accepted." in shown
    assert [one.letter for one in page.context["desk"].columns] == ["Yours", "Accepted"]
    assert not any(name in shown for name in ("Bob", "Olga"))
    assert Seen.objects.get(person=alice).opened == path_of(pair[0])


def test_one_s_own_that_was_accepted_is_shown_as_such(client, olga, pair):
    accept(pair[0], olga, pair)
    by(client, "alice")
    assert "Your annotation was accepted." in client.get(path_of(pair[0])).content.decode()


@pytest.mark.parametrize("decides", [True, False])
def test_before_it_is_published_there_is_nothing(client, olga, pair, decides):
    if decides:
        accept(pair[1], olga, pair, publishes=False)
    by(client, "alice")
    assert client.get(path_of(pair[0])).status_code == 404
    own = client.get(reverse("annotation:annotate", args=[pair[0].assignment_id]))
    assert path_of(pair[0]) not in own.content.decode()


def test_nobody_opens_another_person_s(client, olga, pair):
    accept(pair[1], olga, pair)
    by(client, "alice")
    assert client.get(path_of(pair[1])).status_code == 404
    assert client.post(path_of(pair[1]), {"answer": "Mine."}).status_code == 404


def test_who_may_still_get_the_tag_does_not_open_it(client, olga, pair):
    accept(pair[1], olga, pair, by={pair[0].pk: ReviewNotes("Which year?")})
    make.second_round(pair[0])
    Campaign.objects.update(pilot_again=True)
    by(client, "alice")
    page = client.get(path_of(pair[0]))
    assert page.status_code == 409
    assert "You can still get this tag." in page.content.decode()
    assert client.post(path_of(pair[0]), {"answer": "1801."}).status_code == 409
    assert (
        Review.objects.exclude(answer="").count() == Seen.objects.exclude(person=olga).count() == 0
    )


def test_a_note_is_answered_once_and_the_reviewer_reads_it(client, olga, pair):
    accept(pair[1], olga, pair, by={pair[0].pk: ReviewNotes("", {"span_1": "Why so long?"})})
    by(client, "alice")
    page = client.get(path_of(pair[0])).content.decode()
    assert "Why so long?" in page
    for _ in range(2):  # a double click
        done = client.post(path_of(pair[0]), {"answer": " So that\x00 it is whole. "})
        assert done.status_code == 302
    refused = client.post(path_of(pair[0]), {"answer": "Or not."})
    assert refused.status_code == 409
    assert "Or not." in refused.content.decode()
    kept = Review.objects.exclude(answer="").get()
    assert (kept.annotation, kept.answer) == (pair[0], "So that it is whole.")
    client.force_login(olga)
    assert "So that it is whole." in client.get(make.place_of(pair[0]).path).content.decode()
    listed = client.get(reverse("annotation:reviews"), {"show": "decided"}).content.decode()
    assert "Answered" in listed


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "Write an answer first."), (" \x00 ", "Write an answer"), ("x" * 4_001, "at most 4,000")],
)
def test_an_answer_that_cannot_be_kept_stays_in_its_box(client, olga, pair, text, message):
    accept(pair[1], olga, pair, reason="Better.")
    by(client, "alice")
    page = client.post(path_of(pair[0]), {"answer": text})
    assert page.status_code == 400
    assert message in page.content.decode()
    assert text.strip() in page.content.decode() or "\x00" in text
    assert not Review.objects.exclude(answer="").exists()


def test_where_there_is_no_note_nothing_is_answered(client, olga, pair):
    accept(pair[1], olga, pair)
    by(client, "alice")
    assert "<textarea" not in client.get(path_of(pair[0])).content.decode()
    assert client.post(path_of(pair[0]), {"answer": "Well."}).status_code == 404


def test_a_long_right_to_left_answer_takes_its_own_direction(client, olga, pair):
    accept(pair[1], olga, pair, reason="نص")
    by(client, "alice")
    client.post(path_of(pair[0]), {"answer": "نص " * 1_000})
    assert 'dir="auto">نص نص' in client.get(path_of(pair[0])).content.decode()
    assert TagReview.objects.get().decision == "accept"
    assert Annotation.objects.filter(state="published").get() == pair[1]
