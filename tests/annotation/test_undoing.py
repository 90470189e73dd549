"""Taking back one's last submission within a minute."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.urls import reverse

from annotation.fields.entries import entries_of
from annotation.models import Annotation, Campaign, Seen
from annotation.states import AnnotationState, CampaignState
from annotation.workflow import assigning, undoing
from leases.refusal import Conflict, NotFoundHere
from tests.annotation import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def handed(alice):
    """Alice's submission, just made; the campaign has two tags."""
    return Annotation.objects.get(pk=make.submitted(alice, within=make.campaign(tags=2)).pk)


def take_back(row, by=None, **changes):
    by = by or row.author
    return undoing.undo(**{"annotation_id": row.pk, "by": by, "version": row.version} | changes)


def now(row):
    return Annotation.objects.select_related("assignment").get(pk=row.pk)


@pytest.mark.both
def test_a_submission_taken_back_is_a_draft_and_the_next_one_is_the_first(alice, handed):
    following = make.draft(alice, within=handed.assignment.campaign)
    take_back(handed)
    row = now(handed)
    assert (row.state, row.assignment.state) == (AnnotationState.DRAFT, "held")
    assert (row.first_entries, row.first_submitted_at, row.submitted_at) == (None, None, None)
    assert row.version > handed.version
    assert now(following).assignment.state == "held"
    changed = make.whole(statement_1="It was finished in 1801.")
    again = make.handed_in(row, changed)
    assert now(again).first_entries["statement_1"] == "It was finished in 1801."


def test_what_an_invalid_submission_left_out_is_back(alice):
    entries = make.whole(validity="Invalid")
    row = now(make.submitted(alice, entries=entries))
    assert row.statement_1 == ""
    take_back(row)
    assert entries_of(now(row)) == entries


def test_a_tag_that_was_sent_back_is_sent_back_again_and_its_first_submission_stays(alice, handed):
    make.decide(handed, make.admin("charlie"), "send_back", "Look again.")
    again = now(make.handed_in(now(handed), make.whole(statement_1="Otherwise.")))
    take_back(again)
    row = now(again)
    assert (row.state, row.assignment.state) == (AnnotationState.SENT_BACK, "held")
    assert row.first_entries["statement_1"] == make.WHOLE["statement_1"]


def refuse(row, words, **given):
    with pytest.raises(Conflict, match=words):
        take_back(row, **given)
    assert now(row).state != AnnotationState.DRAFT


@pytest.mark.both
def test_not_after_it_was_opened_for_review(client, handed):
    client.force_login(make.admin("charlie"))
    assert client.get(reverse("annotation:review", args=make.place_of(handed))).status_code == 200
    refuse(handed, "opened for review")
    assert undoing.last_of(handed.author) is None


def test_not_after_it_was_reviewed(handed):
    make.decide(handed, make.admin("charlie"))
    refuse(handed, "opened for review")


def test_not_once_its_campaign_is_closed(handed):
    Campaign.objects.update(state=CampaignState.CLOSED)
    refuse(handed, "campaign is closed")


def test_not_once_its_author_was_removed_from_the_campaign(alice, handed):
    assigning.remove_person(handed.assignment.campaign, alice)
    refuse(handed, "no more tags")


def test_what_a_reviewer_has_sent_back_meanwhile_is_not_called_taken_back(handed):
    make.decide(handed, make.admin("charlie"), "send_back", "Look again.")
    refuse(handed, "reviewer has sent it back")


@pytest.mark.both
def test_not_once_its_author_has_read_what_others_entered(alice, handed):
    Seen.objects.create(person=alice, tag=handed.sighting.tag, opened="/reviews/")
    refuse(handed, "read since")


@pytest.mark.both
def test_not_after_a_minute(alice, handed):
    Annotation.objects.update(submitted_at=F("submitted_at") - timedelta(seconds=61))
    refuse(handed, "minute has passed")
    assert undoing.last_of(alice) is None


def test_not_by_somebody_else(handed):
    with pytest.raises(NotFoundHere):
        take_back(handed, by=make.annotator("bob"))
    assert now(handed).state == AnnotationState.SUBMITTED


@pytest.mark.both
def test_twice_is_once_and_a_page_from_before_a_new_submission_does_nothing(handed):
    take_back(handed)
    first = now(handed)
    take_back(handed)
    assert now(handed).version == first.version
    again = now(make.handed_in(first))
    refuse(again, "submitted it again", version=handed.version)


def test_the_page_of_the_next_tag_and_the_queue_offer_it(client, alice):
    draft = make.draft(alice, within=make.campaign(tags=2))
    client.force_login(alice)
    place = reverse("annotation:annotate", args=[draft.assignment_id])
    form = {
        "annotation": draft.pk,
        "version": draft.version,
        "validity": "Invalid",
        "action": "submit",
    }
    shown = client.post(place, form).content.decode()
    address = reverse("annotation:undo", args=[draft.pk])
    assert address in shown
    assert address in client.get(reverse("annotation:queue")).content.decode()
    answer = client.post(address, {"version": now(draft).version}, follow=True)
    assert answer.redirect_chain[-1][0] == place
    assert "Taken back" in answer.content.decode()
    late = client.post(address, {"version": "x"}, follow=True)
    assert late.redirect_chain[-1][0] == place
