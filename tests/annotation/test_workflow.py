"""Drafts and submissions."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Assignment, DraftRevision, WorkTime
from annotation.states import AnnotationState, AssignmentState
from annotation.workflow import assigning, saving, submitting
from annotation.workflow.saving import Activity
from leases.clock import in_seconds, now
from leases.refusal import Conflict, NotFoundHere, StaleVersion
from tests.annotation import factories as make

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def save(draft, by, version=None, **changes):
    version = draft.version if version is None else version
    return make.save_draft(annotation_id=draft.pk, by=by, version=version, changes=changes)


def submit(draft, by, entries, version=None, checked=()):
    return make.submit(
        annotation_id=draft.pk,
        by=by,
        version=draft.version if version is None else version,
        entries=entries,
        checked=frozenset(checked),
    )


# ---------------------------------------------------------------- saving


def test_a_save_stores_what_was_entered_and_counts_up(draft, alice):
    saved = save(draft, alice, passage_1_copied=" as typed ", type_4=["Explicit"], confidence=3)
    assert (saved.version, saved.passage_1_copied, saved.confidence) == (1, " as typed ", 3)
    assert saved.taxonomy == [["Contradict type IV", "Explicit"]]


def test_a_save_of_one_field_leaves_the_others(draft, alice):
    draft = save(draft, alice, span_1="one", questions=make.WHOLE["questions"])
    draft = save(draft, alice, span_2="two")
    assert (draft.span_1, draft.span_2, draft.questions.count()) == ("one", "two", 1)


def test_options_keep_the_order_in_which_they_were_chosen(draft, alice):
    draft = save(draft, alice, type_4=["Explicit"])
    draft = save(draft, alice, type_2=["Text - Text"])
    draft = save(draft, alice, type_4=["Explicit", "Implicit (reasoning required)"])
    assert [option for _, option in draft.taxonomy] == [
        "Explicit",
        "Text - Text",
        "Implicit (reasoning required)",
    ]


def test_only_what_the_person_changed_is_touched(draft, alice):
    assert draft.article_1 == "Kettle Mill"
    saved = save(draft, alice, article_1="Kettle Mill", same_passage="Different", span_1="")
    assert saved.touched == ["same_passage"]


def test_an_empty_question_which_the_form_always_shows_is_not_touched(draft, alice):
    blank = {**make.whole()["questions"][0], "question": "", "answer_1": "", "answer_2": ""}
    saved = save(draft, alice, same_passage="Different", questions=[blank])
    assert saved.touched == ["same_passage"]
    saved = save(saved, alice, questions=[{**blank, "question": "When?"}])
    assert saved.touched == ["same_passage", "questions"]


def test_an_older_version_is_refused_with_both_texts(draft, alice):
    save(draft, alice, span_1="here", validity="Valid")
    with pytest.raises(StaleVersion) as refusal:
        save(draft, alice, version=0, span_1="there", validity="Valid")
    assert refusal.value.status == 412
    assert refusal.value.details["version"] == 1
    assert refusal.value.details["fields"] == ["span_1"]
    assert refusal.value.details["mine"]["span_1"] == "there"
    assert refusal.value.details["theirs"]["span_1"] == "here"
    assert Annotation.objects.get().span_1 == "here"


def test_a_whole_save_that_is_repeated_is_no_conflict(draft, alice):
    first = save(draft, alice, **make.whole())
    again = save(draft, alice, version=0, **make.whole())
    assert (first.version, again.version) == (1, 1)


def test_a_part_that_happens_to_agree_is_still_stale(draft, alice):
    save(draft, alice, span_1="here", span_2="too")
    with pytest.raises(StaleVersion):
        save(draft, alice, version=0, span_1="here", span_2="mine")


def test_somebody_else_s_draft_does_not_exist(draft):
    bob = make.annotator("bob")
    with pytest.raises(NotFoundHere):
        save(draft, bob, span_1="mine")
    with pytest.raises(NotFoundHere):
        submit(draft, bob, make.whole())


def test_a_save_renews_the_lease(draft, alice):
    Assignment.objects.update(lease_until=in_seconds(10))
    save(draft, alice, span_1="here")
    assert Assignment.objects.filter(lease_until__gt=in_seconds(3600)).exists()


def test_the_version_is_compared_in_the_update_itself(draft, alice):
    """In a subquery, PostgreSQL would not look at it again after waiting for another save of the row."""
    with CaptureQueriesContext(connection) as queries:
        save(draft, alice, span_1="here")
    (update,) = [
        query["sql"]
        for query in queries
        if query["sql"].startswith('UPDATE "annotation_annotation"')
        and '"span_1" =' in query["sql"]
    ]
    assert '"annotation_annotation"."version" = 0' in update.partition("WHERE")[2]


def test_step_and_time_are_stored_without_a_new_version(draft, alice):
    for _ in range(2):
        make.save_draft(
            annotation_id=draft.pk,
            by=alice,
            version=0,
            changes={},
            activity=Activity("types", 9_000),
        )
    row = Annotation.objects.get()
    assert (row.version, row.current_step, row.seconds_active) == (0, "types", 240)
    assert row.seconds_by_step == {"types": 240}


def test_the_time_of_a_day_is_kept_by_campaign(draft, alice):
    first = now().date()
    for seconds in (20, 30):
        activity = Activity("types", seconds)
        make.save_draft(annotation_id=draft.pk, by=alice, version=0, changes={}, activity=activity)
    rows = list(WorkTime.objects.filter(campaign=draft.assignment.campaign))
    assert sum(row.seconds for row in rows) == 50
    assert all(first <= row.day <= now().date() for row in rows)


def test_time_at_a_draft_that_was_withdrawn_meanwhile_counts_for_its_campaign(draft, alice):
    activity = Activity("types", 20)
    make.save_draft(annotation_id=draft.pk, by=alice, version=0, changes={}, activity=activity)
    make.withdraw(draft.assignment_id, draft.assignment.campaign)
    make.save_draft(annotation_id=draft.pk, by=alice, version=0, changes={}, activity=activity)
    assert sum(WorkTime.objects.values_list("seconds", flat=True)) == 40


def test_saves_close_together_are_one_revision_of_the_draft(draft, alice):
    draft = save(draft, alice, span_1="a")
    draft = save(draft, alice, span_1="ab")
    kept = DraftRevision.objects.get()
    assert (kept.version, kept.entries["span_1"]) == (2, "ab")


# ---------------------------------------------------------------- submitting


def test_a_whole_annotation_is_taken(draft, alice):
    result = submit(draft, alice, make.whole())
    assert result.taken
    assert result.annotation.state == AnnotationState.SUBMITTED
    assert result.annotation.submitted_at is not None
    place = make.assignment_of(draft)
    assert (place.state, place.lease_holder) == (AssignmentState.SUBMITTED, "")


def test_a_refused_submission_keeps_everything(draft, alice):
    result = submit(draft, alice, make.whole(article_1=""))
    assert [f.field for f in result.findings] == ["article_1"]
    row = Annotation.objects.get()
    assert (row.state, row.statement_1) == (AnnotationState.DRAFT, make.WHOLE["statement_1"])


def test_a_warning_must_be_ticked_once(draft, alice):
    entries = make.whole(span_1="in 1802")
    first = submit(draft, alice, entries)
    assert [f.key for f in first.findings] == ["span_not_found:span_1"]
    second = submit(draft, alice, entries, first.annotation.version, ["span_not_found:span_1"])
    assert second.taken
    assert second.annotation.checked_warnings == [["span_not_found:span_1", "in 1802"]]


def test_a_tick_is_kept_until_the_text_changes(draft, alice):
    entries = make.whole(span_1="in 1802", article_1="")
    first = submit(draft, alice, entries, checked=["span_not_found:span_1"])
    assert [f.code for f in first.findings] == ["required"]
    entries = make.whole(span_1="in 1803")
    second = submit(draft, alice, entries, first.annotation.version)
    assert [f.code for f in second.findings] == ["span_not_found"]


def test_a_submission_of_some_fields_keeps_the_others(draft, alice):
    draft = save(draft, alice, **make.whole())
    assert submit(draft, alice, {"validity": "Invalid"}).taken


def test_submitting_twice_has_no_further_effect(draft, alice):
    first = submit(draft, alice, make.whole())
    again = submit(draft, alice, make.whole())
    assert again.taken
    assert again.annotation.version == first.annotation.version


def test_a_second_submission_that_says_something_else_is_refused(draft, alice):
    submit(draft, alice, make.whole())
    with pytest.raises(Conflict, match="submitted"):
        submit(draft, alice, make.whole(span_1="Kettle Mill"))


def test_a_stale_submission_is_refused(draft, alice):
    save(draft, alice, span_1="elsewhere")
    with pytest.raises(StaleVersion):
        submit(draft, alice, make.whole(), version=0)


@pytest.fixture
def meanwhile(monkeypatch):
    """`meanwhile(act)`: act once between a submission's reading and its writing, where its entries are checked."""

    def begin(act):
        def checked(draft, entries, find=submitting.findings_on):
            monkeypatch.setattr(submitting, "findings_on", find)
            act()
            return find(draft, entries)

        monkeypatch.setattr(submitting, "findings_on", checked)

    return begin


def test_a_tag_given_to_another_meanwhile_stays_theirs_and_what_was_posted_is_saved(
    draft, alice, meanwhile
):
    carol, place = make.annotator("carol"), draft.assignment
    rows = Assignment.objects.filter(pk=place.pk)
    meanwhile(lambda: assigning.reassign(place.campaign, rows, carol))
    with pytest.raises(Conflict, match="no longer assigned to you"):
        submit(draft, alice, make.whole())
    place.refresh_from_db()
    draft.refresh_from_db()
    assert (place.state, place.person) == (AssignmentState.HELD, carol)
    assert (draft.state, draft.assignment) == (AnnotationState.DRAFT, None)
    assert saving.entries_of(draft) == make.whole()


def test_a_tag_withdrawn_meanwhile_is_not_submitted_and_what_was_posted_is_saved(
    draft, alice, meanwhile
):
    place = draft.assignment
    meanwhile(lambda: make.withdraw(place.pk, place.campaign))
    with pytest.raises(Conflict, match="no longer assigned to you"):
        submit(draft, alice, make.whole())
    draft.refresh_from_db()
    assert draft.state == AnnotationState.DRAFT
    assert saving.entries_of(draft) == make.whole()


def test_a_tab_without_the_ticks_takes_none_from_what_another_submitted_meanwhile(
    draft, alice, meanwhile
):
    entries, ticked = make.whole(span_1="in 1802"), ["span_not_found:span_1"]
    draft = submit(draft, alice, entries).annotation
    meanwhile(lambda: submit(draft, alice, entries, checked=ticked))
    assert submit(draft, alice, entries).repeated
    draft.refresh_from_db()
    assert draft.checked_warnings == [["span_not_found:span_1", "in 1802"]]


def test_an_invalid_submission_stores_none_of_the_later_steps(draft, alice):
    draft = save(draft, alice, **make.whole())
    result = submit(draft, alice, make.whole(validity="Invalid", valid_comment="Since corrected."))
    row = result.annotation
    assert (row.validity, row.valid_comment) == ("Invalid", "Since corrected.")
    assert (row.article_1, row.passage_1_copied, row.confidence, row.taxonomy) == ("", "", None, [])
    assert row.questions.count() == 0


def test_a_double_invalid_submission_is_one(draft, alice):
    entries = make.whole(validity="Invalid")
    assert submit(draft, alice, entries).taken
    assert submit(draft, alice, entries).taken


def test_valid_invalid_valid_in_a_draft_brings_everything_back(draft, alice):
    draft = save(draft, alice, **make.whole())
    draft = save(draft, alice, validity="Invalid")
    draft = save(draft, alice, validity="Valid")
    assert saving.entries_of(draft) == make.whole()


def test_empty_rows_are_left_out_of_a_submission(draft, alice):
    empty = {
        "question": "",
        "answer_1": "",
        "answer_2": " ",
        "derived_1": False,
        "derived_2": False,
    }
    questions = [empty, *make.WHOLE["questions"]]
    result = submit(draft, alice, make.whole(questions=questions))
    assert [(q.n, q.answer_1) for q in result.annotation.questions.all()] == [(1, "1801")]
