"""A judge's moves on a slot."""

import pytest

from accounts.roles import Role
from judging import settling, studies, verdicts
from judging.models import JudgingSlot, Judgment, Resolution
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.factories import person, stored
from tests.judging import factories as make

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def study():
    return make.open_study(
        drawn_from=make.finished_run(instances=1, prompts=["both-passages", "passage-1"])
    )


@pytest.fixture
def bob(study):
    return make.judge("bob")


@pytest.fixture
def slot(study, alice):
    return make.slots(study, alice)[0]


def events(slot):
    return list(slot.events.values_list("what", "verdict"))


def test_a_verdict_is_kept_with_its_comment(slot):
    verdicts.give(slot, "correct", comment="Both years.", seconds=12.5)
    judgment = Judgment.objects.get()
    assert (judgment.verdict, judgment.comment, judgment.seconds) == (
        "correct",
        "Both years.",
        12.5,
    )
    assert judgment.first_verdict is None
    assert slot.state == "judged"
    assert events(slot) == [("judged", "correct")]


def test_the_same_verdict_twice_is_one_judgment_and_one_event(study, alice, slot):
    verdicts.give(slot, "correct")
    again = make.slots(study, alice)[0]
    verdicts.give(again, "correct")
    assert Judgment.objects.count() == 1
    assert events(slot) == [("judged", "correct")]


def test_a_stale_second_click_adds_no_event(study, alice):
    """Both requests read the slot before either wrote."""
    one, other = make.slots(study, alice)[0], make.slots(study, alice)[0]
    verdicts.give(one, "correct")
    verdicts.give(other, "correct")
    assert events(one) == [("judged", "correct")]


def test_a_changed_verdict_is_kept_as_an_event(slot):
    verdicts.give(slot, "correct", seconds=10)
    verdicts.give(slot, "incorrect", comment="On second thoughts.")
    judgment = Judgment.objects.get()
    assert (judgment.verdict, judgment.seconds) == ("incorrect", 10)
    assert events(slot) == [("judged", "correct"), ("changed", "incorrect")]


@pytest.mark.parametrize(("given", "kept"), [(-3, 0), (5, 5), (1e9, 3600), (None, None)])
def test_the_time_on_screen_stays_within_reason(slot, given, kept):
    verdicts.give(slot, "correct", seconds=given)
    assert Judgment.objects.get().seconds == kept


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("", "^Choose a verdict.$"),
        ("excellent", "'excellent' is not a verdict here"),
        ("Correct", "is not a verdict here"),
        ("partially_correct", "is not a verdict here"),
    ],
)
def test_a_missing_or_unknown_verdict_is_refused(slot, verdict, words):
    with pytest.raises(Refusal, match=words):
        verdicts.give(slot, verdict)
    assert not Judgment.objects.exists()


def test_partially_correct_is_taken_on_a_single_passage(study, alice):
    single = next(s for s in make.slots(study, alice) if s.item.response.prompt == "passage-1")
    assert verdicts.give(single, "partially correct").verdict == "partially correct"


def test_a_comment_of_a_megabyte_is_refused(slot):
    with pytest.raises(Refusal, match="Shorten it"):
        verdicts.give(slot, "correct", comment="x" * 1_000_000)
    assert not Judgment.objects.exists()


def test_a_null_character_does_not_reach_the_database(slot):
    assert verdicts.give(slot, "correct", comment="a\x00b").comment == "ab"


def test_the_first_verdict_locks_the_rubric(study, slot):
    assert study.rubric.locked_at is None
    verdicts.give(slot, "correct")
    assert stored(study.rubric).locked_at is not None


def test_undo_takes_the_verdict_back(slot):
    verdicts.give(slot, "correct")
    verdicts.undo(slot)
    assert not Judgment.objects.exists()
    assert slot.state == "waiting"
    assert events(slot) == [("judged", "correct"), ("undone", "correct")]


def test_undo_twice_is_undo_once(study, alice, slot):
    verdicts.give(slot, "correct")
    verdicts.undo(slot)
    verdicts.undo(verdicts.slot_of(alice, slot.pk))
    assert events(slot) == [("judged", "correct"), ("undone", "correct")]


def test_the_last_verdict_is_the_one_to_undo(study, alice):
    first, second, *_ = make.slots(study, alice)
    verdicts.give(second, "correct")
    verdicts.give(first, "correct")
    assert verdicts.last_judged(alice, study) == first


def test_a_skip_needs_a_reason(slot):
    with pytest.raises(Refusal, match="Write why"):
        verdicts.skip(slot, "  ")
    assert slot.state == "waiting"


def test_a_skipped_item_can_still_be_judged(slot):
    verdicts.skip(slot, "The passage is cut.")
    assert (slot.state, slot.skip_reason) == ("skipped", "The passage is cut.")
    verdicts.give(slot, "incorrect")
    assert (slot.state, slot.skip_reason) == ("judged", "")


def test_a_judged_item_is_not_skipped_by_mistake(slot):
    verdicts.give(slot, "incorrect")
    with pytest.raises(Conflict, match="Take it back"):
        verdicts.skip(slot, "Oops")


def test_a_flag_leaves_the_verdict_alone(slot):
    verdicts.give(slot, "incorrect")
    verdicts.flag(slot, True, "It names its maker.")
    slot.refresh_from_db()
    assert (slot.flagged, slot.flag_note, slot.state) == (True, "It names its maker.", "judged")
    verdicts.flag(slot, False)
    assert (slot.flagged, slot.flag_note) == (False, "")


@pytest.mark.parametrize("other", ["bob", "dave"])
def test_somebody_elses_slot_does_not_exist(slot, other, bob):
    stranger = bob if other == "bob" else person("dave", Role.JUDGE, Role.ADMIN)
    with pytest.raises(NotFoundHere):
        verdicts.slot_of(stranger, slot.pk)


def test_a_slot_id_that_is_none_does_not_exist(alice):
    with pytest.raises(NotFoundHere):
        verdicts.slot_of(alice, "1")


def test_handing_in_waits_until_every_item_has_a_verdict_or_a_reason(study, alice):
    for slot in make.slots(study, alice)[1:]:
        verdicts.give(slot, "correct")
    with pytest.raises(Conflict, match="1 of your items have no verdict"):
        verdicts.hand_in(alice, study)
    verdicts.skip(make.slots(study, alice)[0], "Unreadable.")
    assert verdicts.hand_in(alice, study) == 3
    assert {s.state for s in make.slots(study, alice)} == {"locked", "withdrawn"}


def test_a_handed_in_verdict_never_changes(study, alice):
    make.hand_in(study, "alice")
    slot = make.slots(study, alice)[0]
    for move in (
        lambda: verdicts.give(slot, "incorrect"),
        lambda: verdicts.undo(slot),
        lambda: verdicts.skip(slot, "No."),
        lambda: verdicts.flag(slot, True),
    ):
        with pytest.raises(Conflict):
            move()
    judgment = Judgment.objects.get(slot=slot)
    assert (judgment.verdict, judgment.first_verdict) == ("correct", "correct")


def test_responses_settle_once_both_have_handed_in(study, alice, bob):
    make.hand_in(study, "alice")
    assert not Resolution.objects.exists()
    for place, slot in enumerate(make.slots(study, bob)):
        verdicts.give(slot, "incorrect" if place == 0 else "correct")
    verdicts.hand_in(bob, study)
    assert set(Resolution.objects.values_list("how", "verdict")) == {("unanimous", "correct")}
    assert Resolution.objects.count() == 3
    assert [item.pk for item in settling.unresolved(study)] == [make.slots(study, bob)[0].item_id]


def test_nobody_hands_in_for_a_study_they_do_not_judge(study):
    with pytest.raises(NotFoundHere):
        verdicts.hand_in(make.judge("charlie"), study)


def test_a_closed_study_takes_no_verdict(study, slot):
    studies.close_study(study)
    slot.refresh_from_db()
    with pytest.raises(Conflict):
        verdicts.give(slot, "correct")


def test_one_judge_settles_alone_and_says_so():
    study = make.open_study("alice", judges_per_response=1)
    make.hand_in(study, "alice")
    assert set(Resolution.objects.values_list("how", flat=True)) == {"single"}


def test_a_majority_settles_two_against_one():
    study = make.open_study(
        "alice", "bob", "charlie", judges_per_response=3, resolved_by="majority",
        drawn_from=make.finished_run(instances=1, prompts=["passage-1"], models=make.MODEL_IDS[:1]),
    )  # fmt: skip
    for name, verdict in (("alice", "correct"), ("bob", "incorrect"), ("charlie", "correct")):
        verdicts.give(make.slots(study, make.judge(name))[0], verdict)
    studies.close_study(study)
    resolved = Resolution.objects.get()
    assert (resolved.how, resolved.verdict) == ("majority", "correct")
    assert JudgingSlot.objects.filter(state="locked").count() == 3
