"""Drawing free slots, handing them back, judges who come and go."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Annotation
from datasets.models import Contradiction
from judging import (
    adjudication,
    blinding,
    pool,
    presenting,
    progress,
    queues,
    rounds,
    settling,
    studies,
    verdicts,
)
from judging.models import JudgingSlot, Judgment, Resolution, Study
from judging.rules import rubric
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.annotation import factories as annotations
from tests.factories import person, stored
from tests.judging import factories as make

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def study():
    """12 responses, two judges each, three people in the pool."""
    return make.open_study("alice", "bob", "charlie", pairing="pool")


def items_of(study, who):
    return [slot.item_id for slot in make.slots(study, make.judge(who))]


def judge_all(study, who, verdict="correct"):
    """Draw and judge until nothing is left for this judge."""
    judge = make.judge(who)
    pool.draw(judge, study)
    while waiting := [slot for slot in make.slots(study, judge) if slot.state == "waiting"]:
        for slot in waiting:
            verdicts.give(slot, verdict)
        pool.draw(judge, study)


def test_a_pool_opens_with_free_slots_and_nothing_to_judge_yet(study):
    assert set(JudgingSlot.objects.values_list("state", "judge")) == {("free", None)}
    assert JudgingSlot.objects.count() == 24
    alice = make.judge("alice")
    assert study in queues.studies_of(alice)
    assert blinding.hidden_run_ids(alice)  # a judge may draw at any time
    assert pool.free_in(alice, [study.pk]) == {study.pk: 12}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans by the sizes of tables")
def test_the_next_free_slot_is_found_by_its_index_and_not_by_sorting_all(study, without_statistics):
    alice = study.judges.get(person=make.judge("alice"))
    plan = pool.free_for(alice).values("pk")[:1].explain()
    assert "slot_next_to_draw (round_id=? AND state=?)" in plan
    assert "judging_round" not in plan, plan  # a join to order by


def test_a_judge_draws_a_hand_and_never_a_response_twice(study):
    alice = make.judge("alice")
    assert pool.draw(alice, study) == pool.IN_HAND
    assert pool.draw(alice, study) == 0  # the hand is full: a double click
    judge_all(study, "alice")
    assert len(items_of(study, "alice")) == len(set(items_of(study, "alice"))) == 12
    assert [slot.order for slot in make.slots(study, alice)] == list(range(12))


def test_no_response_gets_more_judges_than_asked(study):
    for who in ("alice", "bob", "charlie"):
        judge_all(study, who)
    assert items_of(study, "charlie") == []
    assert set(Counter(JudgingSlot.objects.values_list("item", flat=True)).values()) == {2}
    for who in ("alice", "bob"):
        verdicts.hand_in(make.judge(who), study)
    assert Resolution.objects.filter(how="unanimous").count() == 12


def test_a_judge_reads_one_question_after_the_other(study):
    judge_all(study, "alice")
    asked = [slot.item.response.instance_id for slot in make.slots(study, make.judge("alice"))]
    assert len({*asked[:6]}) == len({*asked[6:]}) == 1


def test_handing_in_gives_back_what_the_judge_still_holds(study):
    alice = make.judge("alice")
    pool.draw(alice, study)
    verdicts.give(make.slots(study, alice)[0], "correct")
    assert verdicts.hand_in(alice, study) == 1
    assert [slot.state for slot in make.slots(study, alice)] == ["locked"]
    assert JudgingSlot.objects.filter(state="free").count() == 23


def test_who_has_judged_nothing_hands_in_nothing_and_gives_all_back(study):
    alice = make.judge("alice")
    pool.draw(alice, study)
    assert verdicts.hand_in(alice, study) == 0
    assert JudgingSlot.objects.filter(state="free").count() == 24


def test_what_is_handed_back_goes_to_another_judge_without_a_trace(study):
    alice, charlie = make.judge("alice"), make.judge("charlie")
    pool.draw(alice, study)
    first, second = make.slots(study, alice)[:2]
    verdicts.give(first, "correct", comment="What Alice thinks.")
    verdicts.undo(first)
    verdicts.flag(second, True, "What Alice flags.")
    assert pool.hand_back(alice, study) == 10
    with pytest.raises(NotFoundHere):
        verdicts.slot_of(alice, first.pk)
    pool.draw(charlie, study)
    known = rubric.parse(study.rubric.body)
    for slot in make.slots(study, charlie):
        shown = presenting.slot_view(verdicts.slot_of(charlie, slot.pk), known, 10)
        assert "Alice" not in str(shown)
        assert not shown.flagged


LATE_ACTS = {
    "verdict": lambda slot: verdicts.give(slot, "incorrect", comment="What Alice thinks."),
    "undo": verdicts.undo,
    "skip": lambda slot: verdicts.skip(slot, "What Alice thinks."),
    "flag": lambda slot: verdicts.flag(slot, True, "What Alice thinks."),
}


@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("act", LATE_ACTS)
def test_who_acts_on_a_slot_that_another_has_drawn_meets_none(study, act, judged):
    """Their request read the slot before it was freed."""
    alice, bob = make.judge("alice"), make.judge("bob")
    pool.draw(alice, study)
    late = make.slots(study, alice)[0]
    pool.remove(study, study.judges.get(person=alice).pk)
    JudgingSlot.objects.exclude(pk=late.pk).filter(item=late.item).delete()
    pool.draw(bob, study)
    drawn = JudgingSlot.objects.get(pk=late.pk, judge__person=bob)
    if judged:
        verdicts.give(drawn, "correct", comment="What Bob thinks.")
    before = JudgingSlot.objects.values().get(pk=late.pk)
    with pytest.raises(NotFoundHere):
        LATE_ACTS[act](late)
    assert JudgingSlot.objects.values().get(pk=late.pk) == before
    assert list(Judgment.objects.values_list("verdict", flat=True)) == ["correct"] * judged


def test_a_slot_that_is_drawn_again_begins_at_the_first_version(study):
    alice = make.judge("alice")
    pool.draw(alice, study)
    slot = make.slots(study, alice)[0]
    verdicts.give(slot, "correct")
    verdicts.undo(slot)
    pool.hand_back(alice, study)
    assert stored(slot).version == 0


def test_what_a_judge_of_a_fixed_plan_hands_back_others_draw():
    study = make.open_study("alice", "bob", "charlie")
    alice = make.judge("alice")
    mine = make.slots(study, alice)
    verdicts.give(mine[0], "correct")
    freed = pool.hand_back(alice, study)
    assert freed == len(mine) - 1
    judge_all(study, "bob")
    judge_all(study, "charlie")
    assert not JudgingSlot.objects.filter(state="free").exists()
    assert set(Counter(JudgingSlot.objects.values_list("item", flat=True)).values()) == {2}
    for slot in make.slots(study, make.judge("bob")):
        assert slot.judge_id != stored(mine[0]).judge_id


def test_a_second_showing_is_for_nobody_else():
    study = make.open_study(repeat_percent=50, drawn_from=make.finished_run(instances=4))
    pool.hand_back(make.judge("alice"), study)
    again = JudgingSlot.objects.filter(repeat=2, judge__person=make.judge("alice"))
    assert set(again.values_list("state", flat=True)) == {"withdrawn"}
    assert not settling.incomplete(study).exists()


def test_a_judge_removed_midway_leaves_verdicts_and_open_slots(study):
    alice, bob = make.judge("alice"), make.judge("bob")
    pool.draw(alice, study)
    given = make.slots(study, alice)[:3]
    for slot in given:
        verdicts.give(slot, "correct")
    pool.remove(study, study.judges.get(person=alice).pk)
    assert {slot.pk for slot in make.slots(study, alice)} == {slot.pk for slot in given}
    assert set(Judgment.objects.values_list("first_verdict", "slot__state")) == {
        ("correct", "locked")
    }
    assert pool.draw(alice, study) == 0
    assert pool.free_in(alice, [study.pk]) == {}
    with pytest.raises(Conflict):
        verdicts.give(verdicts.slot_of(alice, given[0].pk), "incorrect")
    for who in ("bob", "charlie"):
        judge_all(study, who)
    assert set(Counter(JudgingSlot.objects.values_list("item", flat=True)).values()) == {2}
    assert blinding.hidden_run_ids(alice) == blinding.hidden_run_ids(bob)  # until it closes


def test_a_removed_judge_is_removed_once_and_can_come_back(study):
    judge = study.judges.get(person=make.judge("alice"))
    pool.remove(study, judge.pk)
    at = stored(judge).removed_at
    pool.remove(study, judge.pk)
    assert stored(judge).removed_at == at
    assert pool.add(study, judge.person).pk == judge.pk
    assert pool.draw(judge.person, study) == 10


def test_a_further_judge_draws_what_is_free():
    study = make.open_study("alice", "bob")
    pool.hand_back(make.judge("alice"), study)
    pool.add(study, make.judge("dave"))
    judge_all(study, "dave")
    assert len(items_of(study, "dave")) == 12


def test_who_has_resolved_in_a_study_or_is_no_judge_cannot_join_it():
    study = make.open_study("alice", "bob", drawn_from=make.finished_run(1, ["passage-1"]))
    for who, verdict in (("alice", "correct"), ("bob", "incorrect")):
        make.hand_in(study, who, verdict)
    erin = person("erin", Role.JUDGE, Role.ADJUDICATOR)
    item = settling.unresolved(study)[0]
    adjudication.decide(item, by=erin, verdict="correct", cause="slip")
    with pytest.raises(Refusal, match="has resolved responses"):
        pool.add(study, erin)
    with pytest.raises(Refusal, match="is not a judge"):
        pool.add(study, person("dora", Role.ANNOTATOR))


@pytest.mark.parametrize("role", [Role.ADMIN, Role.RESEARCHER, Role.ADJUDICATOR])
def test_who_may_read_verdicts_cannot_join_once_some_are_handed_in(role):
    study = make.open_study("alice", "bob", "erin")
    erin = make.judge("erin")
    erin.grants.create(role=role)
    pool.add(study, person("early", Role.JUDGE, role))
    pool.remove(study, study.judges.get(person=erin).pk)
    make.hand_in(study, "alice")
    with pytest.raises(Refusal, match="may have read verdicts that were handed in"):
        pool.add(study, person("late", Role.JUDGE, role))
    pool.add(study, make.judge("dave"))
    assert pool.add(study, Person.objects.get(pk=erin.pk)).removed_at is None  # blind all along


def test_nobody_joins_leaves_or_draws_in_a_closed_study(study):
    judge = study.judges.get(person=make.judge("alice"))
    studies.close_study(study)
    study.refresh_from_db()
    assert pool.draw(judge.person, study) == 0
    for act in (
        lambda: pool.add(study, make.judge("dave")),
        lambda: pool.remove(study, judge.pk),
        lambda: pool.hand_back(judge.person, study),
    ):
        with pytest.raises(Conflict, match="not open"):
            act()


def test_who_does_not_come_back_loses_what_was_drawn_but_no_verdict(study):
    alice = make.judge("alice")
    pool.draw(alice, study)
    verdicts.give(make.slots(study, alice)[0], "correct")
    JudgingSlot.objects.exclude(judge=None).update(lease_until=Now() - timedelta(seconds=1))
    assert pool.sweep_slots() == 9
    assert pool.sweep_slots() == 0
    assert [slot.state for slot in make.slots(study, alice)] == ["judged"]
    assert pool.draw(make.judge("bob"), study) == 10


def expire_leases():
    held = JudgingSlot.objects.exclude(lease_until=None)
    return held.update(lease_until=Now() - timedelta(seconds=1))


def test_a_verdict_taken_back_days_later_is_held_for_another_day(study):
    alice = make.judge("alice")
    pool.draw(alice, study)
    expire_leases()
    slot = make.slots(study, alice)[0]
    verdicts.give(slot, "correct")
    verdicts.undo(slot)
    assert pool.sweep_slots() == 9
    verdicts.give(verdicts.slot_of(alice, slot.pk), "incorrect")
    verdicts.undo(verdicts.slot_of(alice, slot.pk))
    assert expire_leases() == 1
    assert pool.sweep_slots() == 1


def test_only_a_slot_that_waits_for_its_judge_has_a_lease(study):
    alice = make.judge("alice")
    pool.draw(alice, study)
    judged, skipped, *_ = make.slots(study, alice)
    verdicts.give(judged, "correct")
    verdicts.skip(skipped, "Unreadable.")
    leased = JudgingSlot.objects.exclude(lease_until=None, lease_holder="")
    assert set(leased.values_list("state")) == {("waiting",)}
    assert leased.count() == 8
    studies.close_study(study)
    assert not leased.exists()


def test_assigned_slots_are_never_swept():
    study = make.open_study()
    assert pool.sweep_slots() == 0
    undone = make.slots(study, make.judge("alice"))[0]
    verdicts.give(undone, "correct")
    verdicts.undo(undone)
    assert not expire_leases()
    assert not pool.held_too_long(study, 3).exists()
    study.rounds.update(opened_at=Now() - timedelta(days=4))
    assert pool.held_too_long(study, 3).count() == 24
    verdicts.give(make.slots(study, make.judge("alice"))[0], "correct")
    assert pool.held_too_long(study, 3).count() == 12


def test_what_was_drawn_today_is_not_held_too_long_in_an_older_round(study):
    study.rounds.update(opened_at=Now() - timedelta(days=4))
    pool.draw(make.judge("alice"), study)
    assert not pool.held_too_long(study, 3).exists()


def test_days_of_waiting_count_from_when_the_study_was_opened_again():
    study, *_ = make.closed_early()
    study.rounds.update(opened_at=Now() - timedelta(days=9))
    Judgment.objects.update(judged_at=Now() - timedelta(days=8))
    again = rounds.reopen(study, "Closed by mistake", by=study.created_by)
    assert not pool.held_too_long(study, 3).exists()
    type(again).objects.update(at=Now() - timedelta(days=4))
    assert pool.held_too_long(study, 3).count() == 4


def test_a_share_judged_twice_is_settled_by_its_own_number_of_judges():
    study = make.open_study(judges_per_response=1, double_percent=50)
    for who in ("alice", "bob"):
        make.hand_in(study, who)
    ways = Counter(Resolution.objects.values_list("how", flat=True))
    assert ways == {"single": 6, "unanimous": 6}


def test_progress_of_a_pool(study):
    alice = make.judge("alice")
    pool.draw(alice, study)
    for slot in make.slots(study, alice)[:2]:
        verdicts.give(slot, "correct", seconds=30)
    assert progress.coverage(study) == [(2, 0, 10), (2, 1, 2)]
    [day] = progress.timesheet(alice, study)
    assert (day.verdicts, day.hours) == (2, pytest.approx(1 / 60))
    by_judge = {judge.person: judge for judge, _ in progress.by_judge(study)}
    assert (by_judge[alice].seconds, by_judge[make.judge("bob")].seconds) == (30, None)


def test_nobody_draws_responses_to_their_own_questions_where_the_study_says_so():
    run = make.finished_run()
    make.written_by("alice", run, 1)
    study = make.open_study(
        "alice", "bob", "charlie", pairing="pool", without_own=True, drawn_from=run
    )
    assert pool.free_in(make.judge("alice"), [study.pk]) == {study.pk: 6}
    judge_all(study, "alice")
    titles = {
        slot.item.response.instance.contradiction.title
        for slot in make.slots(study, make.judge("alice"))
    }
    assert titles == {"Abbey 2"}
    assert pool.free_in(make.judge("alice"), [study.pk]) == {}
    assert pool.free_in(make.judge("bob"), [study.pk]) == {study.pk: 12}


def test_who_annotated_what_was_merged_into_the_record_wrote_it_too():
    run = make.finished_run()
    record = Contradiction.objects.get(title="Abbey 1")
    merged = annotations.submitted(person("alice", Role.ANNOTATOR, Role.JUDGE))
    Annotation.objects.filter(pk=merged.pk).update(contradiction=record)
    people = [make.judge("alice"), make.judge("bob")]
    assert studies.would_open(make.draft(drawn_from=run), people).own == 6
    make.open_study(
        "alice", "bob", "eve", name="Pool", pairing="pool", without_own=True, drawn_from=run
    )
    assert pool.draw(people[0], Study.objects.get(name="Pool")) == 6


def test_what_a_judge_handed_back_goes_to_nobody_who_wrote_the_question():
    run = make.finished_run(instances=1)
    make.written_by("alice", run, 1)
    study = make.open_study(
        "bob", "charlie", "alice", judges_per_response=2, without_own=True, drawn_from=run
    )
    assert not make.slots(study, make.judge("alice"))
    pool.hand_back(make.judge("bob"), study)
    assert pool.draw(make.judge("alice"), study) == 0
    assert pool.free_in(make.judge("alice"), [study.pk]) == {}
