"""A stored report is read as it was frozen, by the program as it is; one of another format is offered as a file."""

import hashlib
import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.frozen.publishing import publish
from evaluation.models import ReportSnapshot
from evaluation.shapes.study_report import FORMAT
from tests.evaluation import frozen
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


def stored(rita, body, study=None):
    made_of = body["snapshot"]
    return ReportSnapshot.objects.create(
        study=study or judging.draft(name=body["study"]["name"]),
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


OLDER = [
    *((number, None) for number in range(1, FORMAT)),
    *((4, rows_format) for rows_format in range(1, 5)),
]


def of_format(number, rows_format):
    """A body as another version left it: with other keys than a report has now, and without many."""
    body = frozen.body()
    made_of = {**body["snapshot"], "sha256": "f" * 64}
    made_of |= {"rows_format": rows_format} if rows_format else {}
    return {
        "format": number,
        "study": {"name": body["study"]["name"]},
        "snapshot": made_of,
        "tables": {"of": "before"},
    }


@pytest.fixture(params=OLDER, ids=lambda of: "format {}, rows {}".format(*of))
def older(request, rita):
    return publish(stored(rita, of_format(*request.param)), by=rita, authors="Rita Rook")


def test_a_report_of_another_format_keeps_its_page_its_bytes_and_its_hash(client, older):
    sha256 = hashlib.sha256(older.text.encode()).hexdigest()
    public = f"/published/{older.pk}/{older.token}/"
    for page, file in (
        (f"/reports/snapshots/{older.pk}/", f"/reports/snapshots/{older.pk}.json"),
        (public, f"{public}report.json"),
    ):
        answer = client.get(page)
        text = " ".join(answer.content.decode().split())
        assert answer.status_code == 200
        assert f"Made by version {older.app_version} of the program, in format" in text
        assert f"sha256 {sha256}" in text
        assert 'report.json"' in text or f'{file}"' in text
        assert client.get(file).content == older.text.encode()
    assert "Rita Rook" in text
    assert older.body["study"]["name"] in text


def test_what_is_computed_of_a_report_of_another_format_is_refused_with_a_sentence(
    client, rita, older, tmp_path
):
    number = older.body["format"]
    of, public = f"/reports/snapshots/{older.pk}", f"/published/{older.pk}/{older.token}"
    computed = [f"{of}/agreement.csv", f"{of}/report.zip", f"{of}/charts/kappa.svg", f"{of}/paper/"]
    computed += [f"{of}/paper/tables.tex", f"{public}/agreement.csv", f"{public}/charts/kappa.svg"]
    computed += [f"/reports/{older.study_id}/next-to/?with=snapshot-{older.pk}"]
    for address in computed:
        answer = client.get(address)
        assert answer.status_code == 400, address
        assert f"has the format {number}" in answer.content.decode(), address
    file = tmp_path / "report.json"
    file.write_text(older.text, encoding="utf-8")
    with pytest.raises(CommandError, match=f"has the format {number}, .* The version that made it"):
        call_command("verify_report", file)
    again = client.post(f"{of}/unpublish/", {"reason": "An error."}, follow=True)
    assert again.status_code == 200
    assert client.get(f"{public}/").status_code == 410


def test_pages_that_list_a_report_of_another_format_lead_to_it(client, rita, study):
    older = stored(rita, of_format(1, None), study)
    assert f"/reports/snapshots/{older.pk}/" in client.get(f"/reports/{study.pk}/").content.decode()
    for address in (
        "/reports/",
        f"/reports/{study.pk}/next-to/",
        "/studies/",
        f"/studies/{study.pk}/",
    ):
        assert client.get(address).status_code == 200, address
