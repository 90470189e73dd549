"""Studies of declared rubrics: verdicts without an order, prompts without criteria, one label, records found unfit."""

import pytest
from django.core.management import call_command
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from datasets import exclusions
from datasets.models import Exclusion, PastExclusion
from generation import prompt_versions
from judging import (
    adjudication,
    discussing,
    planning,
    progress,
    rounds,
    rubric_versions,
    settling,
    studies,
)
from judging.forms.rubric_form import RubricForm
from judging.models import JudgingSlot, Study
from judging.rules import rubric
from leases.refusal import Refusal
from tests import coded
from tests.evaluation.factories import judge_all
from tests.factories import person, signed_in
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


# ---------------------------------------------------------------- verdicts without an order


def test_verdicts_without_an_order_are_neutral_and_stand_as_declared(client):
    study = coded.opened(coded.draft(coded.answered(n=2)), "alice", "bob")
    signed_in(client, make.judge("alice"))
    slot = make.slots(study, make.judge("alice"))[0]
    shown = client.get(f"/judge/slots/{slot.pk}/").content.decode()
    places = [
        shown.index(f'data-label="{label}"')
        for label in ("Ignored the modification", "World knowledge", "Other")
    ]
    assert places == sorted(places)
    assert shown.count('data-tone="neutral"') == 3
    for word in ("best", "worst", 'data-tone="good"', 'data-tone="bad"'):
        assert word not in shown


def test_a_changed_version_of_the_rubric_stays_without_an_order():
    coded.protocol()
    known = coded.rubric_named("codes")
    asked = {name: prompt_versions.find(name) for name in known.body["prompts"]}
    of = {"based_on": rubric.parse(known.body), "text": known.body, "asked": asked}
    shown = {field.html_name: field.value() for field in RubricForm(**of)}
    form = RubricForm(shown | {"title": "Errors, clearer"}, **of)
    assert form.is_valid(), form.errors
    newest = rubric_versions.save(form.body(), newest=1, by=person("olga", Role.ADMIN))
    assert (newest.version, newest.body["title"]) == (2, "Errors, clearer")
    assert not newest.scale.is_ordered


# ---------------------------------------------------------------- prompts without criteria


def test_responses_to_prompts_without_criteria_are_in_the_study_and_get_no_slots():
    study = coded.opened(coded.draft(coded.answered(n=3)))
    prompts = {"coded-asked": 6, "coded-closed": 6}
    found = list(study.items.values_list("response__prompt", flat=True))
    assert {name: found.count(name) for name in prompts} == prompts
    slots = JudgingSlot.objects.filter(round__study=study)
    assert set(slots.values_list("item__response__prompt", flat=True)) == {"coded-asked"}
    assert slots.count() == 12
    assert study.items.filter(round=None).count() == 6
    assert study.judged_items.count() == 6


@pytest.mark.both
def test_progress_goes_by_what_is_judged():
    study = coded.coded(coded.answered(n=4))
    settled = progress.responses_settled(study)
    assert settled["total"] == 8
    assert settled["settled"] + settled["unresolved"] == 8
    assert settled["waiting"] == 0
    half = judge_all(
        coded.opened(coded.draft(coded.answered(n=2), name="Half")),
        lambda who, slot: "other" if who == "alice" else "",
        hand_in=False,
    )
    left = progress.left_by_closing(half)
    assert (left.lacking, left.undecided) == (8, 0)


def test_plans_and_hours_leave_out_what_is_not_judged():
    run = coded.answered(n=3)
    study = coded.draft(run)
    made = studies.would_open(study, [make.judge("alice"), make.judge("bob")])
    assert (made.responses, made.slots) == (6, 12)
    selection = studies.Selection([run])
    design = studies.StudyDesign(rubric=coded.rubric_named("codes"), seed=1)
    cost = studies.would_cost(selection, design)
    assert (cost.responses, cost.questions) == (6, 3)
    assert isinstance(cost, planning.StudyCost)


def test_a_rubric_with_no_criteria_for_any_of_the_prompts_is_refused():
    run = coded.answered(n=2, asked=["closed"])
    with pytest.raises(Refusal, match="coded-codes has criteria for none of these prompts"):
        coded.draft(run)


def test_a_further_round_leaves_them_alone_too():
    study = coded.coded(coded.answered(n=2))
    by = study.created_by
    plan = rounds.RoundPlan("Again.", study.rubric, True, [make.judge("dora"), make.judge("emil")])
    assert rounds.would_judge_again(study, rounds.JudgedAgain(), plan).responses == 4
    opened = rounds.judge_again(study, rounds.JudgedAgain(), plan, by=by)
    assert opened.items.count() == 4
    only = rounds.JudgedAgain(prompts=["coded-closed"])
    studies.close_study(Study.objects.get(pk=study.pk))
    with pytest.raises(Refusal, match="criteria for none of these prompts"):
        rounds.judge_again(Study.objects.get(pk=study.pk), only, plan, by=by)


def test_the_study_page_says_how_many_get_no_judge(client):
    study = coded.draft(coded.answered(n=2))
    signed_in(client, person("olga", Role.ADMIN))
    assertContains(client.get(f"/studies/{study.pk}/"), "4 of them get no judge")


# ---------------------------------------------------------------- only responses with a label


@pytest.mark.both
def test_a_study_draws_only_responses_with_the_label(client):
    run = coded.answered(n=6)
    study = coded.draft(run, label="answer=other")
    assert study.only_label == "answer=other"
    # Of six answers with the text, those to records 0 and 3 are right; without it all are.
    assert study.items.count() == 8
    assert set(study.items.values_list("response__prompt", flat=True)) == {"coded-asked"}
    signed_in(client, person("olga", Role.ADMIN))
    assertContains(
        client.get(f"/studies/{study.pk}/"), "only those that a scorer labels answer=other"
    )
    page = client.get("/studies/new/")
    assertContains(page, '<option value="answer=other">answer: other</option>', html=True)


def test_the_new_page_makes_such_a_study_and_keeps_what_was_entered(client):
    run = coded.answered(n=6)
    signed_in(client, person("olga", Role.ADMIN))
    given = {
        "name": "Wrong ones", "runs": run.pk, "label": "answer=other", "rubric": coded.rubric_named("codes").pk,
        "judges_per_response": 2, "pairing": "rotation", "resolved_by": "third_person", "order": "grouped",
    }  # fmt: skip
    assertContains(
        client.post("/studies/new/", given | {"name": ""}),
        'value="answer=other" selected',
        status_code=400,
    )
    assert client.post("/studies/new/", given).status_code == 302
    assert Study.objects.get(name="Wrong ones").items.count() == 8


def test_the_command_makes_one_too(capsys):
    run = coded.answered(n=6)
    person("olga", Role.ADMIN)
    call_command(
        "make_study", "Wrong", "--by", "olga", "--run", str(run.pk), "--per-response", "0", "--label", "answer=right",
    )  # fmt: skip
    assert "16 responses" in capsys.readouterr().out
    assert Study.objects.get(name="Wrong").only_label == "answer=right"


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ("answer=fine", "answer=fine is no label of a scorer of coded version 1. There are answer=right,"),
        ("squad=wrong", "squad=wrong is no label of a scorer"),
        ("right", "right is no label of a scorer"),
        ("answer=skipped", "No finished response matches."),
    ],
)  # fmt: skip
def test_an_unknown_label_and_one_that_none_has_are_refused(label, sentence):
    with pytest.raises(Refusal) as refused:
        coded.draft(coded.answered(n=2), label=label)
    assert sentence in refused.value.message


def test_protocols_without_scorers_offer_no_label(client):
    make.finished_run()
    signed_in(client, person("olga", Role.ADMIN))
    assertNotContains(client.get("/studies/new/"), 'name="label"')


# ---------------------------------------------------------------- records that judges find unfit


def filtered(verdict="no", n=4, **design):
    """Alice and bob say `verdict` of every second text; bob differs on the last."""
    study = coded.opened(coded.draft(coded.given(n), "filter", **design))

    def choose(who, slot):
        place = slot.item.response.instance.contradiction.position
        if place == n - 1 and who == "bob":
            return "yes"
        return verdict if place % 2 else "yes"

    return judge_all(study, choose)


def test_records_with_that_verdict_are_proposed_once_the_study_closes():
    study = filtered()
    assert not Exclusion.objects.exists()
    studies.close_study(study)
    [made] = Exclusion.objects.all()
    assert made.instance.contradiction.title == "Statement 1"
    assert made.excluded_by is None
    assert made.reason == "Judges of the study “Coded” gave a text of this record the verdict “No”."


def test_one_that_a_third_person_decides_afterwards_is_proposed_then():
    study = filtered()
    studies.close_study(study)
    [item] = settling.unresolved(study)
    adjudication.decide(item, by=person("carol", Role.ADJUDICATOR), verdict="no", cause="slip")
    titles = Exclusion.objects.values_list("instance__contradiction__title", flat=True)
    assert sorted(titles) == ["Statement 1", "Statement 3"]


def test_one_that_its_judges_agree_on_afterwards_is_proposed_then():
    study = filtered(resolved_by="discussion")
    studies.close_study(study)
    [item] = settling.discussed(study)
    first, second = item.slots.order_by("seat")
    discussing.propose(first, verdict="no", cause="slip", note="", version=0)
    discussing.sign(second, version=1)
    assert Exclusion.objects.count() == 2


def test_no_record_is_proposed_twice():
    studies.close_study(study := filtered())
    [made] = Exclusion.objects.all()
    other = person("otto", Role.ADMIN)
    of = made.instance.contradiction.collection
    exclusions.decide(of, [made.pk], confirm=False, by=other)
    reopened = rounds.RoundPlan(
        "Again.", study.rubric, True, [make.judge("dora"), make.judge("emil")]
    )
    rounds.judge_again(
        Study.objects.get(pk=study.pk), rounds.JudgedAgain(), reopened, by=study.created_by
    )
    judge_all(study, lambda who, slot: "no")
    studies.close_study(Study.objects.get(pk=study.pk))
    assert Exclusion.objects.count() == 3
    assert PastExclusion.objects.count() == 1
    assert made.instance_id not in Exclusion.objects.values_list("instance", flat=True)


def test_the_verdict_that_does_not_exclude_proposes_nothing():
    studies.close_study(filtered("yes"))
    assert not Exclusion.objects.exists()
