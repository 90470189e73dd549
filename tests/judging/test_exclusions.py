"""Excluding a question whose responses are judged: who may know of it, and what is recorded."""

import pytest
from pytest_django.asserts import assertContains

from accounts.roles import Role
from datasets import exclusions
from datasets.models import Exclusion, Instance
from evaluation.counts.final_verdicts import kept_items
from judging import studies
from leases.refusal import Conflict, NotAllowed
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
        "/collections/abbeys/exclusions/?show=proposed",
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
    exclusions.propose([question], SECRET)
    assert [without_tokens(page) for page in seen_by(client, jean, question)] == before
    exclusions.exclude(instance=question, reason=SECRET, by=rosa)
    assert [without_tokens(page) for page in seen_by(client, jean, question)] == before
    (other,) = Instance.objects.exclude(pk=question.pk)
    lost = exclusions.exclude(instance=other, reason=SECRET, by=rosa)
    exclusions.undo(instance=other, exclusion=lost.pk, reason="It is sound.", by=rosa)
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
    exclusions.exclude(instance=question, reason=SECRET, by=rosa)
    assert without_tokens(client.get(path).content.decode()) == before
    for name in ("jean", "bob"):
        factories.hand_in(study, name)
    assert {stored(slot).state for slot in mine} == {"locked"}
    studies.close_study(study)
    assert study.items.count() == 12
    assert kept_items(study).count() == 12 - len(mine)


@pytest.mark.parametrize("standing", ["in", "proposed", "excluded"])
def test_a_judge_of_an_open_study_does_nothing_and_reads_the_same_either_way(
    client, question, jean, rosa, standing
):
    if standing == "proposed":
        exclusions.propose([question], SECRET)
    if standing == "excluded":
        exclusions.exclude(instance=question, reason=SECRET, by=rosa)
    before = list(Exclusion.objects.values())
    made = before[0]["id"] if before else 0
    client.force_login(jean)
    path = f"/contradictions/{question.contradiction_id}/questions/{question.n}/exclusion/"
    typed = {"act": "exclude", "reason": "It is unclear."}
    for answer in (client.get(path), client.post(path, typed)):
        assertContains(answer, "flag the response", status_code=403)
        assert SECRET not in answer.content.decode()
    with pytest.raises(NotAllowed, match="You judge responses"):
        exclusions.undo(instance=question, exclusion=made, reason="It is sound.", by=jean)
    with pytest.raises(Conflict, match="Nothing was changed"):
        exclusions.decide(question.contradiction.collection, [made], confirm=True, by=jean)
    assert list(Exclusion.objects.values()) == before


def test_with_the_study_closed_the_judge_may_exclude_it_and_results_existed(study, question, jean):
    judge_all(study, lambda who, slot: "correct")
    studies.close_study(study)
    made = exclusions.exclude(instance=question, reason=SECRET, by=jean)
    assert made.after_results
