import json
import re
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.report.drawings import drawings
from evaluation.sections.study import study_report
from judging.files.predictions import import_predictions
from tests.evaluation.factories import judged_study, resolve_all, run_of_all_kinds
from tests.evaluation.scored import scored_study

pytestmark = pytest.mark.django_db


def printed(*args):
    out = StringIO()
    call_command("report", *args, stdout=out)
    return out.getvalue()


def test_json_is_the_report(study):
    assert json.loads(printed(study.slug, "--json")) == study_report(study)


@pytest.mark.parametrize("by", ["slug", "name", "pk"])
def test_a_study_by_slug_name_or_number(by, study):
    lines = printed(str(getattr(study, by))).splitlines()
    assert lines[0] == study.name
    start = "    quokka-7b-secret, All: n 3, Correct 3/3 100.0 % ("
    found = [line for line in lines if line.startswith(start)]
    assert found
    assert all("Partially correct 0/3 0.0 %" in line for line in found)
    assert any("fewer than 8 articles" in line for line in lines)
    assert not any("clusters" in line for line in lines)


def test_all_charts_and_tables_are_written_once(study, tmp_path):
    path = tmp_path / "pilot.zip"
    assert printed(study.slug, "--charts-and-tables", str(path)).startswith(f"{path}: all charts")
    names = set(zipfile.ZipFile(path).namelist())
    charts = drawings(study_report(study))
    pictures = {
        f"{study.slug}-{key}{width}.{form}"
        for key in charts
        for width in ("", "-column")
        for form in ("svg", "png", "pdf")
    }
    tables = {"compact.tex", "full.tex", "figures.tex", "methods.txt"}
    sheets = ("agreement", "confusion", "verdicts", "comparisons")
    tables |= {f"{name}.csv" for name in (*sheets, *charts)}
    assert names == pictures | {f"{study.slug}-{name}" for name in tables}
    with pytest.raises(CommandError, match="is there already"):
        printed(study.slug, "--charts-and-tables", str(path))


def test_a_study_that_is_not_there_names_those_that_are(study):
    with pytest.raises(CommandError, match=f"no study 'other'. Studies: {study.slug}"):
        printed("other")


def test_comparisons_and_judge_models_stand_in_words():
    study = judged_study(drawn_from=run_of_all_kinds(prompts=("both-passages",)))
    resolve_all(study)
    import_predictions(study, b"item,reply\n0,evaluation: correct\n", "Elsewhere")
    text = printed(study.slug)
    assert "Explicit against implicit contradictions (final verdicts, after exclusions)" in text
    assert "quokka-7b-secret on prompt 4: correct on" in text
    all_articles = text.index("On prompt 4, Elsewhere (model) gives people's final verdict on")
    halves = text.index("One variant of a judge model was tried"), text.index("The study's seed (")
    assert halves[0] < halves[1] < text.index("On the held-out half") < all_articles


def test_a_chosen_seed_holds_for_every_interval(study):
    report = json.loads(printed(study.slug, "--json", "--seed", "11"))
    seeds = {report["comparisons"]["seed"], report["tables"][0]["seed"]}
    assert seeds | {report["agreement"]["interval"]["seed"]} == {11}


def test_scores_stand_with_their_counts():
    lines = printed(scored_study().slug).splitlines()
    assert lines[2] == "Not judged by people"
    at = lines.index("One conflicting piece of evidence (figure 3)")
    assert lines[at + 1].startswith("Printed in the paper.")
    of_mr = next(line for line in lines[at:] if line.startswith("    quokka: misinformation "))
    assert re.search(r"misinformation 2/6 33\.33 .*\(2 undecided\)", of_mr)
