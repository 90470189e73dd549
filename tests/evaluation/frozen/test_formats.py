"""A stored report is read as it was frozen, by the program as it is; one of another format is refused."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.archive.bundles import sealed
from evaluation.frozen.publishing import publish
from evaluation.models import ReportSnapshot
from evaluation.report.shapes import FORMAT
from tests.evaluation import frozen
from tests.judging import factories as judging

pytestmark = [pytest.mark.once, pytest.mark.django_db]


def stored(rita, body):
    made_of = body["snapshot"]
    return ReportSnapshot.objects.create(
        study=judging.draft(),
        body=body,
        text=json.dumps(body),
        rows_hash=made_of["sha256"],
        app_version=made_of["app_version"],
        created_by=rita,
    )


@pytest.fixture
def snapshot(rita):
    return stored(rita, frozen.body())


def test_the_frozen_report_has_the_format_of_now():
    assert frozen.body()["format"] == FORMAT


def test_the_page_shows_every_table(client, snapshot):
    page = client.get(f"/reports/snapshots/{snapshot.pk}/").content.decode()
    for line in snapshot.body["tables"][0]["lines"]:
        assert line["model"] in page
    for prompt in snapshot.body["prompts"]:
        assert prompt["title"] in page


def test_the_json_is_what_was_frozen(client, snapshot):
    answer = client.get(f"/reports/snapshots/{snapshot.pk}.json")
    assert json.loads(answer.content) == frozen.body()


def test_the_sheets_are_equal_to_the_byte(client, snapshot):
    files = list(frozen.FOLDER.glob("*.csv"))
    assert len(files) == 7
    for file in files:
        answer = client.get(f"/reports/snapshots/{snapshot.pk}/{file.name}")
        assert b"".join(answer.streaming_content) == file.read_bytes()


def test_its_numbers_follow_from_its_counts(tmp_path):
    file = tmp_path / "report.json"
    file.write_text(json.dumps(sealed(frozen.body())), encoding="utf-8")
    out = io.StringIO()
    call_command("verify_report", file, stdout=out)
    assert "all as the report says" in out.getvalue()


@pytest.mark.parametrize(
    ("number", "words"),
    [(FORMAT - 1, "Freeze a new report"), (1, "Freeze a new report"), (99, "Update the program")],
)
def test_a_report_of_another_format_is_refused_everywhere_with_a_sentence(
    client, rita, tmp_path, number, words
):
    snapshot = stored(rita, {**frozen.body(), "format": number})
    of = f"/reports/snapshots/{snapshot.pk}"
    addresses = [f"{of}/", f"{of}.json", f"{of}/agreement.csv", f"{of}/report.zip"]
    addresses += [f"{of}/charts/kappa.svg", f"{of}/paper/", f"{of}/paper/tables.tex"]
    shown = publish(snapshot, by=rita)
    public = f"/published/{shown.pk}/{shown.token}/"
    addresses += [public, f"{public}report.json", f"{public}agreement.csv"]
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 400, address
        page = answer.content.decode()
        assert f"has the format {number}" in page, address
        assert words in page, address
    file = tmp_path / "report.json"
    file.write_text(snapshot.text, encoding="utf-8")
    with pytest.raises(CommandError, match=words):
        call_command("verify_report", file)
