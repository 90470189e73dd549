"""What discussions keep apart: other studies, further rounds, a study opened again; and what an admin ends."""

import pytest
from django.db import IntegrityError, transaction

from accounts.roles import Role
from generation.models import Run
from judging import adjudication, discussing, pool, rounds, studies, verdicts
from judging.models import Discussion, Resolution, Study
from judging.settling import discussed, unresolved
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.factories import person, signed_in
from tests.judging import factories as make
from tests.judging.test_discussing import ONE, SLIP, handed_in, propose, seat

pytestmark = pytest.mark.django_db
GO_ON = "Closed by mistake."


def second_study(*names):
    study = make.draft("Second", drawn_from=Run.objects.get())
    studies.open_study(study, [make.judge(name) for name in names])
    return study


def test_nothing_of_a_discussion_is_shown_to_who_judges_the_same_run_in_another_study(client):
    study = handed_in()
    alice = signed_in(client, make.judge("alice"))
    slot = seat("alice")
    propose("bob", note="Bob's reasons.")
    second = second_study("alice", "carol")
    for address in (f"/judge/discussions/{slot.pk}/", f"/judge/{study.pk}/", "/judge/"):
        page = client.get(address).content.decode()
        assert "reasons" not in page, address
        assert "To discuss" not in page, address
    assert not discussing.waiting_for(alice)
    with pytest.raises(Conflict, match="over"):
        discussing.sign(slot, version=1)
    with pytest.raises(NotFoundHere):
        discussing.slot_of(alice, slot.pk)
    assert discussing.open_for(make.judge("bob")).exists()
    studies.close_study(second)
    discussing.sign(discussing.slot_of(alice, slot.pk), version=1)


def test_what_both_signed_is_hidden_too_while_a_judge_judges_the_run_elsewhere():
    handed_in()
    slot = seat("alice")
    propose("bob")
    discussing.sign(slot, version=1)
    second_study("alice", "carol")
    with pytest.raises(NotFoundHere):
        discussing.slot_of(make.judge("alice"), slot.pk)


def test_an_open_study_of_another_run_hides_no_discussion():
    handed_in()
    other = make.run("other")
    make.response(other, make.instance(9), "both-passages", make.language_model())
    make.open_study("alice", "carol", name="Other", drawn_from=other)
    assert seat("alice")


def further_round(study, *names):
    judges = [make.judge(name) for name in names]
    plan = rounds.RoundPlan("Unclear", study.rubric, True, judges)
    return rounds.judge_again(study, rounds.JudgedAgain(), plan, by=study.created_by)


def test_who_discussed_is_not_added_to_a_further_round_that_does_not_count_them():
    study = handed_in(instances=2)
    studies.close_study(study)
    further_round(study, "carol", "dora")
    with pytest.raises(
        Refusal, match="judged in an earlier round, whose judges could read its final verdicts"
    ):
        pool.add(study, make.judge("alice"))
    assert not study.judges.filter(person=make.judge("alice"), removed_at=None).exists()
    assert pool.add(study, make.judge("erin"))


def test_who_was_counted_when_the_round_opened_comes_back_to_it():
    study = handed_in(instances=2)
    studies.close_study(study)
    opened = further_round(study, "alice", "carol")
    alice = make.judge("alice")
    verdicts.give(make.slots(study, alice)[-1], "correct")
    pool.remove(study, study.judges.get(person=alice).pk)
    assert pool.add(study, alice).removed_at is None
    assert opened.could_read == 1


def closed_early():
    """Two responses; alice and bob differ on the first, and bob never came to the second."""
    run = make.finished_run(instances=2, **ONE)
    study = make.open_study("alice", "bob", drawn_from=run, resolved_by="discussion")
    make.hand_in(study, "alice", "correct")
    verdicts.give(make.slots(study, make.judge("bob"))[0], "incorrect")
    studies.close_study(study)
    study.refresh_from_db()
    return study


def test_a_study_is_not_opened_again_once_a_judge_has_read_a_discussion(client):
    study = closed_early()
    signed_in(client, make.judge("bob"))
    assert client.get(f"/judge/discussions/{seat('bob').pk}/").status_code == 200
    with pytest.raises(Conflict, match="Open a further round"):
        rounds.reopen(study, GO_ON, by=study.created_by)
    study.refresh_from_db()
    assert study.state == "closed"
    signed_in(client, study.created_by)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "It cannot be opened again" in page
    assert "Open again" not in page


def test_a_study_is_opened_again_before_anybody_has_read_one(client):
    study = closed_early()
    client.force_login(study.created_by)
    assert "Open again" in client.get(f"/studies/{study.pk}/").content.decode()
    rounds.reopen(study, GO_ON, by=study.created_by)
    assert seat("bob") is None


def test_an_admin_leaves_what_is_still_discussed_to_a_third_person(client):
    study = handed_in(instances=3)
    studies.close_study(study)
    propose("alice")
    discussing.sign(discussing.slot_of(make.judge("bob"), theirs("bob")), version=1)
    propose("alice")
    client.force_login(study.created_by)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "2 discussions end here" in page
    answer = client.post(f"/studies/{study.pk}/discussions/leave/", follow=True)
    assert "A third person decides on 2 responses." in answer.content.decode()
    assert "discussions end here" not in answer.content.decode()
    assert (discussed(study).count(), unresolved(study).count()) == (0, 2)
    assert Resolution.objects.get().how == "discussed"
    assert seat("alice") is None
    item = adjudication.item_for(person("charlie", Role.ADJUDICATOR), unresolved(study)[0].pk)
    adjudication.decide(item, by=person("dave", Role.ADJUDICATOR), note="", **SLIP)


def theirs(name):
    """The slot of this judge of what somebody has proposed."""
    item = Discussion.objects.get(state="proposed").item
    return item.slots.get(judge__person__username=name).pk


def test_discussions_of_an_open_study_are_left_by_its_judges_alone(client):
    study = handed_in()
    client.force_login(study.created_by)
    assert "discussions end here" not in client.get(f"/studies/{study.pk}/").content.decode()
    answer = client.post(f"/studies/{study.pk}/discussions/leave/")
    assert answer.status_code == 409
    assert "Close it first" in answer.content.decode()
    assert seat("alice")


@pytest.mark.both
def test_the_database_refuses_a_discussion_of_three():
    study = handed_in()
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(judges_per_response=3)
