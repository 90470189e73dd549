"""Excluding a question whose responses are judged: who may know of it, and what is recorded."""

import pytest
from pytest_django.asserts import assertContains

from accounts.roles import Role
from datasets.excluding import exclusions
from datasets.models import Exclusion, Instance
from evaluation.counts.final_verdicts import kept_items
from judging import studies
from leases.refusal import NotAllowed
from tests.evaluation.factories import judge_all
from tests.factories import person, stored
from tests.judging import factories

pytestmark = pytest.mark.django_db

SECRET = "All models fail on it."


@pytest.fixture
def jean():
    """A researcher who judges, too."""
    return person("jean", Role.RESEARCHER, Role.ADMIN, Role.ANNOTATOR, Role.JUDGE)


@pytest.fixture
def study(jean):
    made = factories.draft()
    studies.open_study(made, [jean, factories.judge("bob")])
    made.refresh_from_db()
    return made


@pytest.fixture
def question(study):
    return study.items.first().response.instance


def paths(question):
    return [
        f"/contradictions/{question.contradiction_id}/",
        "/collections/abbeys/",
        "/collections/abbeys/questions/",
        "/collections/abbeys/exclusions/",
        "/collections/abbeys/exclusions/?show=past",
        "/api/collections/abbeys/exclusions/",
    ]


def seen_by(client, who, question):
    client.force_login(who)
    return [client.get(path).content.decode() for path in paths(question)]


def without_tokens(page):
    """A page without what differs every time."""
    return "".join(line for line in page.splitlines() if "csrfmiddlewaretoken" not in line)


def test_a_judge_of_an_open_study_learns_nothing(client, study, question, jean, rosa):
    before = [without_tokens(page) for page in seen_by(client, jean, question)]
    made = exclusions.propose(instance=question, reason=SECRET, by=rosa)
    assert [without_tokens(page) for page in seen_by(client, jean, question)] == before
    exclusions.second(instance=question, proposal=made.pk, by=person("olga", Role.ADMIN))
    assert [without_tokens(page) for page in seen_by(client, jean, question)] == before
    (other,) = Instance.objects.exclude(pk=question.pk)
    lost = exclusions.propose(instance=other, reason=SECRET, by=rosa)
    exclusions.withdraw(instance=other, proposal=lost.pk, by=rosa)
    assert [without_tokens(page) for page in seen_by(client, jean, question)] == before
    assert any(SECRET in page for page in seen_by(client, rosa, question))
    client.force_login(jean)
    page = client.post("/collections/abbeys/releases/", {"version": "1.0"}, follow=True)
    assert b"1.0 is frozen; its sha256" in page.content
    assert SECRET.encode() not in page.content


def test_a_verdict_on_an_excluded_question_is_taken_as_any_and_counts_in_no_table(
    client, study, question, jean, rosa
):
    """A refusal, or an item that goes, would show the judge an exclusion that is hidden from them."""
    mine = [
        slot
        for slot in factories.slots(study, jean)
        if slot.item.response.instance_id == question.pk
    ]
    path = f"/judge/slots/{mine[0].pk}/"
    client.force_login(jean)
    before = without_tokens(client.get(path).content.decode())
    made = exclusions.propose(instance=question, reason=SECRET, by=rosa)
    exclusions.second(instance=question, proposal=made.pk, by=person("olga", Role.ADMIN))
    assert without_tokens(client.get(path).content.decode()) == before
    for name in ("jean", "bob"):
        factories.hand_in(study, name)
    assert {stored(slot).state for slot in mine} == {"locked"}
    studies.close_study(study)
    assert study.items.count() == 12
    assert kept_items(study).count() == 12 - len(mine)


@pytest.mark.parametrize("proposed", [True, False])
def test_a_judge_of_an_open_study_does_nothing_and_reads_the_same_either_way(
    client, question, jean, rosa, proposed
):
    if proposed:
        exclusions.propose(instance=question, reason=SECRET, by=rosa)
    client.force_login(jean)
    path = f"/contradictions/{question.contradiction_id}/questions/{question.n}/exclusion/"
    typed = {"act": "propose", "reason": "It is unclear."}
    for answer in (client.get(path), client.post(path, typed)):
        assertContains(answer, "flag the response", status_code=403)
        assert SECRET not in answer.content.decode()
    for act, more in ((exclusions.second, {}), (exclusions.decline, {"note": "x"})):
        with pytest.raises(NotAllowed, match="You judge responses"):
            act(instance=question, proposal=Exclusion.objects.count(), by=jean, **more)
    assert Exclusion.objects.count() == int(proposed)


def test_with_the_study_closed_the_judge_may_take_part_and_it_is_recorded(
    study, question, jean, rosa
):
    judge_all(study, lambda who, slot: "correct")
    made = exclusions.propose(instance=question, reason=SECRET, by=rosa)
    studies.close_study(study)
    exclusions.second(instance=question, proposal=made.pk, by=jean)
    made.refresh_from_db()
    run, before = made.seen["proposed"]["known"]
    assert run == {
        "what": f"Run {study.items.first().response.run_id}: 6 responses to this question",
        "open": True,
        "part": "",
    }
    assert before == {
        "what": "Study “Pilot” (open): 6 responses to this question, 6 with a final verdict",
        "open": True,
        "part": "",
    }
    after = made.seen["seconded"]["known"][1]
    assert after["what"].startswith("Study “Pilot” (closed)")
    assert (after["open"], after["part"]) == (True, "judged in it")


def test_what_is_hidden_from_somebody_is_recorded_as_hidden(study, question, jean, rosa):
    """Another question's study hides the run that both share."""
    asked_in = study.items.first().response.run
    model = factories.language_model()
    alone = factories.response(asked_in, factories.instance(9), "passage-1", model).instance
    made = exclusions.propose(instance=alone, reason="Unclear.", by=jean)
    (run,) = made.seen["proposed"]["known"]
    assert (run["open"], run["what"]) == (False, f"Run {asked_in.pk}: 1 response to this question")
