"""Reports through the API."""

import hashlib

import pytest

from accounts.rates import JOBS
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from evaluation.frozen import snapshots
from judging import studies
from tests.accounts.factories import bearer, use_up
from tests.annotation import factories as annotation
from tests.factories import person
from tests.judging import factories as judging
from tests.programs import Program

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita(db):
    return person("rita", Role.RESEARCHER)


@pytest.fixture
def get(client, rita):
    token = bearer(rita, Scope.READ, Scope.EXPORT)

    def get(address, **headers):
        return client.get(address, headers={**token, **headers})

    return get


def test_the_list_names_each_study_with_its_frozen_reports(get, rita, study):
    snapshots.freeze(study, by=rita)
    [row] = get("/api/reports/").json()["results"]
    assert (row["study"], row["hidden"], row["snapshots"]) == (study.pk, "", 1)
    assert row["final"] < row["responses"] == 24


def test_a_report_has_the_numbers_of_the_pages_file(client, get, study):
    report = get(f"/api/reports/{study.pk}/?cluster=tag&resamples=200&seed=3")
    client.force_login(person("rosa", Role.RESEARCHER))
    page = client.get(f"/reports/{study.pk}.json?cluster=tag&resamples=200&seed=3")
    assert report["Content-Type"].startswith("application/json")
    assert report.json() == page.json()


def test_a_frozen_report_is_known_by_its_hash(get, rita, study):
    frozen, _ = snapshots.freeze(study, by=rita, note="For the paper")
    [listed] = get(f"/api/reports/{study.pk}/snapshots/").json()["results"]
    assert (listed["id"], listed["note"]) == (frozen.pk, "For the paper")
    answer = get(f"/api/reports/snapshots/{frozen.pk}/")
    content = b"".join(answer)
    assert content.decode() == frozen.text
    assert answer["ETag"] == f'"{hashlib.sha256(content).hexdigest()}"'
    again = get(f"/api/reports/snapshots/{frozen.pk}/", **{"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


FILES = {
    "sheets/verdicts/": "text/csv",
    "charts/flow/svg/": "image/svg+xml",
    "zip/": "application/zip",
    "tables/": "application/x-tex",
    "paper/": "application/zip",
}


@pytest.mark.parametrize(("path", "kind"), FILES.items())
def test_the_files_of_live_and_frozen_reports(get, rita, study, path, kind):
    frozen, _ = snapshots.freeze(study, by=rita)
    for base in (f"/api/reports/{study.pk}/", f"/api/reports/snapshots/{frozen.pk}/"):
        answer = get(f"{base}{path}")
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith(kind)


def test_the_rows_that_a_report_counts(get, study):
    lines = b"".join(get(f"/api/reports/{study.pk}/rows/?prompt=passage-1")).decode().splitlines()
    assert len(lines) == 1 + 2 * 8  # 4 questions, 2 models, 2 judges
    assert b"".join(get(f"/api/reports/{study.pk}/replies/")).count(b"\n") == 1


@pytest.mark.parametrize(
    "address",
    [
        "/api/reports/?nonsense=1",
        "/api/reports/{}/?cluster=sex",
        "/api/reports/{}/?resamples=many",
        "/api/reports/{}/?resamples=99999999",
        "/api/reports/{}/?order=up",
        "/api/reports/{}/charts/flow/svg/?width=huge",
        "/api/reports/{}/tables/?form=long",
        "/api/reports/{}/rows/?created_by__password__startswith=a",
        "/api/reports/{}/rows/?verdict=splendid",
    ],
)
def test_a_bad_parameter_is_refused_as_json(get, study, address):
    answer = get(address.format(study.pk))
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "path", ["snapshots/99/", "99/", "{}/sheets/nonsense/", "{}/charts/flow/gif/", "{}/x.json"]
)
def test_what_is_not_there_is_refused_as_json(get, study, path):
    answer = get(f"/api/reports/{path.format(study.pk)}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_judge_who_is_a_researcher_reads_no_report_while_the_study_is_open(client):
    study = judging.open_study(drawn_from=judging.finished_run(instances=1))
    alice = judging.judge("alice")
    frozen, _ = snapshots.freeze(study, by=person("rita", Role.RESEARCHER))
    alice.grants.create(role=Role.RESEARCHER)
    headers = bearer(alice, Scope.READ, Scope.EXPORT)
    base = f"/api/reports/{study.pk}/"
    addresses = [base, f"{base}snapshots/", f"{base}rows/", f"/api/reports/snapshots/{frozen.pk}/"]
    addresses += [f"{base}{path}" for path in FILES]
    assert {client.get(address, headers=headers).status_code for address in addresses} == {403}
    [row] = client.get("/api/reports/", headers=headers).json()["results"]
    assert (row["responses"], row["final"], row["snapshots"]) == (None, None, None)
    studies.close_study(study)
    assert {client.get(address, headers=headers).status_code for address in addresses} == {200}


def test_the_sixty_first_download_is_refused_as_json(get, rita, study):
    use_up(f"downloads {rita.pk}", JOBS["downloads"])
    answer = get(f"/api/reports/{study.pk}/sheets/verdicts/")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1
    assert answer.json()["retry"] is True


def test_who_may_still_annotate_is_asked_first():
    """The numbers count what others entered, and nothing is given up without a yes."""
    campaign = annotation.campaign(tags=1, people=2)
    reader = annotation.annotator("alice")
    reader.grants.create(role=Role.RESEARCHER)
    annotation.submitted(annotation.annotator("bob"), within=campaign)
    program, address = Program(reader), f"/api/reports/campaigns/{campaign.pk}/"
    for _ in "12":
        asked = program.get(address)
        assert (asked.status_code, asked.json()["code"]) == (409, "asks_first")
    agree = asked.json()["agree"]
    assert program.send("POST", agree["post_to"], agree["fields"]).json() == {"tags": 1}
    assert program.get(address).json()["rounds"]
