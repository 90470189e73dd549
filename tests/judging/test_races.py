"""Two clicks, two tabs, a study closed in between: at one instant."""

import pytest

from accounts.roles import Role
from judging import adjudication, discussing, pool, rounds, rubric_versions, studies, verdicts
from judging.models import JudgingSlot, Judgment, JudgmentEvent, Resolution, Study
from judging.settling import unresolved
from tests.factories import person
from tests.judging import factories as make
from tests.races import at_once, overlapping

pytestmark = [pytest.mark.both, pytest.mark.alone, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study():
    return make.open_study(drawn_from=make.finished_run(instances=1, prompts=["both-passages"]))


def test_eight_clicks_at_once_are_one_verdict(study):
    alice = make.judge("alice")
    slot = make.slots(study, alice)[0]
    click = [lambda: verdicts.give(verdicts.slot_of(alice, slot.pk), "correct")] * 8
    assert at_once(*click) == [None] * 8
    assert Judgment.objects.count() == 1
    assert JudgmentEvent.objects.count() == 1


def test_two_tabs_at_once_store_one_verdict_and_refuse_the_other(study):
    alice = make.judge("alice")
    slot = make.slots(study, alice)[0]

    def give(verdict):
        verdicts.give(verdicts.slot_of(alice, slot.pk), verdict, version=0)

    refused = at_once(lambda: give("correct"), lambda: give("incorrect"))
    assert [refusal.status for refusal in refused if refusal] == [412]
    assert JudgmentEvent.objects.count() == 1


def test_two_judges_at_the_last_free_slot_get_it_once():
    run = make.finished_run(instances=1, prompts=["passage-1"], models=make.MODEL_IDS[:1])
    study = make.open_study(
        "alice", "bob", "charlie", drawn_from=run, pairing="pool", judges_per_response=1
    )
    people = [make.judge(name) for name in ("alice", "bob", "charlie")]
    assert at_once(*[lambda who=who: pool.draw(who, study) for who in people]) == [None] * 3
    slot = JudgingSlot.objects.get()
    assert (slot.state, slot.judge.person in people) == ("waiting", True)


def test_a_double_click_draws_one_hand():
    study = make.open_study(pairing="pool", drawn_from=make.finished_run(instances=6))
    alice = make.judge("alice")
    at_once(*[lambda: pool.draw(alice, study)] * 4)
    mine = make.slots(study, alice)
    assert [slot.order for slot in mine] == list(range(pool.IN_HAND))


def test_a_judge_removed_while_drawing_and_judging_holds_nothing(study):
    alice, judge = make.judge("alice"), study.judges.get(person__username="alice")
    slots = make.slots(study, alice)
    at_once(
        lambda: pool.remove(study, judge.pk),
        lambda: pool.draw(alice, study),
        *[lambda s=s: verdicts.give(verdicts.slot_of(alice, s.pk), "correct") for s in slots],
    )
    states = {slot.state for slot in make.slots(study, alice)}
    assert states <= {"locked"}
    assert Judgment.objects.filter(first_verdict=None).count() == 0


def test_a_verdict_while_the_study_closes_is_locked_or_refused(study):
    alice = make.judge("alice")
    slots = make.slots(study, alice)
    give = [lambda s=s: verdicts.give(verdicts.slot_of(alice, s.pk), "correct") for s in slots]
    refusals = at_once(*give, lambda: studies.close_study(study))
    given = refusals[:-1].count(None)
    assert Judgment.objects.count() == given
    assert Judgment.objects.filter(first_verdict="correct", slot__state="locked").count() == given


def test_two_judges_who_hand_in_at_once_settle_what_they_agree_on(study):
    alice, bob = make.give_all(study, "alice"), make.give_all(study, "bob")
    # Before hers is committed: his has to wait, or it would take her slots for open ones.
    refused = overlapping(
        lambda: verdicts.hand_in(alice, study), lambda: verdicts.hand_in(bob, study)
    )
    assert refused is None
    assert Resolution.objects.filter(how="unanimous").count() == study.items.count()


def test_the_second_of_two_edits_of_a_rubric_at_once_is_refused():
    row, admin = rubric_versions.current(), person("admin", "admin")

    def save(title):
        rubric_versions.save({**row.body, "title": title}, newest=1, by=admin)

    refused = overlapping(lambda: save("Mine"), lambda: save("Yours"))
    assert refused
    assert refused.status == 412
    assert rubric_versions.current().body["title"] == "Mine"


def test_two_third_persons_at_once_are_one_resolution(study):
    for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
        make.give_all(study, name, verdict)
    studies.close_study(study)
    item = study.items.first()
    people = [person("charlie", "adjudicator"), person("dave", "adjudicator")]

    def decide(who):
        theirs = adjudication.item_for(who, item.pk)
        adjudication.decide(theirs, by=who, verdict="correct", cause="slip")

    refusals = at_once(*[lambda who=who: decide(who) for who in people])
    assert refusals.count(None) == 1
    assert Resolution.objects.count() == 1


def disputed():
    """A response that alice and bob discuss, alice's and bob's slot; it is the only one that both have judged."""
    run = make.finished_run(instances=1, prompts=["both-passages"], models=make.MODEL_IDS[:1])
    study = make.open_study(drawn_from=run, resolved_by="discussion")
    make.hand_in(study, "alice", "correct")
    make.hand_in(study, "bob", "incorrect")
    return study, *(make.slots(study, make.judge(name))[0] for name in ("alice", "bob"))


def propose(slot, verdict="correct", version=0):
    discussing.propose(slot, version=version, verdict=verdict, cause="slip")


def test_two_proposals_at_once_are_one_and_a_refusal():
    _, alice, bob = disputed()
    refusals = at_once(lambda: propose(alice), lambda: propose(bob, "incorrect"))
    assert [refusal.status for refusal in refusals if refusal] == [412]


def test_eight_signatures_at_once_are_one_resolution():
    _, alice, bob = disputed()
    propose(alice)
    assert at_once(*[lambda: discussing.sign(bob, version=1)] * 8) == [None] * 8
    assert Resolution.objects.get().how == "discussed"


def test_a_signature_against_a_changed_proposal_signs_nothing_unread():
    _, alice, bob = disputed()
    propose(alice)
    refused = overlapping(
        lambda: propose(alice, "incorrect", version=1), lambda: discussing.sign(bob, version=1)
    )
    assert refused is not None
    assert refused.status == 412
    assert not Resolution.objects.exists()


def test_a_changed_proposal_against_a_signature_is_refused():
    _, alice, bob = disputed()
    propose(alice)
    refused = overlapping(
        lambda: discussing.sign(bob, version=1), lambda: propose(alice, "incorrect", version=1)
    )
    assert refused is not None
    assert Resolution.objects.get().verdict == "correct"


def test_a_signature_while_a_judge_is_removed_is_refused_and_a_third_person_decides():
    study, alice, bob = disputed()
    propose(alice)
    refused = overlapping(
        lambda: pool.remove(study, alice.judge_id), lambda: discussing.sign(bob, version=1)
    )
    assert refused is not None
    assert not Resolution.objects.exists()
    assert unresolved(study).count() == 1


def test_a_signature_against_leaving_is_one_of_both():
    study, alice, bob = disputed()
    propose(alice)
    at_once(lambda: discussing.sign(bob, version=1), lambda: discussing.leave(alice))
    assert Resolution.objects.count() + unresolved(study).count() == 1


def test_a_decision_while_both_judges_discuss_again_is_refused():
    study, _, _ = disputed()
    third, bob = person("carol", Role.ADJUDICATOR), make.judge("bob")
    pool.remove(study, study.judges.get(person=bob).pk)
    item = study.items.get()
    refused = overlapping(
        lambda: pool.add(study, bob),
        lambda: adjudication.decide(item, by=third, verdict="correct", cause="slip"),
    )
    assert refused is not None
    assert not Resolution.objects.exists()


def test_opening_twice_at_once_makes_one_set_of_slots():
    study = make.draft()
    judges = [make.judge("alice"), make.judge("bob")]
    refusals = at_once(*[lambda: studies.open_study(type(study).objects.get(), judges)] * 2)
    assert refusals.count(None) == 1
    assert study.rounds.count() == 1


def judged_apart(study):
    """The study closed, with a disagreement on each response; and a plan for a further round."""
    make.hand_in(study, "alice", "correct")
    make.hand_in(study, "bob", "incorrect")
    studies.close_study(study)
    judges = [make.judge(name) for name in ("dora", "emil")]
    return rounds.RoundPlan("Unclear", study.rubric, True, judges)


def test_two_admins_who_open_a_round_at_once_open_one(study):
    plan, admin = judged_apart(study), study.created_by

    def open_round():
        rounds.judge_again(Study.objects.get(pk=study.pk), rounds.JudgedAgain(), plan, by=admin)

    refused = at_once(open_round, open_round)
    assert [refusal.status for refusal in refused if refusal] == [409]
    assert study.rounds.count() == 2


def test_a_decision_while_a_round_takes_the_response_is_refused(study):
    plan, third = judged_apart(study), person("carol", Role.ADJUDICATOR)
    item = study.items.first()
    refused = overlapping(
        lambda: rounds.judge_again(study, rounds.JudgedAgain(), plan, by=study.created_by),
        lambda: adjudication.decide(item, by=third, verdict="correct", cause="slip"),
    )
    assert refused is not None
    assert not Resolution.objects.exists()
