"""What happens to an open form when its tag, its campaign or its author's role goes away, or when it is huge."""

import pytest
from django.urls import reverse

from annotation.campaigns import managing
from annotation.fields.steps import QUESTIONS
from annotation.models import Annotation, Assignment
from annotation.states import AnnotationState
from annotation.workflow import claiming
from leases.clock import in_seconds
from tests.annotation import factories as make
from tests.annotation.test_annotate_pages import form_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def send(client, draft):
    """Post the form that was opened with the draft, at the address that it had then."""
    address = reverse("annotation:annotate", args=[draft.assignment_id])

    def post(entries, action="submit", **options):
        form = form_of(entries, action=action, annotation=str(draft.pk), **options)
        return client.post(address, form, follow=True)

    return post


@pytest.fixture
def lost(draft):
    """The draft's lease runs out, and Bob gets the tag."""
    Assignment.objects.update(lease_until=in_seconds(-1))
    claiming.sweep_assignments()
    return make.draft(make.annotator("bob"), within=draft.assignment.campaign, span_1="Bob's")


def stored(annotation):
    return Annotation.objects.get(pk=annotation.pk)


def refuses(response, *shown):
    page = text_of(response)
    return response.status_code == 403 and all(each in page for each in shown)


# ---------------------------------------------------------------- the tag goes to somebody else


@pytest.mark.both
@pytest.mark.parametrize("action", ["submit", "submit_stop", "save", "hand_back"])
def test_a_form_whose_lease_is_lost_is_saved_not_submitted(send, draft, lost, action):
    response = send(make.whole(), action)
    assert response.redirect_chain == [(reverse("annotation:queue"), 302)]
    assert "This tag is no longer assigned to you" in text_of(response)
    assert "What you entered is saved" in text_of(response)
    row = stored(draft)
    assert (row.state, row.statement_1) == (AnnotationState.DRAFT, make.WHOLE["statement_1"])
    assert stored(lost).span_1 == "Bob's"


def test_a_lost_form_that_is_stale_too_shows_what_was_typed(send, draft, alice, lost):
    make.save_draft(annotation_id=draft.pk, by=alice, version=0, changes={"span_1": "elsewhere"})
    response = send(make.whole(span_1="typed here"))
    assert refuses(response, "no longer assigned to you", "saved elsewhere", "typed here")
    assert stored(draft).span_1 == "elsewhere"


def test_a_lost_form_that_cannot_be_stored_shows_what_was_typed(send, draft, lost):
    response = send(make.whole(span_1="x" * 5_000))
    assert refuses(response, "no longer assigned to you", "at most 4,000", "x" * 5_000)
    assert stored(draft).version == 0


def test_a_draft_taken_up_again_is_saved_from_its_old_form(send, draft, alice):
    claiming.hand_back(assignment_id=draft.assignment_id, by=alice)
    assert "What you entered is saved" in text_of(send(make.whole()))
    claiming.take_up(annotation_id=draft.pk, by=alice)
    send(make.whole(), version=1)
    assert stored(draft).state == AnnotationState.SUBMITTED


def test_nobody_saves_another_s_draft_by_its_number(client, draft, send):
    client.force_login(make.annotator("mallory"))
    assert send(make.whole()).status_code == 404
    assert stored(draft).version == 0


@pytest.mark.parametrize("key", ["", "x", "9" * 50])
def test_a_form_that_names_no_draft_is_taken_at_its_address(client, draft, key):
    address = reverse("annotation:annotate", args=[draft.assignment_id])
    client.post(address, form_of(make.whole(), action="submit", annotation=key))
    assert stored(draft).state == AnnotationState.SUBMITTED


# ---------------------------------------------------------------- the tag, the campaign, the role


def test_a_tag_that_is_gone_meanwhile_is_submitted(send, draft):
    tag = draft.sighting.tag
    type(tag).objects.filter(pk=tag.pk).update(state="gone")
    assert "Submitted: " in text_of(send(make.whole()))
    assert stored(draft).state == AnnotationState.SUBMITTED


@pytest.mark.parametrize(
    ("action", "state"),
    [("save", AnnotationState.DRAFT), ("submit", AnnotationState.SUBMITTED)],
)
def test_an_open_form_of_a_closed_campaign_is_taken(send, draft, action, state):
    managing.change_campaign(draft.assignment.campaign, "close")
    assert send(make.whole(), action).status_code == 200
    assert (stored(draft).state, stored(draft).span_1) == (state, make.WHOLE["span_1"])


def test_without_the_role_nothing_is_saved_and_the_text_is_shown(client, send, draft, alice):
    alice.grants.all().delete()
    assert refuses(send(make.whole(span_1="typed here")), "None of it was stored", "typed here")
    address = reverse("annotation:api_draft", args=[draft.pk])
    headers = {"if-match": '"0"'}
    body = {"entries": {"span_1": "typed here"}}
    answer = client.patch(address, body, content_type="application/json", headers=headers)
    assert answer.status_code == 403
    assert stored(draft).version == 0


# ---------------------------------------------------------------- size


def filled(character):
    """Every text at its greatest length, and as many questions as can be submitted."""
    entries = make.whole()
    lengths = {"article": 500, "passage": 20_000, "valid": 4_000, "contradict": 4_000, "qa": 4_000}
    for name, value in entries.items():
        kind = name.partition("_")[0]
        if isinstance(value, str) and kind in (*lengths, "statement", "span"):
            entries[name] = character * lengths.get(kind, 4_000)
    row = {"question": character * 1_000, "answer_1": character * 1_000, "answer_2": "x" * 1_000}
    entries[QUESTIONS.name] = [{**row, "derived_1": True, "derived_2": True}] * QUESTIONS.at_most
    return entries


@pytest.mark.both
def test_the_largest_draft_is_kept_whole(send, draft, client):
    entries = filled("𝄞")  # four bytes each
    assert "Saved." in text_of(send(entries, "save"))
    row = stored(draft)
    assert row.passage_1_copied == "𝄞" * 20_000
    assert row.questions.count() == 10
    answer = client.get(reverse("annotation:api_draft", args=[draft.pk]))
    assert answer.json()["entries"]["statement_2"] == "𝄞" * 4_000


def test_a_draft_of_a_megabyte_is_refused_by_field_and_shown_again(send, draft):
    entries = make.whole(passage_1_copied="a" * 524_288, passage_2_copied="b" * 524_288)
    response = send(entries)
    assert response.status_code == 400
    assert "“Passage 1, as copied” has 524,288 characters" in text_of(response)
    assert "“Passage 2, as copied” has 524,288 characters" in text_of(response)
    assert b"b" * 524_288 in response.content
    assert stored(draft).version == 0
