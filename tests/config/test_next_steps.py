"""The start page: what waits for each role, and how to begin with an empty installation."""

import pytest
from django.urls import reverse

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Assignment
from annotation.workflow import claiming
from config.next_steps import next_steps
from generation.models import Run
from judging import discussing, pool, rounds, verdicts
from judging.models import Study
from leases.clock import in_seconds
from tests.annotation import factories as annotation
from tests.factories import person
from tests.judging.factories import (
    closed_early,
    draft,
    hand_in,
    judge,
    later_run,
    open_study,
    slots,
)
from tests.writing import factories as writing

pytestmark = pytest.mark.django_db


def lines(someone) -> list[tuple[int, str, str, bool]]:
    """(count, text, action, is to do) of all lines of the person's page."""
    return [
        (step.count, step.text, step.action, step.is_to_do)
        for _, steps in next_steps(someone)
        for step in steps
    ]


def give_all(study, who, verdict="correct") -> None:
    for slot in slots(study, who):
        verdicts.give(slot, verdict)


def test_an_empty_installation_shows_how_to_begin(client):
    admin = person("alice", Role.ADMIN)
    begun = [action for count, _, action, is_to_do in lines(admin) if is_to_do and not count]
    assert begun == ["Invite", "Fetch pages", "Open a campaign", "Make a run"]
    client.force_login(admin)
    assert reverse("wikifetch:new_fetch") in client.get("/").content.decode()


def test_a_count_of_zero_has_no_link():
    alice = person("alice", Role.JUDGE, Role.ADJUDICATOR)
    assert lines(alice) == [
        (0, "responses that wait for your verdict", "", False),
        (0, "responses that you can draw", "", False),
        (0, "studies for you to hand in", "", False),
        (0, "disagreements to discuss with their other judge", "", False),
        (0, "disagreements to resolve", "", False),
    ]


def test_a_count_of_one_is_singular():
    draft()
    assert lines(person("bob", Role.RESEARCHER))[0][:2] == (1, "study")


def test_a_judge_who_has_finished_can_hand_in():
    study = open_study()
    alice = judge("alice")
    assert lines(alice)[0] == (12, "responses that wait for your verdict", "Judge", True)
    give_all(study, alice)
    assert lines(alice)[2] == (1, "study for you to hand in", "Hand in", True)
    verdicts.hand_in(alice, study)
    assert not any(is_to_do for *_, is_to_do in lines(alice))


def test_a_judge_of_a_pool_is_asked_to_draw_before_to_hand_in():
    study = open_study(pairing="pool")
    alice = judge("alice")
    nothing = (0, "studies for you to hand in", "", False)
    assert lines(alice)[1:3] == [(12, "responses that you can draw", "Draw", True), nothing]
    while pool.draw(alice, study):
        assert lines(alice)[1:3] == [(0, "responses that you can draw", "", False), nothing]
        give_all(study, alice)
    assert lines(alice)[2] == (1, "study for you to hand in", "Hand in", True)


def test_a_discussion_waits_for_each_of_its_judges_until_they_have_signed():
    study = open_study(resolved_by="discussion")
    for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
        hand_in(study, name, verdict)
    many = "disagreements to discuss with their other judge"
    assert lines(judge("alice"))[3] == (12, many, "Discuss", True)
    slot = discussing.open_for(judge("alice")).first()
    discussing.propose(slot, version=0, verdict="correct", cause="slip")
    assert lines(judge("alice"))[3][0] == 11
    assert lines(judge("bob"))[3][0] == 12


def test_an_admin_who_judges_does_not_see_the_number_of_disagreements():
    carol = person("carol", Role.ADMIN, Role.JUDGE)
    open_study("alice", "carol")
    undecided = (12, "responses still without a final verdict", "See studies", False)
    assert undecided in lines(Person.objects.get(username="admin"))
    assert undecided not in lines(carol)


def test_a_study_is_ready_to_close_once_every_response_has_a_final_verdict():
    study, admin = open_study(), Person.objects.get(username="admin")
    ready = (1, "study ready to close", "Close", True)
    hand_in(study, "alice", "correct")
    assert ready not in lines(admin)
    hand_in(study, "bob", "correct")
    assert ready in lines(admin)
    judge("alice").grants.create(role=Role.ADMIN)
    assert ready not in lines(Person.objects.get(username="alice"))


def test_what_an_earlier_round_left_does_not_keep_a_study_from_being_ready_to_close():
    study, *_ = closed_early()
    admin, study = study.created_by, Study.objects.get()
    selection = rounds.Selection([later_run()])
    judges = [judge("dora"), judge("emil")]
    plan = rounds.RoundPlan("A later model.", study.judged_by, False, judges)
    rounds.add_responses(study, rounds.AddedResponses(selection, 50), plan, by=admin)
    ready = (1, "study ready to close", "Close", True)
    assert ready not in lines(admin)
    for name in ("dora", "emil"):
        hand_in(study, name, "correct")
    assert ready in lines(admin)


def test_an_admin_does_not_see_the_counts_of_a_study_over_the_runs_that_they_judge():
    carol = person("carol", Role.ADMIN, Role.JUDGE)
    open_study("alice", "carol")
    run = Run.objects.get()
    done = open_study("dora", "emil", name="Done", drawn_from=run)
    for name in ("dora", "emil"):
        hand_in(done, name, "correct")
    open_study("dora", "emil", name="Begun", drawn_from=run)
    ready = (1, "study ready to close", "Close", True)
    undecided = "responses still without a final verdict"
    seen = lines(Person.objects.get(username="admin"))
    assert {ready, (24, undecided, "See studies", False)} <= {*seen}
    assert ready not in lines(carol)
    assert [count for count, text, *_ in lines(carol) if text == undecided] == [0]


def test_a_returned_annotation_whose_lease_has_expired_is_not_counted():
    alice = annotation.annotator("alice")
    handed_in = annotation.submitted(
        alice, within=annotation.campaign(by=person("olga", Role.ADMIN))
    )
    annotation.decide(handed_in, person("orla", Role.ADMIN), "send_back", "Which year?")
    assert [count for count, *_ in lines(alice)] == [1, 0, 0]
    Assignment.objects.update(lease_until=in_seconds(-1))
    claiming.sweep_assignments()
    assert [count for count, *_ in lines(alice)][:2] == [0, 0]


def test_many_free_tags_are_counted_to_a_limit(client, monkeypatch):
    monkeypatch.setattr(claiming, "MOST_COUNTED", 3)
    annotation.campaign(tags=4)
    alice = annotation.annotator()
    client.force_login(alice)
    assert "over 3</span> <span>tags that wait for an annotator" in client.get("/").content.decode()
    assert "over 3 tags left for" in client.get("/annotate/").content.decode()
    assert "<dd>over 3</dd>" in client.get("/annotate/progress/").content.decode()


def test_forms_of_protocols_are_named_once_one_was_opened():
    alice, bob = writing.annotator("alice"), writing.annotator("bob")
    assert len(lines(alice)) == 3
    weirs = writing.collection(*map(writing.record, "abcd"))
    form = writing.opened(within=weirs)
    writing.submitted(form, bob)
    writing.save(writing.taken(form, alice), answer="1783")
    assert lines(alice)[3:] == [
        (0, "entries sent back to you", "", False),
        (1, "entry in progress", "Continue", True),
        (1, "entry that waits for your check", "Check", True),
        (2, "records that wait for a writer", "Take the next", True),
    ]
