"""An exclusion made on its pages, from the button to tables, flow and files."""

import csv
import io
import json

import pytest

from datasets import exclusions
from evaluation.sections.study import study_report
from judging.models import Study
from tests.evaluation.factories import resolve_all
from tests.judging import factories as judging

pytestmark = [pytest.mark.both, pytest.mark.django_db]

WHY = "Both answers can be true."


def text_of(answer):
    return b"".join(answer).decode()


def test_from_the_button_to_the_tables_and_files(client, rita, study):
    resolve_all(study)
    question = study.items.filter(response__instance__contradiction__position=1).first()
    question = question.response.instance
    path = f"/contradictions/{question.contradiction_id}/questions/{question.n}/exclusion/"
    before = study_report(study)
    client.post(path, {"act": "exclude", "reason": WHY})
    never_asked = judging.instance(50)
    exclusions.exclude(instance=never_asked, reason="Both passages agree.", by=rita)
    report = study_report(Study.objects.get(pk=study.pk))
    lost = study.items.filter(response__instance=question).count()
    (tables,) = [step for step in report["flow"]["steps"] if step["key"] == "tables"]
    assert {"n": lost, "reason": f"excluded with their question: {WHY}"} in tables["lost"]
    assert report["study"]["excluded_instances"] == 1
    kinds = ("excluded_before_results", "excluded_after_results")
    assert [report["study"][kind] for kind in kinds] == [1, 1]
    assert report["tables"] != before["tables"]
    assert report["agreement"] == before["agreement"]
    page = client.get(f"/reports/{study.pk}/").content.decode()
    assert WHY in page
    assert "1 question before results existed, 1 after" in page
    whole = json.loads(text_of(client.get(f"/studies/{study.pk}/export/json/")))
    assert sum(item["excluded"] for item in whole["items"]) == lost
    assert len(whole["items"]) == study.items.count()
    rows = csv.DictReader(io.StringIO(text_of(client.get(f"/reports/{study.pk}/rows.csv"))))
    assert {row["excluded"] for row in rows if row["question"] == question.question} == {"True"}
