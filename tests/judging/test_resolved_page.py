"""What a judge reads of how differences were resolved, once the study is closed."""

import pytest
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from judging import adjudication, discussing, rounds, studies, verdicts
from judging.models import JudgingSlot, StudyItem
from judging.states import SlotState
from tests.factories import person, signed_in
from tests.judging import factories as make

pytestmark = pytest.mark.django_db
ONE = {"prompts": ("both-passages",), "models": make.MODEL_IDS[:1]}


@pytest.fixture
def thea():
    return person("thea", Role.ADJUDICATOR)


def resolve(study, who, verdict="incorrect", note="It names one year."):
    """The third person decides what waits."""
    for item in adjudication.unresolved(study):
        adjudication.decide(item, by=who, verdict=verdict, cause="criteria", note=note)


def page_of(client, study, name="alice"):
    signed_in(client, make.judge(name))
    return client.get(f"/judge/{study.pk}/resolved/")


@pytest.fixture
def study():
    """Three responses: alice and bob differ on the first, bob skips the second, they agree on the third."""
    study = make.open_study(drawn_from=make.finished_run(instances=3, **ONE))
    for name, given in (("alice", "correct"), ("bob", "incorrect")):
        for slot in make.slots(study, make.judge(name)):
            if name == "bob" and slot.item.position == 1:
                verdicts.skip(slot, "Cut off.")
            else:
                verdicts.give(slot, given if slot.item.position == 0 else "correct")
        verdicts.hand_in(make.judge(name), study)
    return study


def asked(study, position):
    return StudyItem.objects.get(study=study, position=position).response.instance.question


def test_a_judge_reads_how_differences_were_resolved_and_by_nobodys_name(client, study, thea):
    resolve(study, thea)
    studies.close_study(study)
    page = page_of(client, study, "bob")
    for words in (asked(study, 0), asked(study, 1), "Third person", "The criteria leave it open"):
        assertContains(page, words)
    assertContains(page, "It names one year.", count=2)
    assertContains(page, ">Skipped<")
    assertNotContains(page, asked(study, 2))
    for name in ("Thea", "Alice", "quokka"):
        assertNotContains(page, name)
    assertContains(client.get(f"/judge/{study.pk}/"), f"/judge/{study.pk}/resolved/")


def test_what_nobody_has_resolved_yet_is_not_listed(client, study):
    studies.close_study(study)
    assertContains(page_of(client, study), "Nothing was resolved.")


def test_what_the_person_may_be_asked_again_is_not_listed(client, study, thea):
    resolve(study, thea)
    first = next(each for each in make.slots(study, make.judge("alice")) if each.item.position == 0)
    studies.close_study(study)
    where = {"round": first.round, "item": first.item, "judge": first.judge}
    JudgingSlot.objects.create(**where, repeat=2, order=99, state=SlotState.WITHDRAWN)
    assertNotContains(page_of(client, study), asked(study, 0))
    assertContains(page_of(client, study, "bob"), asked(study, 0))


def test_while_the_study_is_open_nothing_is_shown(client, study, thea):
    resolve(study, thea)
    assert page_of(client, study).status_code == 403
    assertNotContains(client.get(f"/judge/{study.pk}/"), "resolved/")


def test_nor_while_another_study_over_the_run_is_open_in_which_the_person_judges(
    client, study, thea
):
    resolve(study, thea)
    studies.close_study(study)
    run = study.items.first().response.run
    make.open_study("bob", "carol", name="Another", drawn_from=run)
    assert page_of(client, study, "bob").status_code == 403
    assertContains(page_of(client, study, "alice"), "Third person")


def test_nobody_reads_it_who_did_not_judge(client, study):
    studies.close_study(study)
    assert page_of(client, study, "carol").status_code == 404


def test_what_both_signed_is_listed_with_its_note(client):
    study = make.open_study(
        drawn_from=make.finished_run(instances=1, **ONE), resolved_by="discussion"
    )
    make.hand_in(study, "alice", "correct")
    make.hand_in(study, "bob", "incorrect")
    seats = {name: discussing.listed(make.judge(name), study).get() for name in ("alice", "bob")}
    discussing.propose(
        seats["alice"], version=0, verdict="incorrect", cause="slip", note="I misread."
    )
    discussing.sign(seats["bob"], version=1)
    studies.close_study(study)
    page = page_of(client, study)
    for words in ("Discussed", "A judge slipped", "I misread."):
        assertContains(page, words)


def test_each_round_keeps_what_it_ended_with_and_shows_it_once_the_study_is_closed_again(
    client, study, thea
):
    resolve(study, thea)
    studies.close_study(study)
    judges = [make.judge("alice"), make.judge("dora")]
    plan = rounds.RoundPlan("Clearer", study.rubric, True, judges)
    opened = rounds.judge_again(study, rounds.JudgedAgain(numbers=[0]), plan, by=study.created_by)
    assert opened.could_read == 1
    assert page_of(client, study).status_code == 403
    for name, given in (("alice", "correct"), ("dora", "incorrect")):
        [slot] = verdicts.slots_of(make.judge(name)).filter(round=opened)
        verdicts.give(verdicts.slot_of(make.judge(name), slot.pk), given)
        verdicts.hand_in(make.judge(name), study)
    resolve(study, thea, "partially correct", note="By the new words.")
    studies.close_study(study)
    page = page_of(client, study)
    assertContains(page, "It names one year.", count=2)
    assertContains(page, "By the new words.", count=1)
