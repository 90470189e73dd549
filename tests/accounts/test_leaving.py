"""Who leaves with open work: what is listed before, what becomes of it, and what is left to do afterwards."""

from collections.abc import Callable

import pytest
from django.urls import reverse

from accounts import invitations
from accounts.audit import told
from accounts.leaving import open_work
from accounts.models import Person
from accounts.roles import Role
from annotation.models import Annotation, Assignment
from annotation.reviewing import deciding
from annotation.workflow import assigning
from config.next_steps import next_steps
from datasets import revisions
from datasets.revisions import Texts
from judging import pool, verdicts
from operations import forgetting
from tests.annotation import factories as annotation
from tests.factories import person, signed_in, stored
from tests.judging import factories as judging
from tests.judging.test_discussing import handed_in
from tests.writing import factories as writing

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> Person:
    return person("alice", Role.ANNOTATOR, Role.JUDGE)


@pytest.fixture
def root() -> Person:
    return person("root", Role.ADMIN)


def one_tag(alice) -> None:
    annotation.draft(alice, statement_1="begun")


def one_sent_back(alice) -> None:
    sent = annotation.submitted(alice)
    at = annotation.place_of(sent)
    read = annotation.read_by(at, reason="Shorter, please.")
    deciding.send_back(at, [sent.pk], by=Person.objects.get(username="olga"), read=read)


def one_entry(alice) -> None:
    writing.save(writing.taken(writing.opened(), alice), answer="1783")


def responses(alice) -> None:
    judging.open_study("alice", "bob")


def verdicts_given(alice) -> None:
    study = judging.open_study("alice", "bob", drawn_from=judging.finished_run(1, ["passage-1"]))
    for slot in judging.slots(study, alice):
        verdicts.give(slot, "correct")


def one_discussed(alice) -> None:
    handed_in()


TAG = "1 tag in progress"
HELD = {
    one_tag: (TAG, "Mills"),
    one_sent_back: (f"{TAG}, 1 of them sent back to be changed", "Mills"),
    one_entry: ("1 entry in progress", "Answer the question: weirs"),
    responses: ("12 responses to judge", "Pilot"),
    verdicts_given: ("2 verdicts to hand in", "Pilot"),
    one_discussed: ("1 disagreement that they discuss", "Pilot"),
}
SETTLED = [make for make in HELD if make is not one_discussed]


@pytest.fixture(params=HELD, ids=lambda make: make.__name__)
def made(request, alice) -> Callable[[Person], None]:
    request.param(alice)
    return request.param


def rows_of(who: Person, by: Person | None = None) -> list[open_work.OpenWork]:
    return open_work.held_by(Person.objects.get(pk=who.pk), by)


def to_hand_on(root) -> int:
    """The number on the admin's first page."""
    steps = dict(next_steps(root))[Role.ADMIN]
    return next(step.count for step in steps if step.view == "accounts:open_work")


@pytest.mark.both
def test_what_a_person_holds_is_listed_with_its_number_and_place(made, alice, root):
    assert [(row.what, row.where, row.is_left) for row in rows_of(alice)] == [(*HELD[made], False)]
    assert [row.what for row in open_work.all_held(root)][:1] == [HELD[made][0]]


BLOCK = "blocked"


@pytest.mark.both
@pytest.mark.parametrize("way", [BLOCK, "roles taken away"])
@pytest.mark.parametrize("make", SETTLED, ids=lambda make: make.__name__)
def test_work_is_left_behind_until_others_can_take_it(alice, root, make, way):
    make(alice)
    before = to_hand_on(root)
    if way == BLOCK:
        invitations.set_active(alice, active=False, by=root)
    else:
        invitations.grant(alice, roles=[], by=root)
    (row,) = rows_of(alice)
    assert row.is_left
    assert row.what in [each.what for each in open_work.left_over(root)]
    open_work.settle([row], {row.key: open_work.RETURN}, root)
    assert rows_of(alice) == []
    assert not any(each.person for each in open_work.left_over(root))
    assert before == 0


def test_a_discussion_goes_to_a_third_person_when_one_of_its_judges_cannot_sign(alice, root):
    one_discussed(alice)
    invitations.set_active(alice, active=False, by=root)
    assert rows_of(alice) == []
    wanted = ["1 disagreement that no third person is left for"]
    assert [row.what for row in open_work.left_over(root)] == wanted
    person("teresa", Role.ADJUDICATOR)
    assert open_work.left_over(root) == []


# ------------------------------------------------------------ what nobody can do


def a_free_tag() -> Role:
    first = annotation.submitted(
        annotation.annotator("carla"), within=annotation.campaign(people=2)
    )
    assert first.assignment
    invitations.grant(first.author, roles=[Role.ANNOTATOR], by=None)
    return Role.ANNOTATOR


def an_entry_to_check() -> Role:
    writing.submitted(writing.opened(), writing.annotator("carla"))
    return Role.ANNOTATOR


def revised_passages() -> Role:
    author = person("carla", Role.RESEARCHER)
    question = judging.instance()
    revisions.write(instance=question, texts=Texts("One.", "One.", "1"), by=author)
    Person.objects.filter(username="root").update(is_active=False)
    return Role.RESEARCHER


def a_free_response() -> Role:
    study = judging.open_study("carla", "bob", drawn_from=judging.finished_run(1, ["passage-1"]))
    pool.remove(study, study.judges.get(person__username="bob").pk)
    return Role.JUDGE


def a_disagreement() -> Role:
    study = judging.open_study(drawn_from=judging.finished_run(1, ["passage-1"], ["a-model"]))
    judging.hand_in(study, "alice", "correct")
    judging.hand_in(study, "bob", "incorrect")
    return Role.ADJUDICATOR


def a_review() -> Role:
    annotation.submitted(person("carla", Role.ANNOTATOR, Role.ADMIN))
    Person.objects.exclude(username="carla").update(is_active=False)
    return Role.ADMIN


NOBODY = {
    a_free_tag: "1 tag without an annotator who could take it",
    an_entry_to_check: "1 entry that no other annotator is left to check",
    revised_passages: "1 revised passage that nobody else is left to check",
    a_free_response: "2 responses that no judge is left for",
    a_disagreement: "1 disagreement that no third person is left for",
    a_review: "1 tag to review that each admin has annotated",
}


@pytest.mark.both
@pytest.mark.parametrize("make", NOBODY, ids=lambda make: make.__name__)
def test_what_nobody_is_left_to_do_is_listed_until_somebody_can(root, make):
    role = make()
    assert [row.what for row in open_work.for_nobody(None)] == [NOBODY[make]]
    new = person("dora", role)
    if role == Role.JUDGE:
        pool.add(judging.Study.objects.get(), new)
    assert open_work.for_nobody(None) == []
    # Now the new one is the only one who can.
    only = open_work.only_theirs(new, [role], None)
    assert [row.what for row in only] == [NOBODY[make]]


def test_an_admin_who_judges_is_not_told_how_many_disagreements_there_are(root):
    a_disagreement()
    study = judging.Study.objects.get()
    root.grants.create(role=Role.JUDGE)
    study.judges.create(person=root, pseudonym="P-ROOT22")
    assert open_work.for_nobody(None)
    assert not any("disagreement" in row.what for row in open_work.for_nobody(root))


# ------------------------------------------------------------ pages


@pytest.fixture
def pages(client, root) -> "Pages":
    signed_in(client, root)
    return Pages(client)


class Pages:
    def __init__(self, client) -> None:
        self.client = client

    def post(self, view: str, *keys: int, **sent: object) -> str:
        """The text of the page to which it leads."""
        answer = self.client.post(reverse(view, args=keys), sent, follow=True)
        assert answer.status_code == 200, answer.content.decode()
        return answer.content.decode()

    def get(self, view: str, *keys: int) -> str:
        return self.client.get(reverse(view, args=keys)).content.decode()


def test_blocking_somebody_first_lists_their_work_and_does_what_was_chosen(pages, alice, root):
    one_tag(alice)
    bert = annotation.annotator("bert")
    draft = Annotation.objects.get(author=alice)
    asked = pages.post("accounts:set_active", alice.pk, active="no")
    assert TAG in asked
    assert "Give it to Bert" in asked
    assert stored(alice).is_active
    key = f"work-tags-{draft.assignment.campaign_id}-{alice.pk}"
    done = pages.post(
        "accounts:set_active", alice.pk, active="no", confirmed="yes", **{key: bert.pk}
    )
    assert "Mills: 1 tag given to Bert." in done
    assert not stored(alice).is_active
    assert stored(draft.assignment).person == bert
    assert stored(draft).statement_1 == "begun"


def test_what_was_kept_is_on_the_persons_page_and_on_what_next(pages, alice, root):
    one_tag(alice)
    pages.post("accounts:set_active", alice.pk, active="no", confirmed="yes")
    assert "Left behind" in pages.get("accounts:person", alice.pk)
    assert "Left behind" in pages.get("accounts:open_work")
    assert to_hand_on(root) == 1
    key = rows_of(alice)[0].key
    assert "1 tag free for others" in pages.post(
        "accounts:hand_on", alice.pk, **{f"work-{key}": "return"}
    )
    assert to_hand_on(root) == 1, "Nobody else annotates here."
    annotation.annotator("bert")
    assert to_hand_on(root) == 0


def test_only_the_work_of_a_role_that_is_taken_away_is_asked_about(pages, alice):
    one_tag(alice)
    responses(alice)
    asked = pages.post("accounts:person", alice.pk, roles=["annotator"])
    assert "12 responses to judge" in asked
    assert TAG not in asked
    assert stored(alice).roles == {Role.ANNOTATOR, Role.JUDGE}
    pages.post("accounts:person", alice.pk, roles=["annotator"], confirmed="yes")
    assert stored(alice).roles == {Role.ANNOTATOR}


def test_nothing_is_asked_of_a_person_without_open_work(pages, alice):
    pages.post("accounts:set_active", alice.pk, active="no")
    assert not stored(alice).is_active


def test_nothing_is_done_where_the_chosen_person_cannot_get_it(client, pages, alice):
    one_tag(alice)
    key = rows_of(alice)[0].key
    for wrong in (person("rita", Role.RESEARCHER).pk, "9" * 30, "bert"):
        sent = {"active": "no", "confirmed": "yes", f"work-{key}": wrong}
        answer = client.post(reverse("accounts:set_active", args=[alice.pk]), sent)
        assert answer.status_code == 400
        assert "cannot get it any more" in answer.content.decode()
    assert stored(alice).is_active
    assert rows_of(alice)[0].what == TAG


def test_removing_an_annotator_from_a_campaign_asks_to_whom_their_tags_go(pages, alice):
    one_tag(alice)
    bert, place = annotation.annotator("bert"), Assignment.objects.get(person=alice)
    at = ("annotation:remove_person", place.campaign_id, alice.pk)
    asked = pages.get(*at)
    assert TAG in asked
    assert "Keep it with them" not in asked
    key = rows_of(alice)[0].key
    done = pages.post(*at, **{f"work-{key}": bert.pk})
    assert "1 tag given to Bert" in done
    assert stored(place).person == bert
    assert place.campaign.chosen.get(person=alice).removed_at


def test_removing_a_judge_says_what_nobody_is_left_to_judge_and_can_add_another(pages, alice):
    responses(alice)
    study = judging.Study.objects.get()
    dora, at = judging.judge("dora"), ("judging:study_remove_judge", study.pk)
    judge = study.judges.get(person=alice)
    asked = pages.get(*at, judge.pk)
    assert "nobody is left to judge 12 responses" in asked
    done = pages.post(*at, judge.pk, **{f"work-slots-{judge.pk}": dora.pk})
    assert "Dora can draw the rest" in done
    assert stored(judge).removed_at
    assert pool.free_in(dora, [study.pk]) == {study.pk: 12}


def test_a_study_names_what_no_judge_is_left_for(pages, alice, root):
    responses(alice)
    study = judging.Study.objects.get()
    invitations.set_active(alice, active=False, by=root)
    page = pages.get("judging:study", study.pk)
    assert "Cannot judge any more" in page
    assert "No judge is left who can finish 12 responses" in " ".join(page.split())
    assert "no judge is left for 12" in page
    pool.add(study, judging.judge("dora"))
    page = " ".join(pages.get("judging:study", study.pk).split())
    assert "12 responses wait for a judge who cannot judge any more" in page
    assert "No judge is left" not in page


def test_the_person_is_told_who_did_what_with_their_work(client, alice, root):
    one_tag(alice)
    responses(alice)
    place, study = Assignment.objects.get(person=alice), judging.Study.objects.get()
    Person.objects.filter(pk=alice.pk).update(joined_at="2026-01-01T00:00:00Z")
    rows = Assignment.objects.filter(pk=place.pk)
    assigning.reassign(place.campaign, rows, annotation.annotator("bert"), by=root)
    pool.remove(study, study.judges.get(person=alice).pk, by=root)
    invitations.grant(alice, roles=[Role.ANNOTATOR], by=root)
    alice = signed_in(client, Person.objects.get(pk=alice.pk))
    assert [(event.by, event.about) for event in told(alice)] == [
        (root, "annotator"),
        (root, "removed from the study “Pilot”; verdicts given stay, others judge the rest"),
        (root, "“Mills”: 1 tag given to another annotator"),
    ]
    assert "“Mills”: 1 tag given to another annotator" in client.get("/").content.decode()
    queue = client.get(reverse("annotation:queue")).content.decode()
    assert "“Mills”: 1 tag given to another annotator" in queue
    assert "an admin handed it on" in queue


def test_tags_that_were_withdrawn_are_told_to_who_held_them_alone(alice, root):
    one_tag(alice)
    Person.objects.filter(pk=alice.pk).update(joined_at="2026-01-01T00:00:00Z")
    campaign = Assignment.objects.get(person=alice).campaign
    assigning.withdraw(campaign, campaign.assignments.all(), by=root)
    (event,) = told(Person.objects.get(pk=alice.pk))
    assert event.about == "“Mills”: 1 tag withdrawn from the campaign"
    assert told(root) == []


def test_a_reviewer_who_does_not_wait_for_a_draft_is_named_to_its_author(alice, root):
    campaign = annotation.campaign(people=2)
    sent = annotation.submitted(annotation.annotator("bert"), within=campaign)
    annotation.draft(alice, within=campaign)
    Person.objects.filter(pk=alice.pk).update(joined_at="2026-01-01T00:00:00Z")
    at = annotation.place_of(sent)
    deciding.accept(at, sent.pk, by=root, read=annotation.read_by(at, withdraw=True), is_same=None)
    (event,) = told(Person.objects.get(pk=alice.pk))
    assert (event.by, event.about) == (root, "“Mills”: 1 tag decided without the draft")


def test_the_roles_that_came_with_joining_are_no_news(root):
    token = invitations.invite(roles=[Role.ANNOTATOR], by=root)
    new = invitations.accept(token, username="ada", name="Ada", password="a long way to go there")
    assert told(new) == []


def test_reassigning_offers_nobody_who_cannot_sign_in(pages, alice):
    one_tag(alice)
    person("odile", Role.ANNOTATOR, is_demonstration=True)
    person("bert", Role.ANNOTATOR, is_active=False)
    campaign = Assignment.objects.get(person=alice).campaign
    for view, keys in (
        ("annotation:assignments", [campaign.pk]),
        ("annotation:campaign", [campaign.pk]),
        ("annotation:campaign_new", []),
        ("accounts:person", [alice.pk]),
    ):
        page = pages.get(view, *keys)
        assert "Odile" not in page, view
        assert "Bert" not in page, view


@pytest.mark.parametrize("make", SETTLED, ids=lambda make: make.__name__)
def test_forgetting_somebody_lets_others_take_their_work(alice, root, make):
    make(alice)
    forgetting.forget(alice, by=root)
    assert rows_of(alice) == []


def test_the_page_on_which_one_forgets_asks_to_whom_the_work_goes(pages, alice):
    one_tag(alice)
    bert, place = annotation.annotator("bert"), Assignment.objects.get(person=alice)
    key = f"work-{rows_of(alice)[0].key}"
    assert TAG in pages.get("operations:forget", alice.pk)
    at = reverse("operations:forget", args=[alice.pk])
    again = pages.client.post(at, {"username": "wrong", key: bert.pk}).content.decode()
    assert f'<option value="{bert.pk}" selected' in again
    pages.post("operations:forget", alice.pk, username="alice", **{key: bert.pk})
    assert stored(place).person == bert
    assert stored(alice).forgotten_at
