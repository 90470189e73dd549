"""A reviewer's decisions on all annotations of a tag."""

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.roles import Role
from annotation.blinding.hiding import hidden_from
from annotation.campaigns import managing
from annotation.fields.entries import entries_of
from annotation.models import Annotation, Question, Review, TagReview
from annotation.reviewing import deciding, tags_in_round
from annotation.reviewing.combining import ChecksRefused, Merge
from annotation.reviewing.deciding import ReviewNotes
from annotation.reviewing.joining import NEITHER
from annotation.reviewing.merging import FieldSources
from annotation.reviewing.publishing_tags import publish_campaign, unpublished
from annotation.states import AnnotationState, AssignmentState
from annotation.workflow import claiming, saving
from leases.refusal import Conflict, NotAllowed, NotFoundHere, Refusal, StaleVersion
from tests.annotation import factories as make
from tests.factories import person, stored
from wikifetch.models import Tag
from wikifetch.states import TagState

pytestmark = pytest.mark.django_db

ASKED = make.WHOLE["questions"][0]
# About something else.
FURTHER = {
    **ASKED,
    "question": "Whose mill is it?",
    "answer_1": "three brothers",
    "answer_2": "1,195 panes",
}


@pytest.fixture
def olga():
    return make.admin("olga")


@pytest.fixture
def campaign(olga):
    return make.campaign(by=olga)


@pytest.fixture
def pair(olga):
    """Alice and Bob, who differ in the span and in a question."""
    return make.two_of_a_tag({}, {"span_1": "1801", "questions": [FURTHER]}, by=olga)


def states(*annotations):
    return [stored(each).state for each in annotations]


def merge(pair, by, *, fields=None, questions=None, checked=frozenset(), at=None):
    at = at or make.place_of(pair[0])
    how = Merge(FieldSources(pair[0].pk, fields or {}), questions or {}, checked)
    return deciding.merge(at, how, by=by, read=make.read_by(at))


def all_questions(pair):
    return {0: [f"{pair[0].pk}-1"], 1: [f"{pair[1].pk}-1"]}


# ---------------------------------------------------------------- one annotation


def test_an_accepted_annotation_keeps_the_decision_and_the_version_it_was_on(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    make.decide(annotation, olga, "accept", "Good.")
    kept = TagReview.objects.get()
    assert (kept.reviewer, kept.decision, kept.reason, kept.is_same) == (
        olga,
        "accept",
        "Good.",
        None,
    )
    assert kept.reviews.get().annotation_version == annotation.version
    assert states(annotation) == [AnnotationState.ACCEPTED]


def test_what_is_sent_back_is_in_its_author_s_hands_again_with_notes(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    make.decide(annotation, olga, "send_back", by_field={"span_1": "Shorter.", "span_2": " "})
    annotation = Annotation.objects.get()
    assert annotation.state == AnnotationState.SENT_BACK
    assert annotation.reviews.get().notes_by_field == {"span_1": "Shorter."}
    place = make.assignment_of(annotation)
    assert (place.state, place.person) == (AssignmentState.HELD, alice)
    again = make.submit(
        annotation_id=annotation.pk,
        by=alice,
        version=annotation.version,
        entries=make.whole(span_1="1801"),
    )
    assert again.taken
    make.decide(again.annotation, olga)


def test_an_invalid_tag_sent_back_has_its_later_steps_again(alice, olga, campaign):
    draft = make.draft(alice, within=campaign, **make.whole())
    result = make.submit(
        annotation_id=draft.pk,
        by=alice,
        version=draft.version,
        entries=make.whole(validity="Invalid"),
    )
    make.decide(result.annotation, olga, "send_back", "It is valid.")
    assert entries_of(Annotation.objects.get()) == make.whole(validity="Invalid")


@pytest.mark.parametrize("decision", ["send_back", "drop"])
def test_a_refusal_wants_a_reason(alice, olga, campaign, decision):
    annotation = make.submitted(alice, within=campaign)
    with pytest.raises(Refusal, match="Say why"):
        make.decide(annotation, olga, decision, " ")
    assert Review.objects.count() == 0


def test_notes_name_fields_that_there_are_and_are_no_books(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    with pytest.raises(Refusal, match="no fields"):
        make.decide(annotation, olga, "send_back", by_field={"author": "x"})
    with pytest.raises(Refusal, match="at most 4,000"):
        make.decide(annotation, olga, "send_back", "x" * 4_001)
    make.decide(annotation, olga, "send_back", by_field={"questions-0-answer_1": "x"})


@pytest.mark.both
def test_of_a_decided_tag_nothing_is_decided_again(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    read = make.read_by(make.place_of(annotation), "No.")
    make.decide(annotation, olga)
    with pytest.raises(StaleVersion):
        deciding.drop(make.place_of(annotation), by=olga, read=read, is_same=None)
    assert TagReview.objects.count() == 1


# ---------------------------------------------------------------- several


def test_of_two_one_is_accepted_and_the_other_is_not_used(olga, pair):
    make.decide(pair[1], olga, "accept", "The span is better.")
    assert states(*pair) == [AnnotationState.UNUSED, AnnotationState.ACCEPTED]
    assert TagReview.objects.get().is_same is True


def test_the_first_question_is_answered_before_one_of_two_is_accepted(olga, pair):
    at = make.place_of(pair[0])
    with pytest.raises(Refusal, match="Answer first"):
        deciding.accept(at, pair[0].pk, by=olga, read=make.read_by(at), is_same=None)


def test_an_annotation_of_another_tag_is_not_accepted_here(olga, pair):
    at = make.place_of(pair[0])
    with pytest.raises(Refusal, match="Choose one of the annotations"):
        deciding.accept(at, 0, by=olga, read=make.read_by(at), is_same=True)
    assert states(*pair) == [AnnotationState.SUBMITTED] * 2


@pytest.mark.both
def test_a_merge_takes_fields_and_questions_and_keeps_their_authors(olga, pair):
    double = {**ASKED, "question": ASKED["question"].upper()}
    saving.replace_questions(pair[1], [double, FURTHER])
    questions = {0: [f"{pair[0].pk}-1"], 1: [f"{pair[1].pk}-2"]}
    merge(pair, olga, fields={"span_1": pair[1].pk}, questions=questions)
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert (made.author, made.assignment, made.state) == (olga, None, AnnotationState.ACCEPTED)
    assert (made.span_1, made.statement_1) == ("1801", make.WHOLE["statement_1"])
    assert set(made.merged_from.all()) == set(pair)
    joined = [
        {source.annotation.author.username for source in question.joined_from.all()}
        for question in made.questions.all()
    ]
    assert joined == [{"alice", "bob"}, {"bob"}]
    assert states(*pair) == [AnnotationState.MERGED] * 2


def test_a_merged_passage_keeps_where_it_is_from(olga, pair):
    pieces = {"1": [{"revid": 7, "revision": 7, "text": "It was built"}]}
    Annotation.objects.filter(pk=pair[0].pk).update(filled=["article_1"])
    Annotation.objects.filter(pk=pair[1].pk).update(provenance=pieces, filled=["modality_1"])
    merge(pair, olga, fields={"passage_1_copied": pair[1].pk}, questions=all_questions(pair))
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert (made.provenance, made.filled) == (pieces, ["article_1"])


def test_of_three_the_one_that_gave_nothing_is_not_used(olga):
    other = {**ASKED, "question": "Which year?"}
    three = make.two_of_a_tag({}, {"span_1": "1801"}, {"questions": [other]}, by=olga)
    merge(three, olga, fields={"span_1": three[1].pk}, questions={0: [f"{three[0].pk}-1"]})
    used, unused = AnnotationState.MERGED, AnnotationState.UNUSED
    assert states(*three) == [used, used, unused]


def test_a_merge_whose_questions_contradict_is_refused_until_one_is_chosen(olga):
    other = {**ASKED, "answer_1": "1799"}
    pair = make.two_of_a_tag({}, {"questions": [other], "span_1": "1801"}, by=olga)
    fields = {"span_1": pair[1].pk}
    for picked in ([], [f"{pair[0].pk}-1", f"{pair[1].pk}-1"]):
        with pytest.raises(Refusal, match="different answers"):
            merge(pair, olga, fields=fields, questions={0: picked})
    with pytest.raises(ChecksRefused):  # no question is left
        merge(pair, olga, fields=fields, questions={0: [NEITHER]})
    merge(pair, olga, fields=fields, questions={0: [f"{pair[0].pk}-1"]})
    assert TagReview.objects.get().decision == "merge"


def test_a_merge_that_takes_nothing_from_another_is_refused(olga, pair):
    with pytest.raises(Refusal, match="Nothing is taken from another"):
        merge(pair, olga, questions={0: [f"{pair[0].pk}-1"]})
    assert Annotation.objects.count() == 2


def test_a_merge_is_of_annotations_on_the_page(olga, pair):
    with pytest.raises(Refusal, match="begins with"):
        merge(pair, olga, fields={"span_1": 0})


def test_the_checks_look_at_the_merged_annotation_and_warnings_are_ticked(olga):
    passage = {"passage_1_copied": "A tower.", "passage_1_standalone": "The tower is old."}
    pair = make.two_of_a_tag({}, {**passage, "span_1": "tower"}, by=olga)
    fields = {"span_1": pair[1].pk}
    with pytest.raises(ChecksRefused) as refused:
        merge(pair, olga, fields=fields, questions={0: [f"{pair[0].pk}-1"]})
    keys = frozenset(finding.key for finding in refused.value.findings)
    assert keys == {"span_not_found:span_1"}
    assert Annotation.objects.count() == 2
    merge(pair, olga, fields=fields, questions={0: [f"{pair[0].pk}-1"]}, checked=keys)
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert made.checked_warnings == [["span_not_found:span_1", "tower"]]


def test_a_warning_that_an_annotator_ticked_is_not_asked_again(olga):
    odd = {**FURTHER, "question": "What does passage 1 say?"}
    pair = make.two_of_a_tag({}, {"questions": [odd]}, by=olga)
    merge(pair, olga, questions=all_questions(pair))
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert [key for key, _ in made.checked_warnings] == [
        "question_names_passage:questions-1-question"
    ]


def test_two_contradictions_are_both_accepted(olga, pair):
    at = make.place_of(pair[0])
    keys = [row.pk for row in pair]
    deciding.accept_two(at, keys, by=olga, read=make.read_by(at))
    assert states(*pair) == [AnnotationState.ACCEPTED] * 2
    assert TagReview.objects.get().is_same is False


@pytest.mark.parametrize(
    ("second", "reason"),
    [({}, "exactly the same"), ({"validity": "Invalid"}, "both are valid")],
)
def test_two_contradictions_are_valid_and_differ(olga, second, reason):
    pair = make.two_of_a_tag({}, second, by=olga)
    at = make.place_of(pair[0])
    with pytest.raises(Refusal, match=reason):
        deciding.accept_two(at, [row.pk for row in pair], by=olga, read=make.read_by(at))


def test_an_ambiguous_tag_drops_all_its_annotations(olga, pair):
    make.decide(pair[0], olga, "drop", "The source is gone.")
    assert states(*pair) == [AnnotationState.AMBIGUOUS] * 2
    assert TagReview.objects.get().reason == "The source is gone."


def test_one_of_two_is_sent_back_and_the_tag_waits(olga, pair):
    make.decide(pair[0], olga, "send_back", "Look again.")
    assert states(*pair) == [AnnotationState.SENT_BACK, AnnotationState.SUBMITTED]
    (row,) = tags_in_round.to_review()
    assert (row["submitted"], row["missing"], row["is_ready"]) == (1, 1, False)


def test_both_are_sent_back_at_once_each_with_its_notes(olga, pair):
    at = make.place_of(pair[0])
    notes = {row.pk: ReviewNotes(by_field={"span_1": f"To {row.author.name}."}) for row in pair}
    read = make.read_by(at, notes=notes)
    deciding.send_back(at, [row.pk for row in pair], by=olga, read=read)
    kept = [stored(row).reviews.get().notes_by_field["span_1"] for row in pair]
    assert kept == ["To Alice.", "To Bob."]


# ---------------------------------------------------------------- what changed meanwhile


def test_merging_what_was_just_sent_back_is_refused(olga, pair):
    at = make.place_of(pair[0])
    read = make.read_by(at)
    make.decide(pair[1], make.admin("orla"), "send_back", "Look again.")
    how = Merge(FieldSources(pair[0].pk, {"span_1": pair[1].pk}), all_questions(pair))
    with pytest.raises(StaleVersion):
        deciding.merge(at, how, by=olga, read=read)
    assert Annotation.objects.count() == 2


@pytest.mark.both
def test_an_annotation_that_came_in_meanwhile_is_read_first(olga):
    campaign = make.campaign(people=2, by=olga)
    first = make.submitted(make.annotator("alice"), within=campaign)
    read = make.read_by(make.place_of(first))
    make.submitted(make.annotator("bob"), within=campaign)
    with pytest.raises(StaleVersion):
        deciding.accept(make.place_of(first), first.pk, by=olga, read=read, is_same=None)


@pytest.mark.both
def test_a_tag_that_goes_while_its_annotations_are_compared_is_decided_all_the_same(olga, pair):
    read = make.read_by(make.place_of(pair[0]))
    Tag.objects.update(state=TagState.GONE)
    deciding.accept(make.place_of(pair[0]), pair[0].pk, by=olga, read=read, is_same=True)
    assert states(*pair) == [AnnotationState.ACCEPTED, AnnotationState.UNUSED]


@pytest.mark.both
def test_the_database_keeps_one_decision_a_tag_in_a_round(olga, pair):
    make.decide(pair[0], olga)
    kept = TagReview.objects.get()
    kept.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        kept.save(force_insert=True)


# ---------------------------------------------------------------- what is not in yet


@pytest.fixture
def early(olga):
    """Alice's annotation of a tag that three people annotate; Bob has begun it."""
    campaign = make.campaign(people=3, by=olga)
    first = make.submitted(make.annotator("alice"), within=campaign)
    make.draft(make.annotator("bob"), within=campaign)
    return first


def places(annotation):
    return list(make.place_of(annotation).assignments.values_list("state", flat=True))


@pytest.mark.both
def test_while_somebody_still_works_on_a_tag_nothing_is_decided_and_nobody_is_named(olga, early):
    with pytest.raises(Conflict, match="1 person still works on this tag"):
        make.decide(early, olga)
    assert states(early) == [AnnotationState.SUBMITTED]
    assert places(early) == ["submitted", "held", "free"]


@pytest.mark.both
def test_a_decision_leaves_out_what_nobody_holds_and_what_the_reviewer_withdraws(olga, early):
    at = make.place_of(early)
    read = make.read_by(at, withdraw=True)
    deciding.accept(at, early.pk, by=olga, read=read, is_same=None)
    assert places(early) == ["submitted", "unneeded", "unneeded"]
    draft = Annotation.objects.get(author__username="bob")
    assert (draft.state, draft.assignment) == (AnnotationState.DRAFT, None)
    with pytest.raises(Conflict):
        claiming.take_up(annotation_id=draft.pk, by=draft.author)


def test_in_a_closed_campaign_nobody_is_waited_for(olga, early):
    place = make.place_of(early).assignments.get(state="held")
    make.withdraw(place.pk, place.campaign)
    assert not tags_in_round.to_review().get()["is_ready"]
    managing.change_campaign(place.campaign, "close")
    assert tags_in_round.to_review().get()["is_ready"]


# ---------------------------------------------------------------- who may


@pytest.mark.both
def test_nobody_decides_on_a_tag_that_they_annotated(olga, pair):
    alice = pair[0].author
    for decision in ("accept", "send_back", "drop"):
        with pytest.raises(NotAllowed, match="another admin has to decide on it"):
            make.decide(pair[1], alice, decision, "It is good.")
    assert not Review.objects.exists()
    assert not tags_in_round.waiting_for(alice).exists()
    assert tags_in_round.waiting_for(olga).count() == 1


def test_having_merged_a_tag_is_not_having_annotated_it(olga, pair):
    kept = merge(pair, olga, fields={"span_1": pair[1].pk}, questions=all_questions(pair))
    assert tags_in_round.may_review(make.place_of(pair[0]).tag_id, olga)
    deciding.take_back(kept.pk, by=olga)


def test_a_tag_that_was_handed_back_unread_can_be_reviewed(olga, campaign):
    both = person("ada", Role.ADMIN, Role.ANNOTATOR)
    begun = make.draft(both, within=campaign)
    claiming.hand_back(assignment_id=begun.assignment_id, by=both)
    annotation = make.submitted(make.annotator("alice"), within=campaign)
    make.decide(annotation, both)


@pytest.mark.both
@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans by the sizes of tables")
def test_tags_to_review_are_found_by_the_state_of_annotations(olga, pair, without_statistics):
    for rows in (tags_in_round.to_review(), tags_in_round.waiting_for(olga), unpublished()):
        plan = rows.explain()
        assert "annotation_by_state" in plan
        assert "SCAN annotation_" not in plan, plan


# ---------------------------------------------------------------- taking back


@pytest.mark.parametrize("decision", ["accept", "drop"])
def test_a_decision_taken_back_leaves_all_to_decide_again(olga, pair, decision):
    make.decide(pair[0], olga, decision, "Hm.")
    deciding.take_back(TagReview.objects.get().pk, by=olga)
    assert states(*pair) == [AnnotationState.SUBMITTED] * 2
    make.decide(pair[0], olga, decision, "Yes.")
    assert TagReview.objects.filter(taken_back_at=None).count() == 1


@pytest.mark.both
def test_what_a_decision_left_out_is_free_again_once_it_is_taken_back(olga, early):
    at = make.place_of(early)
    make.withdraw(at.assignments.get(slot=3).pk, early.assignment.campaign)
    kept = deciding.accept(
        at, early.pk, by=olga, read=make.read_by(at, withdraw=True), is_same=None
    )
    deciding.take_back(kept.pk, by=olga)
    assert places(early) == ["submitted", "free", "withdrawn"]
    draft = Annotation.objects.get(author__username="bob")
    taken = claiming.take_up(annotation_id=draft.pk, by=draft.author)
    assert taken == at.assignments.get(slot=2)


@pytest.mark.parametrize("publishes", [True, False])
def test_work_on_a_tag_that_a_decision_left_out_stays_hidden_until_it_is_published(
    olga, early, publishes
):
    dora = make.annotator("dora")
    at = make.place_of(early)
    deciding.accept(at, early.pk, by=olga, read=make.read_by(at, withdraw=True), is_same=None)
    if publishes:
        publish_campaign(early.assignment.campaign)
        assert places(early) == ["submitted", "withdrawn", "withdrawn"]
    assert hidden_from(dora, Annotation.objects.filter(pk=early.pk)).exists() is not publishes


def test_of_a_merge_taken_back_the_result_is_not_used(olga, pair):
    how = {"fields": {"span_1": pair[1].pk}, "questions": all_questions(pair)}
    deciding.take_back(merge(pair, olga, **how).pk, by=olga)
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert (made.state, states(*pair)) == (AnnotationState.UNUSED, [AnnotationState.SUBMITTED] * 2)
    merge(pair, olga, **how)
    assert Question.objects.filter(annotation__merged_from=pair[0]).count() == 4


@pytest.mark.both
def test_a_decision_is_taken_back_once_and_by_none_who_annotated_the_tag(olga, pair):
    make.decide(pair[0], olga)
    kept = TagReview.objects.get()
    with pytest.raises(NotAllowed):
        deciding.take_back(kept.pk, by=pair[0].author)
    deciding.take_back(kept.pk, by=olga)
    with pytest.raises(Conflict, match="taken back already"):
        deciding.take_back(kept.pk, by=olga)
    with pytest.raises(NotFoundHere):
        deciding.take_back(0, by=olga)
