"""Further rounds: what they take, what is final, what judges see, and what is refused."""

import pytest

from accounts.models import AuditEvent
from accounts.roles import Role
from judging import (
    adjudication,
    pool,
    progress,
    queues,
    rounds,
    rubric_versions,
    settling,
    studies,
    verdicts,
)
from judging.models import JudgingSlot, Resolution, Round, Study, StudyItem
from judging.rounds import NO_VERDICT, JudgedAgain, RoundPlan
from judging.rules.numbers import MOST_NUMBERS, numbers_in
from judging.states import SlotState, StudyState
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.factories import person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


def admin():
    return judging.Person.objects.get(username="admin")


def second_version(study: Study):
    body = {**study.rubric.body, "title": "Criteria after the first round"}
    return rubric_versions.save(body, newest=study.rubric.version, by=admin())


def closed(**options) -> Study:
    """A closed study that alice and bob judged: all correct, but bob the first prompt's incorrect."""
    study = judging.open_study(**options)
    judging.give_all(study, "alice")
    bob = judging.judge("bob")
    for slot in judging.slots(study, bob):
        internal = slot.item.response.prompt == "internal-knowledge"
        verdicts.give(slot, "incorrect" if internal else "correct")
    studies.close_study(study)
    return study


def plan(study: Study, *usernames: str, **fields) -> RoundPlan:
    judges = [judging.judge(name) for name in usernames or ("dora", "emil")]
    return RoundPlan(
        **{"reason": "Criteria", "rubric": study.rubric, "counts": True, "judges": judges, **fields}
    )


def again(study: Study, which: JudgedAgain | None = None, **fields) -> Round:
    names = fields.pop("judges", ())
    return rounds.judge_again(
        study, which or JudgedAgain(), plan(study, *names, **fields), by=admin()
    )


def judge_round(opened: Round, verdict: str = "incorrect") -> None:
    for slot in JudgingSlot.objects.filter(round=opened, judge__isnull=False):
        mine = verdicts.slot_of(slot.judge.person, slot.pk)
        verdicts.give(mine, verdict)
    studies.close_study(Study.objects.get(pk=opened.study_id))


def final(study: Study) -> dict[str, set[str | None]]:
    rows = study.items.values_list("response__prompt", "resolution__verdict")
    return {prompt: {v for p, v in rows if p == prompt} for prompt, _ in rows}


def test_the_first_round_has_the_studys_rubric_and_its_responses():
    study = closed()
    (first,) = study.rounds.all()
    assert (first.n, first.rubric, first.counts, first.closed_at is None) == (
        1,
        study.rubric,
        True,
        False,
    )
    assert set(study.items.values_list("round", flat=True)) == {first.pk}


@pytest.mark.both
def test_a_round_that_counts_replaces_the_verdicts_that_it_touches_and_no_others():
    study = closed()
    new = second_version(study)
    opened = again(study, JudgedAgain(prompts=["passage-1"]), rubric=new)
    assert final(study)["passage-1"] == {None}
    judge_round(opened)
    assert final(study) == {
        "internal-knowledge": {None},
        "passage-1": {"incorrect"},
        "both-passages": {"correct"},
    }
    kept = Resolution.objects.filter(round__n=1, item__response__prompt="passage-1")
    assert {(one.verdict, one.final_for) for one in kept} == {("correct", None)}


@pytest.mark.both
def test_a_round_that_does_not_count_gives_verdicts_only_where_there_is_none():
    study = closed()
    judge_round(again(study, counts=False))
    assert final(study) == {
        "internal-knowledge": {"incorrect"},
        "passage-1": {"correct"},
        "both-passages": {"correct"},
    }


def test_each_rounds_verdicts_keep_the_version_that_they_were_given_by():
    study = closed()
    old, new = study.rubric, second_version(study)
    judge_round(again(study, rubric=new))
    new.refresh_from_db()
    assert [one.rubric for one in study.rounds.order_by("n")] == [old, new]
    assert new.locked_at is not None


def test_a_dry_run_is_by_the_version_of_the_round_and_not_by_that_of_the_last():
    study = closed()
    old = study.rubric
    prompts = {key: value for key, value in old.body["prompts"].items() if key != "passage-1"}
    both = prompts["both-passages"]
    prompts["both-passages"] = {**both, "gold": both["gold"][:1]}
    new = rubric_versions.save({**old.body, "prompts": prompts}, newest=old.version, by=admin())

    def hours(prompt, version):
        planned = plan(study, rubric=version)
        return rounds.would_judge_again(study, JudgedAgain(prompts=[prompt]), planned).hours[
            "random"
        ]

    judge_round(again(study, JudgedAgain(prompts=["internal-knowledge"]), rubric=new))
    study.refresh_from_db()
    assert study.rubric == new
    assert hours("both-passages", new) < hours("both-passages", old)
    assert hours("passage-1", old) > 0


def test_a_rubric_edited_after_a_rounds_first_verdict_changes_neither_round():
    study = closed()
    opened = again(study, rubric=second_version(study))
    slot = JudgingSlot.objects.filter(round=opened).first()
    verdicts.give(verdicts.slot_of(slot.judge.person, slot.pk), "correct")
    before = opened.rubric.body
    third = rubric_versions.save({**before, "title": "Once more"}, newest=2, by=admin())
    opened.refresh_from_db()
    assert (third.version, opened.rubric.version, opened.rubric.body) == (3, 2, before)


@pytest.mark.parametrize(
    ("which", "responses"),
    [
        (JudgedAgain(), 12),
        (JudgedAgain(prompts=["passage-1"]), 4),
        (JudgedAgain(verdicts=["correct"]), 8),
        (JudgedAgain(verdicts=[NO_VERDICT]), 4),
        (JudgedAgain(verdicts=["correct", NO_VERDICT], prompts=["internal-knowledge"]), 4),
        (JudgedAgain(numbers=[0, 5]), 2),
    ],
)
def test_a_round_takes_what_was_chosen(which, responses):
    assert again(closed(), which).items.count() == responses


@pytest.mark.both
def test_a_judge_gets_the_rounds_items_and_nothing_of_the_round_before():
    study = closed()
    alice = judging.judge("alice")
    earlier = judging.slots(study, alice)[0]
    opened = again(study, JudgedAgain(prompts=["passage-1"]), judges=("alice", "emil"))
    mine = queues.in_order(alice, study)
    assert {slot.round for slot in mine} == {opened}
    assert [slot.order for slot in mine] == list(range(4))
    assert queues.entered(alice, study) == {"skipped": [], "flagged": [], "latest": []}
    with pytest.raises(Conflict, match="closed") as refused:
        verdicts.slot_of(alice, earlier.pk)
    assert "round" not in str(refused.value)


def test_a_judge_who_is_not_in_the_round_has_left_the_study():
    study = closed()
    again(study)
    assert list(queues.studies_of(judging.judge("bob"))) == []
    assert pool.draw(judging.judge("bob"), study) == 0


@pytest.mark.both
def test_the_order_of_a_round_is_another_than_that_of_the_round_before():
    study = closed(drawn_from=judging.finished_run(instances=6))
    before = [slot.item_id for slot in judging.slots(study, judging.judge("alice"))]
    opened = again(study, judges=("alice", "bob"))
    after = JudgingSlot.objects.filter(round=opened, judge__person__username="alice")
    keys = list(after.order_by("order").values_list("item_id", flat=True))
    assert set(keys) == set(before)
    assert keys != before


def test_disagreements_of_a_round_are_resolved_in_it():
    study = closed()
    opened = again(study, JudgedAgain(prompts=["passage-1"]))
    for slot in JudgingSlot.objects.filter(round=opened):
        who = slot.judge.person
        given = "correct" if who.username == "dora" else "incorrect"
        verdicts.give(verdicts.slot_of(who, slot.pk), given)
    studies.close_study(study)
    third = person("carol", Role.ADJUDICATOR)
    waiting = list(settling.unresolved(study).filter(round=opened))
    decided = adjudication.decide(waiting[0], by=third, verdict="correct", cause="slip")
    assert len(waiting) == 4
    assert (decided.round, decided.final_for) == (opened, waiting[0])


def test_a_decision_on_a_response_that_a_further_round_took_is_refused():
    study = closed()
    third = person("carol", Role.ADJUDICATOR)
    item = settling.unresolved(study).first()
    again(study)
    with pytest.raises(Conflict, match="further round"):
        adjudication.decide(item, by=third, verdict="correct", cause="slip")


def test_disagreements_that_no_further_round_took_still_wait():
    study = closed()
    judge_round(again(study, JudgedAgain(prompts=["passage-1"])))
    waiting = settling.unresolved(study)
    assert {item.response.prompt for item in waiting} == {"internal-knowledge"}


# ---------------------------------------------------------------- models added later


def add(study: Study, percent: int = 50, **fields) -> Round:
    selection = rounds.Selection([judging.later_run()])
    added = rounds.AddedResponses(selection, percent)
    return rounds.add_responses(study, added, plan(study, counts=False, **fields), by=admin())


def test_added_responses_come_mixed_with_anchors_whose_verdicts_stay():
    study = closed()
    opened = add(study)
    anchors = opened.items.filter(response__model__model_id__in=judging.MODEL_IDS)
    assert (opened.items.count(), anchors.count()) == (6 + 4, 4)
    assert set(anchors.values_list("resolution__verdict", flat=True)) == {"correct"}
    judge_round(opened)
    new = study.items.filter(response__model__model_id="later-model")
    assert set(new.values_list("resolution__verdict", flat=True)) == {"incorrect"}
    assert set(anchors.values_list("resolution__verdict", flat=True)) == {"correct"}
    assert anchors.filter(resolutions__round=opened).count() == 4


def test_neither_place_nor_order_shows_which_responses_were_added():
    study = closed(drawn_from=judging.finished_run(instances=4))
    opened = add(study)
    mine = JudgingSlot.objects.filter(round=opened, judge__person__username="dora").order_by(
        "order"
    )
    names = [slot.item.response.model.model_id == "later-model" for slot in mine]
    assert names not in (sorted(names), sorted(names, reverse=True))


def are_new(items) -> list[bool]:
    return [item.response.model.model_id == "later-model" for item in items]


@pytest.mark.both
def test_free_slots_are_drawn_in_an_order_that_does_not_show_which_responses_were_added():
    study = closed(drawn_from=judging.finished_run(instances=4))
    add(study)
    pool.hand_back(judging.judge("dora"), study)
    fay = pool.add(study, judging.judge("fay"))
    names = are_new(slot.item for slot in pool.free_for(fay))
    assert set(names) == {False, True}
    assert names not in (sorted(names), sorted(names, reverse=True))


def test_the_third_persons_list_does_not_show_which_responses_were_added():
    study = closed(drawn_from=judging.finished_run(instances=4))
    opened = add(study)
    for slot in JudgingSlot.objects.filter(round=opened):
        who = slot.judge.person
        given = "correct" if who.username == "dora" else "incorrect"
        verdicts.give(verdicts.slot_of(who, slot.pk), given)
    studies.close_study(study)
    names = are_new(settling.unresolved(study).filter(round=opened))
    assert set(names) == {False, True}
    assert names not in (sorted(names), sorted(names, reverse=True))


@pytest.mark.both
def test_a_round_adds_only_what_the_study_does_not_have():
    study = closed()
    added = rounds.AddedResponses(rounds.Selection([judging.Run.objects.get()]), 20)
    with pytest.raises(Refusal, match="has all of these"):
        rounds.add_responses(study, added, plan(study, counts=False), by=admin())


def test_responses_judged_by_another_version_are_no_anchors():
    study = closed()
    new = second_version(study)
    with pytest.raises(Refusal, match="can be an anchor"):
        add(study, rubric=new)
    assert StudyItem.objects.filter(study=study).count() == 12


# ---------------------------------------------------------------- reopening


def test_a_reopened_study_goes_on_where_it_was_closed():
    study, agreed, _ = judging.closed_early()
    reopening = rounds.reopen(study, "Closed by mistake", by=admin())
    bob = judging.judge("bob")
    waiting = queues.in_order(bob, study).filter(state=SlotState.WAITING)
    assert (study.state, waiting.count(), reopening.reason) == (
        StudyState.OPEN,
        3,
        "Closed by mistake",
    )
    for name in ("alice", "bob"):
        for slot in queues.in_order(judging.judge(name), study).filter(state=SlotState.WAITING):
            verdicts.give(verdicts.slot_of(slot.judge.person, slot.pk), "correct")
    studies.close_study(study)
    assert not settling.incomplete(study).exists()
    handed_in = next(one for one in judging.slots(study, bob) if one.item_id == agreed.pk)
    with pytest.raises(Conflict, match="closed"):
        verdicts.give(handed_in, "incorrect")


def test_a_reopening_is_in_the_audit_log():
    study, _, _ = judging.closed_early()
    rounds.reopen(study, "Closed by mistake", by=admin())
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.STUDY)
    assert (event.by, event.about) == (admin(), "study pilot: reopened")


@pytest.mark.both
def test_what_a_judge_who_left_did_not_judge_is_free_after_a_reopening():
    study = judging.open_study("alice", "bob", pairing="pool")
    pool.draw(judging.judge("alice"), study)
    studies.close_study(study)
    rounds.reopen(study, "Closed by mistake", by=admin())
    states = JudgingSlot.objects.filter(round__study=study).values_list("state", flat=True)
    assert set(states) == {SlotState.FREE}


@pytest.mark.parametrize(
    ("make", "reason", "words"),
    [
        (
            closed,
            "Why",
            "nothing to go on with.*4 responses have an open disagreement: a third person",
        ),
        (closed, "  ", "Write why"),
        (judging.open_study, "Why", "not closed"),
    ],
)
def test_a_reopening_that_is_refused_changes_nothing(make, reason, words):
    study = make()
    before = study.state
    with pytest.raises(Refusal, match=words):
        rounds.reopen(study, reason, by=admin())
    study.refresh_from_db()
    assert study.state == before


# ---------------------------------------------------------------- what is refused


def test_a_verdict_after_the_round_closed_is_refused():
    study = closed()
    opened = again(study)
    slot = JudgingSlot.objects.filter(round=opened).first()
    mine = verdicts.slot_of(slot.judge.person, slot.pk)
    studies.close_study(study)
    with pytest.raises(Conflict, match="closed"):
        verdicts.give(verdicts.slot_of(slot.judge.person, slot.pk), "correct")
    with pytest.raises(Conflict, match="closed"):
        verdicts.give(mine, "correct")
    assert not hasattr(JudgingSlot.objects.get(pk=slot.pk), "judgment")


def test_a_person_who_resolved_responses_cannot_be_their_only_judge():
    study = judging.open_study(judges_per_response=1, double_percent=50)
    for name in ("alice", "bob"):
        judging.hand_in(study, name, "correct" if name == "alice" else "incorrect")
    carol = person("carol", Role.ADJUDICATOR, Role.JUDGE)
    adjudication.decide(
        settling.unresolved(study).first(), by=carol, verdict="correct", cause="slip"
    )
    studies.close_study(study)
    with pytest.raises(Refusal, match="has resolved responses"):
        again(study, judges=("carol",))


def test_a_judge_of_a_round_cannot_resolve_it():
    study = closed()
    both = person("carol", Role.ADJUDICATOR, Role.JUDGE)
    again(study, judges=("carol", "emil"))
    with pytest.raises(NotFoundHere):
        adjudication.study_for(both, study.pk)


@pytest.mark.parametrize(
    ("which", "fields", "words"),
    [
        (JudgedAgain(), {"reason": " "}, "Write why"),
        (JudgedAgain(), {"reason": "x" * (rounds.REASON_LIMIT + 1)}, "longer than"),
        (JudgedAgain(numbers=[99]), {}, "no response number 99"),
        (JudgedAgain(verdicts=["partially correct"]), {}, "No response matches"),
        (JudgedAgain(), {"judges": ("dora",)}, "2 judges per response"),
        (JudgedAgain(), {"judges": ("admin", "dora")}, "is not a judge"),
    ],
)
def test_a_round_that_is_refused_changes_nothing(which, fields, words):
    study = closed()
    with pytest.raises(Refusal, match=words):
        again(study, which, **fields)
    study.refresh_from_db()
    assert (study.state, study.rounds.count()) == (StudyState.CLOSED, 1)


def test_an_open_study_gets_no_further_round():
    with pytest.raises(Conflict, match="not closed"):
        again(judging.open_study())


@pytest.mark.both
def test_how_many_judges_could_read_earlier_verdicts_is_kept():
    study = closed()
    person("rita", Role.JUDGE, Role.RESEARCHER)
    assert again(study, judges=("alice", "dora", "rita")).could_read == 2


def test_who_judged_earlier_and_may_have_read_the_closed_study_cannot_join_a_further_round():
    rita = person("rita", Role.JUDGE, Role.RESEARCHER)
    study = judging.open_study("alice", "bob", "rita")
    judging.give_all(study, "alice")
    studies.close_study(study)
    study.refresh_from_db()
    again(study)
    with pytest.raises(Refusal, match="may have read verdicts"):
        pool.add(study, rita)
    with pytest.raises(Refusal, match="judged in an earlier round"):
        pool.add(study, judging.judge("alice"))
    # He was asked, and came to nothing before it was closed.
    assert pool.add(study, judging.judge("bob"))


def test_who_left_and_may_have_read_the_closed_study_cannot_join_it_once_reopened():
    rita = person("rita", Role.JUDGE, Role.RESEARCHER)
    study = judging.open_study("alice", "bob", "rita")
    verdicts.give(judging.slots(study, judging.judge("alice"))[0], "correct")
    pool.remove(study, study.judges.get(person=rita).pk)
    studies.close_study(study)
    # Alice, who could read how what she judged was resolved.
    assert rounds.reopen(study, "Closed by mistake", by=admin()).could_read == 1
    with pytest.raises(Refusal, match="may have read verdicts"):
        pool.add(study, rita)


@pytest.mark.both
def test_the_judges_listed_have_the_pace_and_the_latest_verdict_of_the_latest_round():
    study = judging.open_study()
    judging.give_all(study, "alice", seconds=100)
    studies.close_study(study)
    study.refresh_from_db()
    opened = again(study, judges=("alice", "bob"))
    [alice, _] = [judge for judge, _ in progress.by_judge(study) if judge.person]
    assert (alice.seconds, alice.last) == (None, None)
    slot = JudgingSlot.objects.filter(round=opened, judge=alice).first()
    verdicts.give(verdicts.slot_of(alice.person, slot.pk), "correct", seconds=20)
    [alice, _] = [judge for judge, _ in progress.by_judge(study) if judge.person]
    slot.refresh_from_db()
    assert (alice.seconds, alice.last) == (20, slot.judgment.judged_at)


# ---------------------------------------------------------------- numbers that are typed


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("3, 17, 20-22", [3, 17, 20, 21, 22]),
        (" 5 ,5,, 4-5 ", [4, 5]),
        ("  ", []),
        (",", None),
        (" , ,", None),
        ("7\N{EN DASH}8", [7, 8]),
        ("8-7", None),
        ("three", None),
        ("-3", None),
        (f"0-{MOST_NUMBERS}", None),
        ("\N{ARABIC-INDIC DIGIT THREE}", None),
    ],
)
def test_numbers_and_ranges(text, numbers):
    assert numbers_in(text) == numbers
