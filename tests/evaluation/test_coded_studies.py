"""Reports of studies whose verdicts have no order, and that have responses which people do not judge."""

import json

import pytest
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from evaluation.archive.bundles import sealed, text_of
from evaluation.archive.recompute import Findings, check
from evaluation.paper.latex import latex
from evaluation.report.display import FULL, read_display
from evaluation.report.layout import laid_out
from evaluation.report.methods import methods_paragraph
from evaluation.rows.hashing import hashed_lines, rows_of
from evaluation.sections.study import study_report
from leases.refusal import Refusal
from tests import coded
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db


def recomputed(study, report):
    """What the script of the zip finds wrong."""
    findings = Findings()
    body = json.loads(text_of(sealed(report)))
    check(body, b"".join(hashed_lines(study, report)), rows_of(study), findings)
    return findings


def names(coefficients):
    return {(one["name"], one["weights"]) for one in coefficients}


def test_kappa_and_alpha_are_nominal_alone():
    report = study_report(study := coded.coded())
    assert report["ordered"] is False
    [entry] = report["agreement"]["prompts"]
    [pair] = entry["pairs"]
    assert len(pair["labels"]) == 3
    assert ("cohen_kappa", "none") in names(pair["coefficients"])
    assert not {"linear", "quadratic"} & {weights for _, weights in names(pair["coefficients"])}
    parts = [entry["all"], *(part["coefficients"] for part in entry["over_time"])]
    for coefficients in parts:
        assert "krippendorff_alpha_ordinal" not in {name for name, _ in names(coefficients)}
    assert recomputed(study, report).wrong == []


def test_no_page_or_table_speaks_of_a_best_verdict(client):
    study = coded.coded()
    signed_in(client, person("rita", Role.RESEARCHER))
    page = client.get(f"/reports/{study.pk}/").content.decode()
    assert "Share of <em>" not in page
    shown = laid_out(study_report(study), {})
    assert [group.sentence for group, _ in shown["verdict_groups"]] == [""]
    assert shown["compared"] == ""
    assert shown["summary"].panels == ()
    judges = client.get(f"/reports/{study.pk}/judges/")
    assertContains(judges, "World knowledge")
    assertNotContains(judges, "Leaning")
    one = client.get(f"/reports/{study.pk}/judges/{study.judges.first().pk}/")
    for word in ("Leaning", "Better", "Worse"):
        assertNotContains(one, word)
    assertNotContains(client.get(f"/reports/{study.pk}/paper/"), "best verdict")


def test_the_list_counts_what_people_judge(client):
    study = coded.coded()
    left_out = study.items.count() - study.judged_items.count()
    assert left_out > 0
    signed_in(client, person("rita", Role.RESEARCHER))
    assertContains(client.get("/reports/"), f"of {study.judged_items.count()}")


def test_only_the_full_tables_can_be_had():
    report = study_report(coded.coded())
    assert read_display({}, report).form == FULL
    with pytest.raises(Refusal, match="compact is no form of tables"):
        read_display({"form": "compact"}, report)
    assert "World knowledge" in latex(report, read_display({}, report))


@pytest.mark.both
def test_what_is_not_judged_is_in_the_flow_and_in_no_table_of_verdicts():
    study = coded.coded()
    report = study_report(study)
    steps = {step["key"]: step for step in report["flow"]["steps"]}
    assert (steps["study"]["n"], steps["judged"]["n"]) == (48, 24)
    lost = {"n": 24, "reason": "to prompts that the rubric has no criteria for"}
    assert steps["judged"]["lost"] == [lost]
    assert {line["prompt"] for line in report["tables"][0]["lines"]} == {"C 1"}
    assert sum(way["count"] for way in report["resolution"]) == 24
    assert [prompt.get("judged", True) for prompt in report["prompts"]] == [False, True]
    assert [entry["prompt"] for entry in report["agreement"]["prompts"]] == ["C 1"]
    assert "24 of them are to prompts that the rubric has no criteria for." in methods_paragraph(
        report
    )
    facts = dict(laid_out(report, {})["facts"])
    assert "C 0: Asked without the text, not judged" in facts["Prompts"]
    assert recomputed(study, report).wrong == []


def test_a_report_of_one_label_names_it_and_counts_what_has_it_no_longer():
    study = coded.coded(label="answer=other")
    report = study_report(study)
    assert report["study"]["only"] == {"scorer": "answer", "label": "other", "no_longer": 0}
    facts = dict(laid_out(report, {})["facts"])
    assert facts["Only"] == "responses that the scorer answer labels other"
    assert "16 responses that the scorer answer labels other of 2 models" in methods_paragraph(
        report
    )
    reasons = [lost["reason"] for step in report["flow"]["steps"] for lost in step["lost"]]
    assert "not chosen for the study, which has only those with answer other" in reasons
    assert recomputed(study, report).wrong == []


def test_error_codes_on_right_answers_are_counted():
    """The records' letters are read otherwise by a later version of the protocol."""
    run = coded.answered(n=6)
    study = coded.draft(run, label="answer=other")
    responses = study.items.all()[:2]
    for item in responses:
        record = item.response.instance.contradiction
        type(record).objects.filter(pk=record.pk).update(
            fields=record.fields | {"correct": item.response.text}
        )
    report = study_report(coded.opened(study))
    only = report["study"]["only"]
    assert only["no_longer"] >= 2
    facts = dict(laid_out(report, {})["facts"])
    assert f"; {only['no_longer']} no longer have this label" in facts["Only"]


# ---------------------------------------------------------------- agreement by slice


@pytest.mark.both
def test_kappa_stands_for_each_value_of_each_slice():
    study = coded.coded()
    report = study_report(study)
    entries = report["by_slice"]
    assert [(entry["slice"], entry["value"], entry["n"]) for entry in entries] == [
        ("form", "affirmative", 12),
        ("form", "negative", 12),
        ("condition", "supported", 12),
        ("condition", "contradicting", 12),
    ]
    for entry in entries:
        [pair] = entry["pairs"]
        agreed, kappa = pair["coefficients"]
        assert (kappa["name"], kappa["weights"], kappa["n"]) == ("cohen_kappa", "none", 12)
        assert 0 < agreed["value"] <= 1
        assert entry["alpha"]["name"] == "krippendorff_alpha_nominal"
    whole = report["agreement"]["prompts"][0]["pairs"][0]["coefficients"][0]["value"]
    halves = [entry["pairs"][0]["coefficients"][0]["value"] for entry in entries[:2]]
    assert sum(halves) / 2 == pytest.approx(whole)


def test_it_is_on_the_page_and_in_latex(client):
    study = coded.coded()
    signed_in(client, person("rita", Role.RESEARCHER))
    page = client.get(f"/reports/{study.pk}/")
    assertContains(page, "Agreement by slice")
    assertContains(page, "contradicting: ")
    source = latex(study_report(study), read_display({}, study_report(study)))
    assert "Agreement by slice. First verdicts" in source
    assert "affirmative: " in source


def test_three_judges_have_each_pair_and_one_alpha():
    study = coded.coded(
        coded.answered(n=8),
        judges_per_response=3,
        resolved_by="majority",
        judges=("ann", "ben", "cyd"),
    )
    rows = laid_out(study_report(study), {})["portions"]
    [table] = [table for table in rows if table.key == "by-slice"]
    mine = [line for line in table.groups[0].lines if line.keys[1].startswith("negative")]
    assert len(mine) == 4
    assert [line.cells[-1].value is None for line in mine] == [True, True, True, False]


def test_a_study_without_slices_or_verdicts_has_none():
    study = coded.opened(coded.draft(coded.answered(n=2)))
    assert "by_slice" not in study_report(study)
