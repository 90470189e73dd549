"""The third person's decisions."""

import pytest

from accounts.roles import Role
from judging import adjudication, studies, verdicts
from judging.models import Judgment, Resolution
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.factories import person
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make.open_study(
        drawn_from=make.finished_run(
            instances=1, prompts=["both-passages"], models=make.MODEL_IDS[:1]
        )
    )


@pytest.fixture
def item(study):
    """A response over which alice and bob disagree."""
    make.hand_in(study, "alice", "correct")
    make.hand_in(study, "bob", "incorrect")
    return study.items.get()


@pytest.fixture
def charlie():
    return person("charlie", Role.ADJUDICATOR)


def decide(item, by, verdict="correct", cause="slip", note=""):
    return adjudication.decide(
        adjudication.item_for(by, item.pk), by=by, verdict=verdict, cause=cause, note=note
    )


@pytest.mark.both
def test_a_third_person_decides_and_first_verdicts_stay(item, charlie):
    made = decide(item, charlie)
    assert (made.verdict, made.how, made.resolved_by, made.cause) == (
        "correct", "third_person", charlie, "slip",
    )  # fmt: skip
    assert set(Judgment.objects.values_list("first_verdict", flat=True)) == {"correct", "incorrect"}


def test_a_verdict_of_neither_needs_a_note(item, charlie):
    with pytest.raises(Refusal, match="agrees with none"):
        decide(item, charlie, "partially correct")
    assert (
        decide(item, charlie, "partially correct", note="It prefers 1101.").note
        == "It prefers 1101."
    )


@pytest.mark.parametrize(
    ("verdict", "cause", "sentence"),
    [
        ("", "slip", "Choose a verdict"),
        (
            "fine",
            "slip",
            "not a verdict here. Choose one of: correct, partially correct, incorrect",
        ),
        ("correct", "", "Choose why"),
    ],
)
def test_what_is_missing_is_named(item, charlie, verdict, cause, sentence):
    with pytest.raises(Refusal, match=sentence):
        decide(item, charlie, verdict, cause)
    assert not Resolution.objects.exists()


def test_a_judge_of_the_study_never_decides(item):
    alice = make.judge("alice")
    alice.grants.create(role=Role.ADJUDICATOR)
    with pytest.raises(NotFoundHere):
        adjudication.item_for(alice, item.pk)
    with pytest.raises(NotFoundHere):
        adjudication.study_for(alice, item.study_id)


def test_nothing_is_shown_before_both_have_handed_in(study, charlie):
    make.hand_in(study, "alice", "correct")
    with pytest.raises(NotFoundHere):
        adjudication.item_for(charlie, study.items.get().pk)


def test_what_the_judges_agree_on_is_not_decided_again(study, charlie):
    make.hand_in(study, "alice", "correct")
    make.hand_in(study, "bob", "correct")
    with pytest.raises(NotFoundHere):
        adjudication.item_for(charlie, study.items.get().pk)


@pytest.mark.both
def test_a_double_click_is_one_decision(item, charlie):
    assert decide(item, charlie) == decide(item, charlie)
    assert Resolution.objects.count() == 1
    assert make.those_marked_final() == {item.pk}


def test_the_third_person_may_think_again(item, charlie):
    decide(item, charlie)
    decide(item, charlie, "incorrect")
    assert Resolution.objects.get().verdict == "incorrect"


@pytest.mark.both
def test_of_two_third_persons_the_faster_decides(item, charlie):
    dave = person("dave", Role.ADJUDICATOR)
    theirs = adjudication.item_for(dave, item.pk)
    decide(item, charlie)
    with pytest.raises(Conflict, match="Another person"):
        adjudication.decide(theirs, by=dave, verdict="incorrect", cause="slip")
    with pytest.raises(NotFoundHere):
        adjudication.item_for(dave, item.pk)
    assert Resolution.objects.get().resolved_by == charlie


def test_a_skipped_item_goes_to_the_third_person(study, charlie):
    make.hand_in(study, "alice", "correct")
    bob = make.judge("bob")
    verdicts.skip(make.slots(study, bob)[0], "Unreadable.")
    studies.close_study(study)
    assert decide(study.items.get(), charlie, "correct", "skipped").how == "third_person"


@pytest.mark.both
def test_next_is_the_first_that_nobody_has_decided(item, study, charlie):
    assert adjudication.next_unresolved(charlie, study) == item
    decide(item, charlie)
    assert adjudication.next_unresolved(charlie, study) is None
