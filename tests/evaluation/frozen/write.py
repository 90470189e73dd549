"""Writes format-N/ for the format that reports have now, unless it is there. Not collected as a test."""

import json

import pytest

from evaluation.reports import FORMAT, study_report
from evaluation.sheets import SHEETS
from judging.predictions import import_predictions
from pages.twins import csv_lines
from tests.evaluation.factories import exclude, judged_study, resolve_all
from tests.evaluation.frozen import body, folder

SAYS = ("correct", "partially correct", "incorrect", "?")

pytestmark = pytest.mark.django_db


def test_write_the_format_of_now():
    here = folder(FORMAT)
    if here.exists():
        pytest.skip(f"{here.name} is written once.")
    study = judged_study("alice", "bob", "charlie", seed=7, name="Frozen")
    resolve_all(study)
    exclude(study, 2)
    replies = "".join(f"{n},evaluation: {SAYS[n % 4]}\n" for n in range(24))
    import_predictions(study, f"item,reply\n{replies}".encode(), "Elsewhere")
    text = json.dumps(study_report(study), ensure_ascii=False, indent=1, sort_keys=True)
    here.mkdir()
    (here / "report.json").write_text(text + "\n", encoding="utf-8")
    for name, sheet in SHEETS.items():
        lines = "".join(csv_lines(*sheet(body(FORMAT))))
        (here / f"{name}.csv").write_text(lines, encoding="utf-8")
