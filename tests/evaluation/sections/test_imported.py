"""The report of an imported human evaluation."""

import json
from collections import Counter

import pytest

from evaluation.sections.study import study_report
from judging.files.importing import import_human_evaluation
from tests.evaluation.factories import cells
from tests.judging import humanfile

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def bring(data):
    return import_human_evaluation(json.dumps(data).encode(), "Abbeys judged").study


def test_the_cells_of_the_published_sample_equal_a_separate_count(study_file):
    data = json.loads(study_file("wikicontradict/humaneval_sample.json").read_text("utf-8"))
    result = cells(study_report(bring(data)))
    slices = {"Explicit": "explicit", "Implicit (reasoning required)": "implicit"}
    k, n = Counter(), Counter()
    for model, rows in data.items():
        for row in rows:
            for place in range(5):
                if place in (1, 2) and row["samepassage"] == "Same":
                    continue
                own = slices.get(row["taxonomy-contradictTypeIV"], "untyped")
                for part in ("all", own):
                    n[str(place + 1), model, part] += 1
                    label = row[f"ModelAnswer_prompt_{place}_humanEval"].lower()
                    k[str(place + 1), model, part, label] += 1
    counted = {key: cell for key, cell in result.items() if key[3] != "unlabelled" and cell[0]}
    assert counted == {key: (number, n[key[:3]]) for key, number in k.items()}


def test_agreement_is_no_number_but_a_reason(client, rita):
    study = bring(humanfile.data())
    page = client.get(f"/reports/{study.pk}/").content.decode()
    assert "Agreement is not measured." in page
    assert "No first verdicts" in page
    assert "Not in the file, which has one verdict for each response" in page
    report = study_report(study)
    assert report["agreement"]["measured"] is False
    assert all(not prompt["pairs"] for prompt in report["agreement"]["prompts"])


def test_an_unknown_type_is_untyped_and_a_missing_label_unlabelled():
    data = humanfile.data()
    del data["quokka-7b"][2]["ModelAnswer_prompt_3_humanEval"]
    result = cells(study_report(bring(data)))
    assert result["4", "quokka-7b", "all", "correct"] == (2, 2)
    assert result["4", "quokka-7b", "all", "unlabelled"] == (1, 3)
    assert result["4", "wombat-13b", "untyped", "correct"] == (1, 1)


def test_one_name_in_two_files_is_one_imported_model():
    bring(humanfile.data("quokka-7b"))
    other = humanfile.data("quokka-7b", "wombat-13b")
    second = import_human_evaluation(json.dumps(other).encode(), "Abbeys again").study
    names = [model["name"] for model in study_report(second)["models"]]
    assert names == ["quokka-7b", "wombat-13b"]
