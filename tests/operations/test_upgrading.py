"""A database that commit 04fb733 left is brought up to date with all its rows, and its frozen report stays."""

import hashlib
import json
import zipfile

import pytest

from tests.operations.places import BRIDGE, a_place, python

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

DJANGO = "import django; django.setup()\n"
# The tables, rows and records of migrations of then. Whose backup it is is asked elsewhere.
AS_OF_THEN = f"""{DJANGO}
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from pathlib import Path
from operations.bundle import Bundle
from operations.restoring import put_rows
from operations.schema_version import bring_to
bundle = Bundle(Path({str(BRIDGE)!r}))
models = bring_to(bundle.migrations, "default")
with transaction.atomic():
    put_rows(bundle, models)
recorder = MigrationRecorder(connection)
for app, names in bundle.migrations.items():
    for name in set(names) - {{done for of, done in recorder.applied_migrations() if of == app}}:
        recorder.record_applied(app, name)
"""
# What is there afterwards, as JSON in the last line.
FOUND = f"""{DJANGO}
import json
from django.test import Client
from annotation.models import DraftRevision
from evaluation.models import ReportSnapshot
from evaluation.rows.hashing import digest
from judging.models import Judgment
from operations.schema_version import check_up_to_date
check_up_to_date()
report = ReportSnapshot.objects.get()
address = f"/published/{{report.pk}}/{{report.token}}/"
client = Client(headers={{"host": "127.0.0.1:8000"}})
page, file = client.get(address), client.get(f"{{address}}report.json")
print(json.dumps({{
    "drafts": DraftRevision.objects.count(), "verdicts": Judgment.objects.count(),
    "rows_hash": digest(report.study)[0], "page": [page.status_code, page.content.decode()],
    "file": [file.status_code, file.content.decode()],
}}))
"""


def rows_then(table):
    with zipfile.ZipFile(BRIDGE) as made:
        return [json.loads(line) for line in made.read(f"rows/{table}.jsonl").splitlines()]


def test_a_database_of_04fb733_is_brought_up_to_date_with_all_its_rows(tmp_path):
    with a_place(tmp_path / "new", with_tables=False) as place:
        for step in (["-c", AS_OF_THEN], ["bin/first_steps.py", "--no-demo"], ["-c", FOUND]):
            done = python(place, *step)
            assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    (report,) = rows_then("evaluation.reportsnapshot")
    text = next(value for value in report if isinstance(value, str) and value.startswith("{\n"))
    assert found["drafts"] == len(rows_then("annotation.draftrevision")) > 0
    assert found["verdicts"] == len(rows_then("judging.judgment")) > 0
    assert found["rows_hash"] in report
    assert found["file"] == [200, text]
    status, page = found["page"]
    assert status == 200
    assert "Made by version 0.1.0 of the program, in format 4" in page
    assert hashlib.sha256(text.encode()).hexdigest() in page
