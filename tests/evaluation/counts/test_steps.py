from itertools import pairwise

import pytest
from django.core.management import call_command

from datasets.models import Contradiction
from evaluation.counts.judged import Judged
from evaluation.counts.steps import FROM_COLLECTION, FROM_FILE, study_flow
from evaluation.report.flow_steps import changes_of
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign, create
from tests.evaluation.factories import exclude, judged_study, resolve_all, run_of_all_kinds
from tests.factories import person
from tests.judging import factories as judging

STEP = {"key": "a", "label": "A", "n": 3, "unit": "tag", "lost": [], "gained": []}


@pytest.mark.parametrize(
    ("step", "lines"),
    [
        ({**STEP}, ["none lost"]),
        ({**STEP, "lost": [{"n": 2, "reason": "invalid"}]}, ["2 invalid"]),
        ({**STEP, "gained": [{"n": 1, "reason": "imported"}]}, ["1 more: imported"]),
        ({**STEP, "unit": "question"}, ["from 3 tags"]),
    ],
)
def test_what_happened_on_the_way_is_changes_of(step, lines):
    assert changes_of(step, STEP) == lines


def reasons(step):
    return {change["reason"]: change["n"] for change in step["lost"]}


def check(study):
    """Every loss of the study's way adds up."""
    given = study_flow(Judged.of_study(study))["steps"]
    for before, step in pairwise(given):
        # Three questions may come from one contradiction: a change of unit needs no explanation.
        if before["unit"] == step["unit"]:
            lost, gained = (sum(each["n"] for each in step[way]) for way in ("lost", "gained"))
            assert step["n"] == before["n"] - lost + gained, step["key"]
    return {step["key"]: step for step in given}


@pytest.mark.django_db
def test_a_study_without_a_campaign_begins_at_its_collection_and_says_so():
    flow = study_flow(Judged.of_study(judged_study()))
    assert (flow["begins"], flow["note"]) == ("collection", FROM_COLLECTION)
    assert flow["steps"][0]["key"] == "contradictions"


@pytest.mark.both
@pytest.mark.django_db
def test_losses_add_up_from_the_collection_to_the_tables(study):
    steps = check(study)
    kept = [steps[key]["n"] for key in ("questions", "asked", "responses", "study")]
    assert kept == [4, 4, 24, 24]
    assert reasons(steps["final"]) == {"without a final verdict": 2}
    assert reasons(steps["tables"]) == {"to prompts that give one of two equal passages": 2}
    resolve_all(study)
    exclude(study, 1)
    steps = check(study)
    assert reasons(steps["tables"])["excluded with their question: Ambiguous"] == 6
    assert steps["final"]["lost"] == []


@pytest.mark.both
@pytest.mark.django_db
def test_questions_that_no_run_asked_and_invalid_contradictions_are_losses():
    asked_in = run_of_all_kinds()
    judging.instance(9)
    invalid = judging.instance(10).contradiction
    Contradiction.objects.filter(pk=invalid.pk).update(validity="Invalid")
    steps = check(judged_study(drawn_from=asked_in))
    assert reasons(steps["valid"]) == {"invalid": 1}
    assert reasons(steps["asked"]) == {"not chosen for the run": 1}


@pytest.mark.both
@pytest.mark.django_db
def test_responses_that_the_study_left_out_or_that_never_came_are_losses():
    asked_in = run_of_all_kinds()
    failed = asked_in.responses.last()
    failed.state = "failed"
    failed.save()
    design = StudyDesign(judges_per_response=1)
    chosen = Selection([asked_in], [judging.PROMPTS[0]])
    study = create("One prompt", chosen, design, by=person("olga"))
    steps = check(study)
    result = reasons(steps["study"])
    assert sum(result.values()) == 24 - steps["study"]["n"]
    assert result["not finished"] == 1
    assert reasons(steps["judged"]) == {"without a verdict that was handed in": steps["study"]["n"]}


@pytest.mark.both
@pytest.mark.django_db
def test_what_not_all_judges_came_to_is_a_loss_of_its_own():
    steps = check(judging.closed_early()[0])
    assert reasons(steps["judged"]) == {"without a verdict that was handed in": 1}
    assert reasons(steps["final"]) == {
        "judged by fewer than asked": 2,
        "without a final verdict": 2,
    }


@pytest.mark.django_db
def test_an_imported_study_has_no_step_of_judging():
    study = judging.draft()
    Study.objects.filter(pk=study.pk).update(is_imported=True)
    study.refresh_from_db()
    flow = study_flow(Judged.of_study(study))
    assert flow["note"] == FROM_FILE
    assert "judged" not in {step["key"] for step in flow["steps"]}


@pytest.mark.django_db
def test_a_study_of_nothing_has_no_steps():
    study = judging.draft()
    study.items.all().delete()
    assert study_flow(Judged.of_study(study))["steps"] == []


@pytest.mark.django_db
def test_the_demonstration_begins_at_the_tags_seen():
    call_command("load_demonstration", verbosity=0)
    for any_study in Study.objects.all():
        check(any_study)
    study = Study.objects.earliest("pk")
    steps = check(study)
    assert study_flow(Judged.of_study(study))["begins"] == "campaign"
    assert next(iter(steps)) == "seen"
    assert steps["published"]["n"] <= steps["annotated"]["n"] <= steps["campaign"]["n"]
    assert steps["study"]["n"] == study.items.count()
