"""Reports against ten lines of code that know nothing of how they are computed."""

import json
from collections import Counter

import pytest

from accounts.roles import Role
from datasets.drawing import SubsetPlan
from datasets.subsets import Query, freeze
from evaluation.counts.naming import model_names
from evaluation.report.methods import methods_paragraph
from evaluation.sections.study import study_report
from evaluation.sections.study_agreement import (
    NOT_MEASURED_ALONE,
    NOT_MEASURED_YET,
)
from evaluation.sections.verdict_table import FINAL_VERDICTS
from evaluation.tables import sentences
from generation.models import LanguageModel
from judging import studies
from judging.files.studyfile import study_entry
from judging.models import JudgingSlot, StudyItem
from tests.evaluation.factories import (
    cells,
    exclude,
    judge_all,
    judged_study,
    resolve_all,
    run_of_all_kinds,
)
from tests.factories import person
from tests.judging import factories as judging

pytestmark = [pytest.mark.both, pytest.mark.django_db]

LABELS = {"internal-knowledge": "1", "passage-1": "2", "both-passages": "4"}


def agreement(report, label):
    (result,) = [part for part in report["agreement"]["prompts"] if part["prompt"] == label]
    return result


def test_every_cell_equals_an_independent_count(study):
    resolve_all(study)
    counted, totals = Counter(), Counter()
    kinds = {"Explicit": "explicit", "Implicit (reasoning required)": "implicit"}
    for item in StudyItem.objects.filter(study=study):
        response, contradiction = item.response, item.response.instance.contradiction
        if response.prompt == "passage-1" and contradiction.same_passage == "Same":
            continue
        for part in ("all", kinds.get(contradiction.type_4, "untyped")):
            place = (LABELS[response.prompt], response.model.model_id, part)
            counted[(*place, item.resolution.verdict)] += 1
            totals[place] += 1
    expected = {key: (k, totals[key[:3]]) for key, k in counted.items()}
    assert {key: value for key, value in cells(study_report(study)).items() if value[0]} == expected


def test_the_confusion_matrix_equals_an_independent_count(study):
    expected = Counter()
    for item in StudyItem.objects.filter(study=study, response__prompt="both-passages"):
        slots = JudgingSlot.objects.filter(item=item).order_by("judge__pseudonym")
        expected[tuple(slot.judgment.first_verdict for slot in slots)] += 1
    (pair,) = agreement(study_report(study), "4")["pairs"]
    result = {
        (first, second): pair["table"][i][j]
        for i, first in enumerate(pair["labels"])
        for j, second in enumerate(pair["labels"])
        if pair["table"][i][j]
    }
    assert result == expected
    assert sum(result.values()) == 8


def test_agreement_is_of_first_verdicts_and_stays_when_a_third_person_decides(study):
    before = study_report(study)["agreement"]
    resolve_all(study)
    after = study_report(study)["agreement"]
    assert [one.pop("final") for one in before["prompts"]] == [8, 8, 6]
    assert [one.pop("final") for one in after["prompts"]] == [8, 8, 8]
    assert after == before
    (pair,) = agreement(study_report(study), "4")["pairs"]
    percent = sentences.coefficient_of(pair["coefficients"], "percent_agreement")
    assert (percent["value"], percent["n"]) == (6 / 8, 8)


def test_judges_who_used_one_verdict_have_agreement_but_no_kappa():
    (pair,) = agreement(study_report(judged_study()), "1")["pairs"]
    kappa = sentences.coefficient_of(pair["coefficients"], "cohen_kappa")
    assert (kappa["value"], kappa["low"]) == (None, None)
    assert "one category only" in kappa["reason"]
    assert sentences.coefficient_of(pair["coefficients"], "percent_agreement")["value"] == 1.0


def test_waiting_responses_are_in_no_share():
    result = cells(study_report(judged_study()))
    place = ("4", judging.MODEL_IDS[0], "all")
    assert result[(*place, "correct")] == (3, 3)
    assert result[(*place, "unlabelled")] == (1, 4)


def test_one_passage_prompts_leave_out_questions_whose_passages_are_the_same():
    report = study_report(judged_study())
    lines = {
        (line["prompt"], line["slice"]): (line["total"], line["left_out"])
        for line in report["tables"][0]["lines"]
        if line["model"] == judging.MODEL_IDS[0]
    }
    assert lines["2", "all"] == (3, 1)
    assert lines["4", "all"] == (4, 0)
    assert lines["2", "untyped"] == (1, 0)


def test_an_excluded_question_leaves_final_verdicts_but_not_agreement(study):
    before = study_report(study)
    exclude(study, 1)
    after = study_report(study)
    assert after["agreement"] == before["agreement"]
    assert after["study"]["excluded_instances"] == 1
    place = ("1", judging.MODEL_IDS[0], "all", "correct")
    assert (cells(before)[place], cells(after)[place]) == ((4, 4), (3, 3))


def test_changing_pairs_have_a_kappa_each_and_fleiss_over_all():
    study = judged_study("alice", "bob", "carl", order="random")
    result = agreement(study_report(study), "4")
    # Which pairs meet on a prompt depends on the run's number, which has a part in the draw.
    items = study.items.filter(response__prompt="both-passages")
    met = {frozenset(one.slots.values_list("judge__pseudonym", flat=True)) for one in items}
    assert {frozenset(pair["judges"]) for pair in result["pairs"]} == met
    assert len(met) > 1
    alphas = ["krippendorff_alpha_nominal", "krippendorff_alpha_ordinal"]
    names = [one["name"] for one in result["all"]]
    assert names == ["percent_agreement", "fleiss_kappa", *alphas, "gwet_ac1"]
    assert sum(sum(map(sum, pair["table"])) for pair in result["pairs"]) == result["n"] == 8


def test_one_judge_is_not_measured():
    report = study_report(judged_study("alice", judges_per_response=1))
    assert not report["agreement"]["measured"]
    assert report["agreement"]["reason"] == NOT_MEASURED_ALONE
    assert cells(report)["4", judging.MODEL_IDS[0], "all", "correct"] == (4, 4)


def test_nothing_judged_yet():
    report = study_report(judging.open_study())
    assert report["agreement"]["reason"] == NOT_MEASURED_YET.format("both")
    assert agreement(report, "4")["n"] == 0
    labelled = [row for row in report["tables"][0]["rows"] if row["verdict"] != "unlabelled"]
    assert {row["n"] for row in labelled} == {0}


def test_a_study_of_nothing():
    study = judging.draft()
    study.items.all().delete()
    report = study_report(study)
    assert report["tables"][0]["rows"] == []
    assert report["study"]["responses"] == 0


def test_verdicts_that_are_not_handed_in_are_in_no_number():
    study = judge_all(judging.open_study(drawn_from=run_of_all_kinds()), hand_in=False)
    report = study_report(study)
    assert report["agreement"]["measured"] is False
    assert not any(row["k"] for row in report["tables"][0]["rows"] if row["verdict"] == "correct")


def test_two_models_of_one_name_stay_two():
    asked_in = run_of_all_kinds()
    for model in {response.model for response in asked_in.responses.all()}:
        model.display_name = "Wombat"
        model.save()
    report = study_report(judged_study(drawn_from=asked_in))
    names = [model["name"] for model in report["models"]]
    assert len(set(names)) == 2
    assert all(name.startswith("Wombat (") for name in names)


def test_the_report_is_json_and_names_its_population():
    report = study_report(judged_study())
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert report["population"] == report["tables"][0]["population"] == FINAL_VERDICTS
    place, ends = {"prompt", "model", "slice", "verdict"}, {"cluster_low", "cluster_high"}
    numbers = {"k", "n", "low", "high", "lowest", "highest", "clusters", "cluster_reason"}
    assert set(report["tables"][0]["rows"][0]) == place | ends | numbers


def test_the_same_verdicts_give_the_same_hash_and_a_changed_one_another(study):
    first = study_report(study)["snapshot"]
    assert study_report(study)["snapshot"] == first
    assert first["rows"] == 48 + 2 + 4  # of slots, judges and articles
    resolve_all(study)
    assert study_report(study)["snapshot"]["sha256"] != first["sha256"]


def test_models_named_for_what_tells_others_apart_have_names_of_their_own():
    """Two models of one name are numbered; a third is called what one of them then is."""
    twins = [
        LanguageModel.objects.create(service="s", model_id="Twin", options_hash=f"{n}" * 64)
        for n in range(2)
    ]
    ids = (f"Twin (no. {twins[0].pk})", "Twin (s)", "Other")
    others = [
        LanguageModel.objects.create(service="t", model_id=name, options_hash="0" * 64)
        for name in ids
    ]
    shown = model_names([*twins, *others])
    assert len(set(shown.values())) == 5
    assert shown[others[2].pk] == "Other"


def test_verdicts_on_ones_own_questions_are_counted_and_said_in_words():
    run = judging.finished_run(instances=2, prompts=["passage-1"])
    judging.written_by("alice", run, 1)
    study = judging.open_study(drawn_from=run)
    judging.hand_in(study, "alice")
    judging.hand_in(study, "bob")
    report = study_report(study)
    assert report["study"]["own_verdicts"] == [2, 8]
    assert (
        "2 of 8 first verdicts (25.0 %) were on questions that their judge had written"
        in methods_paragraph(report)
    )


def test_the_subset_that_was_judged_is_named_with_how_it_was_drawn(client, rita):
    drawn_from = run_of_all_kinds()
    few = freeze(
        "Few",
        drawn_from.collection,
        Query(by="reasoning"),
        SubsetPlan(7, wanted={"explicit": 1}),
        by=rita,
    )
    admin = person("admin", Role.ADMIN)
    made = studies.create(
        "Of few", studies.Selection([drawn_from], subset=few), studies.StudyDesign(), by=admin
    )
    report = study_report(made)
    assert report["study"]["subset"] == {
        "name": "Few",
        "query": "All questions",
        "by": "Reasoning (type IV)",
        "drawn": 1,
        "frame": 4,
        "seed": 7,
    }
    sentence = "strata by reasoning (type IV) with seed 7: 1 of 4 (subset Few)."
    assert sentence in methods_paragraph(report)
    assert "Few: 1 of 4 questions" in client.get(f"/reports/{made.pk}/").content.decode()
    assert study_entry(made)["subset"]["strata"][0] == ["Explicit", 2, 1]
