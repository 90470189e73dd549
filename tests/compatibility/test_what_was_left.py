"""What earlier versions left is read: backups of 0.2.0 and 1.0 on both databases, the report, release and token of 1.0.

make.py made the files, each with the version that its folder names. Those of a version that was released are never
made again: decision 0091.
"""

import hashlib
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.models import ApiToken
from accounts.roles import Role
from evaluation.frozen.verifying import NOT_HERE, verify
from tests.evaluation.archive.test_bundles import run_python
from tests.factories import person
from tests.operations.places import a_place, python, rows

HERE = Path(__file__).parent
VERSIONS = ("0.2.0", "1.0")
REPORT = HERE / "1.0" / "report.zip"
# The form of a token of 1.0, and the hash that its row kept. Nobody was ever given it.
TOKEN = "sicetnon_" + 34 * "0" + "0IQueF"
TOKEN_HASH = "10f6b02a17877b022d9b1babf54852aa5c18bf12ce7ea51bf2e99fcabe0db0ab"


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_backup_is_restored_and_brought_up_to_date_and_all_of_it_opens(version, tmp_path):
    backup = HERE / version / "backup.zip"
    with a_place(tmp_path / "new", with_tables=False) as place:
        for step in (
            ["manage.py", "restore", backup],
            ["-m", "tests.compatibility.what_opens"],
        ):
            done = python(place, *step, minutes=5)  # through all migrations
            assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["signed in"] == ["demo.fenna", "demo.carys"]
    assert found["problems"] == found["unopened"] == []
    reports, (release,) = (
        rows(backup, "evaluation.reportsnapshot"),
        rows(backup, "datasets.release"),
    )
    assert found["reports"] == [
        [200, hashlib.sha256(report["text"].encode()).hexdigest()] for report in reports
    ]
    files = found["files"]
    assert files["demonstration-1.0-records.json"] == [200, release["sha256"]]
    assert files["demonstration-1.0-complete.json"] == [200, found["again"]]
    if version == "0.2.0":
        assert found["imports"] == {}
    else:
        # A study uses the responses, so that their import is not undone.
        assert found["imports"] == {"records": "undone", "responses": "done"}
        assert found["not verified"] == ["internal-knowledge"]
        kept = rows(backup, "datasets.releasefile")
        assert files == {file["name"]: [200, file["sha256"]] for file in kept}
        assert [status for status, _ in found["public"].values()] == [200, 200]


def test_a_release_bundle_holds_what_its_checksums_say(tmp_path):
    backup = HERE / "1.0" / "backup.zip"
    (bundle,) = [f for f in rows(backup, "datasets.releasefile") if f["format"] == "bundle"]
    name = f"files/files/releases/{bundle['sha256'][:2]}/{bundle['sha256']}"
    with zipfile.ZipFile(backup) as kept, zipfile.ZipFile(io.BytesIO(kept.read(name))) as held:
        sums = dict(
            reversed(line.split()) for line in held.read("SHA256SUMS").decode().splitlines()
        )
        assert sums == {
            file: hashlib.sha256(held.read(file)).hexdigest()
            for file in held.namelist()
            if file != "SHA256SUMS"
        }


def test_a_reports_zip_recomputes_with_its_own_script(tmp_path):
    zipfile.ZipFile(REPORT).extractall(tmp_path)
    done = run_python(tmp_path, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout


@pytest.mark.django_db
def test_a_reports_zip_is_read_and_checked_as_todays():
    outcome = verify(REPORT.read_bytes())
    assert outcome.wrong == []
    assert outcome.checked > 100
    assert NOT_HERE in outcome.notes


@pytest.mark.django_db
def test_a_token_signs_in(client):
    ApiToken.objects.create(
        person=person("alice", Role.ADMIN),
        name="of 1.0",
        scopes=["read"],
        token_hash=TOKEN_HASH,
        expires_at=timezone.now() + timedelta(days=1),
    )
    answer = client.get("/api/collections/", headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
