"""Discussions: two judges sign one verdict; who may, when, and what ends them."""

from functools import partial

import pytest
from django.db import IntegrityError, transaction

from accounts.roles import Role
from evaluation.report.methods import methods_paragraph
from evaluation.sections.study import study_report
from judging import adjudication, discussing, pool, progress, rounds, studies, verdicts
from judging.discussing import Awaits
from judging.files import studyfile
from judging.models import Discussion, Judgment, Remark, Resolution, Study
from judging.settling import discussed, unresolved
from leases.refusal import Conflict, NotFoundHere, Refusal, StaleVersion
from tests.factories import person
from tests.judging import factories as make

pytestmark = pytest.mark.django_db

ONE = {"prompts": ["both-passages"], "models": make.MODEL_IDS[:1]}
SLIP = {"verdict": "correct", "cause": "slip"}


def disputed(*names, instances=1, **design):
    """An open study of a response for each instance, on which its judges (alice and bob) differ."""
    run = make.finished_run(instances=instances, **ONE)
    study = make.open_study(*names, drawn_from=run, **{"resolved_by": "discussion", **design})
    for name, verdict in zip(names or ("alice", "bob"), ("correct", "incorrect"), strict=True):
        make.give_all(study, name, verdict, comment=f"Words of {name}.")
    return study


def handed_in(**options):
    study = disputed(**options)
    for name in ("alice", "bob"):
        verdicts.hand_in(make.judge(name), study)
    return study


def seat(name):
    """The first response that this judge discusses."""
    return discussing.open_for(make.judge(name)).first()


def propose(name, version=0, **changed):
    discussing.propose(seat(name), version=version, **{**SLIP, **changed})


@pytest.mark.both
def test_two_signatures_under_one_text_are_the_final_verdict():
    study = handed_in()
    propose("alice", cause="criteria", note="The criteria are silent.")
    assert not Resolution.objects.exists()
    discussing.sign(seat("bob"), version=1)
    made = Resolution.objects.get()
    assert (made.verdict, made.how, made.cause, made.note, made.resolved_by) == (
        "correct", "discussed", "criteria", "The criteria are silent.", None,
    )  # fmt: skip
    assert {made.discussion.proposed_by.pseudonym, made.discussion.signed_by.pseudonym} == {
        judge.pseudonym for judge in study.judges.all()
    }
    assert make.those_marked_final() == {made.item_id}
    assert set(Judgment.objects.values_list("first_verdict", flat=True)) == {"correct", "incorrect"}


@pytest.mark.both
def test_a_changed_proposal_takes_the_others_signature_back():
    handed_in()
    propose("alice")
    propose("bob", version=1, verdict="incorrect")
    with pytest.raises(Conflict, match="You proposed this verdict"):
        discussing.sign(seat("bob"), version=2)
    discussing.sign(seat("alice"), version=2)
    assert Resolution.objects.get().verdict == "incorrect"


@pytest.mark.parametrize("act", [discussing.sign, partial(discussing.propose, **SLIP)])
def test_what_was_made_from_an_older_proposal_is_refused(act):
    handed_in()
    propose("alice")
    propose("alice", version=1, verdict="incorrect")
    with pytest.raises(StaleVersion, match="changed since you opened"):
        act(seat("bob"), version=1)
    assert Discussion.objects.get().verdict == "incorrect"
    assert not Resolution.objects.exists()


@pytest.mark.both
def test_the_same_request_sent_again_succeeds():
    handed_in()
    bob = seat("bob")
    propose("alice")
    propose("alice")
    assert Discussion.objects.get().version == 1
    for _ in range(2):
        discussing.remark(bob, "Are you sure?\r\n")
    for _ in range(2):
        discussing.sign(bob, version=1)
    assert (Resolution.objects.count(), Remark.objects.get().text) == (1, "Are you sure?")


def test_a_signed_verdict_is_not_changed_any_more():
    handed_in()
    alice = seat("alice")
    propose("alice")
    discussing.sign(seat("bob"), version=1)
    with pytest.raises(Conflict, match="over"):
        discussing.propose(alice, version=1, verdict="incorrect", cause="slip")
    with pytest.raises(Conflict, match="over"):
        discussing.leave(alice)
    with pytest.raises(Conflict, match="over"):
        discussing.remark(alice, "One more thing")
    assert discussing.slot_of(make.judge("alice"), alice.pk) == alice


@pytest.mark.both
def test_one_signature_at_closing_leaves_the_response_unresolved():
    study = disputed()
    studies.close_study(study)
    propose("alice")
    settled = progress.responses_settled(study)
    assert (settled["settled"], settled["discussed"], settled["unresolved"]) == (0, 1, 0)
    assert (settled["waiting"], settled["incomplete"]) == (0, [])
    assert list(discussed(study)) == list(study.items.all())
    report = study_report(study)
    assert {way["how"]: way["count"] for way in report["resolution"]} == {"disagreement": 1}
    assert "1 has no final verdict" in methods_paragraph(report)


def test_report_and_files_say_that_it_was_discussed():
    study = handed_in()
    propose("alice", note="Read again.")
    discussing.sign(seat("bob"), version=1)
    report = study_report(study)
    assert {way["how"]: way["count"] for way in report["resolution"]} == {"discussed": 1}
    assert "1 was settled by discussion" in methods_paragraph(report)
    [entry] = studyfile.entries(study)
    assert (entry["final"]["how"], entry["final"]["note"]) == ("discussed", "Read again.")
    assert ",discussed," in "".join(studyfile.csv_chunks(study))
    assert studyfile.study_entry(study)["resolved_by"] == "discussion"


def test_no_discussion_opens_while_a_verdict_can_still_be_given():
    study = disputed()
    verdicts.hand_in(make.judge("alice"), study)
    assert seat("alice") is None
    bob = make.slots(study, make.judge("bob"))[0]
    with pytest.raises(NotFoundHere):
        discussing.slot_of(make.judge("bob"), bob.pk)
    with pytest.raises(Conflict, match="over"):
        discussing.propose(bob, version=0, **SLIP)
    verdicts.hand_in(make.judge("bob"), study)
    assert seat("alice")


def test_nobody_else_sees_or_signs_it():
    handed_in()
    slot = seat("alice")
    for other in (make.judge("carol"), make.judge("bob"), person("ada", Role.ADJUDICATOR)):
        with pytest.raises(NotFoundHere):
            discussing.slot_of(other, slot.pk)


def test_what_is_discussed_does_not_wait_for_a_third_person():
    study = handed_in()
    charlie = person("charlie", Role.ADJUDICATOR)
    assert not unresolved(study)
    with pytest.raises(NotFoundHere):
        adjudication.item_for(charlie, study.items.get().pk)


def test_who_cannot_agree_leaves_it_to_a_third_person():
    study = handed_in()
    alice = seat("alice")
    propose("bob")
    discussing.leave(alice)
    discussing.leave(alice)
    assert seat("bob") is None
    item = adjudication.item_for(person("charlie", Role.ADJUDICATOR), study.items.get().pk)
    made = adjudication.decide(item, by=person("dave", Role.ADJUDICATOR), note="", **SLIP)
    assert (made.how, made.discussion) == ("third_person", None)


@pytest.mark.parametrize("gone", ["removed", "inactive", "no role"])
def test_a_judge_who_has_left_sends_it_to_a_third_person(gone):
    run = make.finished_run(instances=2, **ONE)
    study = make.open_study("alice", "bob", drawn_from=run, resolved_by="discussion")
    bob = make.judge("bob")
    make.hand_in(study, "alice", "correct")
    verdicts.give(make.slots(study, bob)[0], "incorrect")
    if gone == "removed":
        pool.remove(study, study.judges.get(person=bob).pk)
    studies.close_study(study)
    if gone == "inactive":
        type(bob).objects.filter(pk=bob.pk).update(is_active=False)
    if gone == "no role":
        bob.grants.all().delete()
    assert seat("alice") is None
    assert unresolved(study).count() == 1


ENDS = {
    "study closed": lambda study: studies.close_study(study),
    "other removed": lambda study: pool.remove(
        study, study.judges.get(person=make.judge("bob")).pk
    ),
    "signer removed": lambda study: pool.remove(
        study, study.judges.get(person=make.judge("alice")).pk
    ),
}


@pytest.mark.parametrize(
    ("end", "discussed_on"), [("study closed", 1), ("other removed", 0), ("signer removed", 0)]
)
def test_what_one_alone_has_signed_is_not_resolved_by_an_end(end, discussed_on):
    study = handed_in()
    propose("alice")
    alice, bob = seat("alice"), seat("bob")
    ENDS[end](study)
    assert not Resolution.objects.exists()
    assert Discussion.objects.get().signed_by is None
    assert (discussed(study).count(), unresolved(study).count()) == (discussed_on, 1 - discussed_on)
    if discussed_on:
        discussing.sign(bob, version=1)
        return
    for act in (lambda: discussing.sign(bob, version=1), lambda: discussing.remark(alice, "Sign?")):
        with pytest.raises(Conflict, match="This discussion is over: it was signed by both, left"):
            act()
    assert not Resolution.objects.exists()


def test_a_third_persons_decision_is_refused_once_both_are_there_again():
    run = make.finished_run(instances=2, **ONE)
    study = make.open_study("alice", "bob", drawn_from=run, resolved_by="discussion")
    bob, charlie = make.judge("bob"), person("charlie", Role.ADJUDICATOR)
    make.hand_in(study, "alice", "correct")
    verdicts.give(make.slots(study, bob)[0], "incorrect")
    pool.remove(study, study.judges.get(person=bob).pk)
    item = adjudication.item_for(charlie, unresolved(study).get().pk)
    pool.add(study, bob)
    with pytest.raises(Conflict, match="discuss it"):
        adjudication.decide(item, by=charlie, note="", **SLIP)


def test_the_only_judge_who_may_also_resolve_does_not_decide_on_their_own_item():
    study = make.open_study(
        "alice",
        drawn_from=make.finished_run(instances=1, **ONE),
        judges_per_response=1,
        resolved_by="discussion",
    )
    alice = make.judge("alice")
    alice.grants.create(role=Role.ADJUDICATOR)
    verdicts.skip(make.slots(study, alice)[0], "Unreadable.")
    verdicts.hand_in(alice, study)
    assert seat("alice") is None
    with pytest.raises(NotFoundHere):
        adjudication.item_for(alice, study.items.get().pk)
    assert unresolved(study).count() == 1


def test_a_skipped_response_is_discussed_too():
    study = make.open_study(
        "alice", "bob", drawn_from=make.finished_run(instances=1, **ONE), resolved_by="discussion"
    )
    verdicts.skip(make.slots(study, make.judge("alice"))[0], "Unreadable.")
    verdicts.hand_in(make.judge("alice"), study)
    make.hand_in(study, "bob", "correct")
    propose("alice", cause="skipped")
    discussing.sign(seat("bob"), version=1)
    assert Resolution.objects.get().how == "discussed"


@pytest.mark.parametrize(
    "design",
    [
        {"pairing": "pool"},
        {"judges_per_response": 1, "double_percent": 50},
    ],
)
def test_those_two_who_judged_discuss(design):
    run = make.finished_run(instances=4, **ONE)
    study = make.open_study(
        "alice", "bob", "carol", drawn_from=run, **{"resolved_by": "discussion", **design}
    )
    for n, name in enumerate(("alice", "bob", "carol", "bob")):
        who = make.judge(name)
        pool.draw(who, study)
        for slot in make.slots(study, who):
            if slot.state == "waiting" and (name != "alice" or slot.order < 2):
                verdicts.give(slot, ("correct", "incorrect", "partially correct", "correct")[n])
    studies.close_study(study)
    items = list(discussed(study))
    assert items
    for item in items:
        two = {slot.judge.person for slot in item.slots.all()}
        assert len(two) == 2
        for who in two:
            assert discussing.open_for(who).filter(item=item).exists()


@pytest.mark.parametrize(
    ("entered", "sentence"),
    [
        ({"verdict": "fine"}, "is not a verdict here"),
        ({"cause": ""}, "Choose why"),
        ({"verdict": "partially correct"}, "agrees with none"),
        ({"note": "x" * 10_001}, "longer than 10000"),
    ],
)
def test_a_proposal_that_is_not_complete_is_refused(entered, sentence):
    handed_in()
    with pytest.raises(Refusal, match=sentence):
        propose("alice", **entered)
    assert not Discussion.objects.exclude(verdict="").exists()


@pytest.mark.parametrize(("text", "sentence"), [(" ", "Write what"), ("x" * 2_001, "longer than")])
def test_a_remark_needs_words_and_not_too_many(text, sentence):
    handed_in()
    with pytest.raises(Refusal, match=sentence):
        discussing.remark(seat("alice"), text)


def test_nothing_is_signed_before_something_is_proposed():
    handed_in()
    with pytest.raises(Conflict, match="Nobody has proposed"):
        discussing.sign(seat("alice"), version=0)


def test_a_further_round_ends_discussions_of_those_who_judge_in_it_no_more():
    study = handed_in()
    studies.close_study(study)
    alice = seat("alice")
    judges = [make.judge("carol"), make.judge("dora")]
    plan = rounds.RoundPlan("Unclear", study.rubric, True, judges)
    opened = rounds.judge_again(study, rounds.JudgedAgain(), plan, by=study.created_by)
    with pytest.raises(Conflict, match="over"):
        discussing.propose(alice, version=0, **SLIP)
    assert opened.could_read == 0


def test_who_has_read_verdicts_in_discussions_is_counted_in_a_further_round():
    study = handed_in()
    studies.close_study(study)
    judges = [make.judge("alice"), make.judge("dora")]
    plan = rounds.RoundPlan("Unclear", study.rubric, True, judges)
    assert (
        rounds.judge_again(study, rounds.JudgedAgain(), plan, by=study.created_by).could_read == 1
    )


def test_to_propose_what_the_other_has_proposed_is_to_sign_it():
    handed_in()
    bob = seat("bob")
    propose("alice", note="One.\nTwo.")
    same = {**SLIP, "note": "One.\r\nTwo. "}
    assert [discussing.propose(bob, version=1, **same) for _ in range(2)] == [True, True]
    now = Discussion.objects.get()
    assert (now.version, now.signed_by, now.proposed_by.person) == (
        1, bob.judge, make.judge("alice"),
    )  # fmt: skip
    assert Resolution.objects.get().note == "One.\nTwo."


def waits_for(*names):
    return [discussing.waiting_for(make.judge(name)).exists() for name in names]


def test_it_waits_for_the_one_who_did_not_write_or_propose_last():
    handed_in()
    assert waits_for("alice", "bob") == [True, True]
    propose("alice")
    assert waits_for("alice", "bob") == [False, True]
    discussing.remark(seat("bob"), "Why not partially correct?")
    assert waits_for("alice", "bob") == [True, False]
    discussing.remark(seat("alice"), "It names one year.")
    assert waits_for("alice", "bob") == [False, True]


def awaited(who, study):
    return [slot.awaits for slot in discussing.listed(who, study)]


def test_the_list_says_what_waits_for_whom():
    study = handed_in(instances=2)
    alice, bob = make.judge("alice"), make.judge("bob")
    propose("alice")
    assert awaited(alice, study) == [Awaits.WRITE, Awaits.OTHER]
    assert awaited(bob, study) == [Awaits.SIGN, Awaits.WRITE]
    assert discussing.counts_in(alice, [study]) == {study.pk: 1}
    assert discussing.counts_in(alice, list(Study.objects.none())) == {}


def test_a_proposal_is_to_sign_whenever_the_last_word_is_its_authors():
    study = handed_in()
    alice, bob = make.judge("alice"), make.judge("bob")
    assert (awaited(alice, study), awaited(bob, study)) == ([Awaits.WRITE], [Awaits.WRITE])
    propose("alice")
    assert (awaited(alice, study), awaited(bob, study)) == ([Awaits.OTHER], [Awaits.SIGN])
    discussing.remark(seat("bob"), "Why?")
    assert (awaited(alice, study), awaited(bob, study)) == ([Awaits.WRITE], [Awaits.OTHER])
    discussing.remark(seat("alice"), "It names both years.")
    assert (awaited(alice, study), awaited(bob, study)) == ([Awaits.OTHER], [Awaits.SIGN])


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "signed"},
        {"state": "proposed"},
        {"verdict": "fine", "state": "open"},
        {"verdict": "correct", "state": "open", "cause": "slip"},
        {"state": "unknown"},
    ],
)
def test_the_database_refuses_a_discussion_that_cannot_be(wrong):
    study = handed_in()
    item = study.items.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Discussion.objects.create(item=item, round=item.round, **wrong)


def test_the_database_refuses_two_signatures_of_one_judge():
    study = handed_in()
    item, judge = study.items.get(), study.judges.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Discussion.objects.create(
            item=item, round=item.round, state="signed", **SLIP, proposed_by=judge, signed_by=judge
        )


def test_the_database_refuses_a_proposal_without_a_cause():
    study = handed_in()
    item, judge = study.items.get(), study.judges.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Discussion.objects.create(
            item=item, round=item.round, state="proposed", verdict="correct", proposed_by=judge
        )


def test_the_database_refuses_a_discussed_verdict_without_its_discussion():
    study = handed_in()
    item = study.items.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Resolution.objects.create(item=item, round=item.round, verdict="correct", how="discussed")
