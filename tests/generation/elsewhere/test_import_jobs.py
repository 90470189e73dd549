"""A file of responses is an import job: checked, confirmed, imported by a worker, and undone while nothing uses it."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Person
from accounts.roles import Role
from datasets.importers import import_jobs
from datasets.models import ImportJob
from generation.models import LanguageModel, Response, Run
from judging import studies
from judging.selections import Selection
from judging.studies import StudyDesign
from tests.factories import person, signed_in
from tests.generation.elsewhere.factories import file_of, instances_of, line, released
from tests.judging import factories as make
from tests.programs import Program

pytestmark = pytest.mark.django_db
IMPORTS = "/api/imports/"


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def release():
    return released()


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


@pytest.fixture
def program(olga):
    return Program(olga)


def sent(program, to, *lines, **fields):
    data = file_of(*(lines or map(line, instances_of(to)))).read()
    file = SimpleUploadedFile("../../responses\x07.jsonl", data)
    form = {"kind": "responses", "release": to.pk, "file": file, **fields}
    return program.post(IMPORTS, form)


def done(program, key):
    import_jobs.carry_out(key)
    return program.get(f"{IMPORTS}{key}/").json()


@pytest.mark.both
def test_a_file_is_checked_confirmed_imported_and_undone(program, release):
    options = json.dumps({"name": "Lab"})
    answer = sent(program, release, dry_run=True, options=options)
    assert answer.status_code == 202, answer.json()
    key = answer.json()["id"]
    checked = done(program, key)
    assert (checked["state"], checked["report"]["responses"]) == ("checked", 3)
    assert not Run.everything.exists()
    assert sent(program, release, dry_run=True, options=options).json()["id"] == key
    assert program.send("POST", f"{IMPORTS}{key}/confirm/").status_code == 202
    over = done(program, key)
    assert (over["state"], over["report"]) == ("done", checked["report"])
    run = Run.objects.get()
    assert (run.name, run.created_by.username) == ("Lab", "olga")
    assert program.get(f"/api/runs/{run.pk}/").json()["release"] == "1.0"
    [first, *_] = program.get(f"/api/runs/{run.pk}/responses/").json()["results"]
    assert first["prompt_verified"] is True
    assert program.send("POST", f"{IMPORTS}{key}/undo/").status_code == 200
    assert not Run.objects.exists()
    import_jobs.sweep_jobs()


def test_a_release_is_named_by_its_id_or_by_collection_and_version(program, release):
    options = json.dumps({"release": "1.0"})
    by_id = sent(program, release).json()
    by_version = sent(program, release, release="", collection="canals", options=options).json()
    assert by_version["id"] == by_id["id"]
    assert by_id["options"] == {"release": "1.0"}


@pytest.mark.both
def test_an_import_of_what_a_study_uses_is_not_undone(program, client, release, olga):
    key = sent(program, release).json()["id"]
    assert done(program, key)["state"] == "done"
    run = Run.objects.get()
    studies.create("Pilot", Selection([run]), StudyDesign(), by=olga)
    refused = program.send("POST", f"{IMPORTS}{key}/undo/")
    assert refused.status_code == 409
    assert "draft study Pilot" in refused.json()["error"]
    assert program.get(f"{IMPORTS}{key}/").json()["state"] == "done"
    # A second file for the same run is a run of its own.
    second = sent(program, release).json()["id"]
    assert second != key
    over = done(program, second)
    assert over["state"] == "done"
    assert Run.objects.count() == 2
    assert run.responses.count() == 3
    assert over["report"]["earlier_runs"] == [run.pk]
    signed_in(client, olga)
    page = client.get(f"/imports/{second}/").content.decode()
    assert f'<a href="/runs/{run.pk}/">run {run.pk}</a>' in page


def test_a_run_that_is_hidden_from_its_sender_is_named_nowhere(program, client, release, olga):
    """Not on the page of its import, nor by any operation on it, in lists or when it is sent again; later it is."""
    key = sent(program, release, options=json.dumps({"name": "Seven billion"})).json()["id"]
    assert done(program, key)["options"]["name"] == "Seven billion"
    run = Run.objects.get()
    checked = sent(program, release, dry_run=True).json()["id"]
    done(program, checked)
    study = studies.create("Pilot", Selection([Run.objects.get()]), StudyDesign(), by=olga)
    olga.grants.create(role=Role.JUDGE)
    studies.open_study(study, [Person.objects.get(pk=olga.pk), make.judge("bob")])
    signed_in(client, olga)

    def answers():
        yield from (program.get(f"{IMPORTS}{one}/").json() for one in (key, checked))
        yield from program.get(IMPORTS).json()["results"]
        yield sent(program, release, dry_run=True).json()

    def pages():
        return [client.get(f"/imports/{one}/").content.decode() for one in (key, checked)]

    for answer in answers():
        assert answer["report"]["responses"] == 3
        assert answer["report"]["earlier_runs"] == []
        assert "Seven billion" not in json.dumps(answer)
    for page in pages():
        assert "Seven billion" not in page
        assert f">run {run.pk}</a>" not in page
    assert "hidden from you while you judge" in pages()[0]
    studies.close_study(study)
    assert "Seven billion" in pages()[0]
    assert f">run {run.pk}</a>" in pages()[1]


def test_a_refused_file_is_reported_with_its_lines(program, client, release, olga):
    over = done(program, sent(program, release, line(instances_of(release)[0]), b"{").json()["id"])
    assert over["state"] == "failed"
    signed_in(client, olga)
    page = client.get(f"/imports/{over['id']}/").content.decode()
    assert "Correct the file and send it again." in page
    assert 'href="/collections/canals/releases/1.0/responses/">Send a file again' in page
    assert "deviate" not in page
    assert over["problems"][0].startswith("line 2: it is not JSON")
    assert not Response.objects.exists()
    assert not LanguageModel.objects.exists()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"release": 10**6}, "There is no release"),
        ({"release": ""}, "Name the release"),
        ({"kind": "verdicts"}, "There are no imports of 'verdicts'"),
        ({"format": "csv"}, "Responses have one format"),
        ({"options": json.dumps({"nam": "x"})}, "no option 'nam'"),
        ({"options": json.dumps({"name": 3})}, "release and name are texts"),
        ({"options": json.dumps({"name": "x" * 121})}, "at most 120 characters"),
        ({"options": "[1]"}, "options is a JSON object"),
    ],
)
def test_what_no_import_of_responses_can_be_is_refused_at_once(program, release, changes, problem):
    answer = sent(program, release, **changes)
    assert answer.status_code in (400, 404)
    assert problem in json.dumps(answer.json())


def test_a_file_that_is_too_large_is_refused_at_once(program, release, monkeypatch):
    monkeypatch.setattr("generation.elsewhere.import_kind.ResponseImports.most_bytes", 2**20)
    answer = sent(program, release, line(instances_of(release)[0], text="x" * 2**20))
    assert answer.status_code == 400
    assert "larger than 1 MB" in answer.json()["error"]


@pytest.mark.parametrize("role", [Role.JUDGE, Role.RESEARCHER, Role.ANNOTATOR])
def test_nobody_but_an_admin_sends_responses(client, release, role):
    signed_in(client, person("jana", role))
    assert sent(client, release).status_code == 403
    assert not Run.everything.exists()


def test_the_page_of_a_release_takes_a_file_to_be_checked(client, release, olga):
    signed_in(client, olga)
    shown = client.get("/collections/canals/releases/1.0/").content.decode()
    assert "/collections/canals/releases/1.0/responses/" in shown
    first, second, third = instances_of(release)
    data = file_of(
        line(first, text="<think>Hm, and no end"),
        line(second, prompt_sha256=None),
        line(third, prompt_sha256="0" * 64),
    ).read()
    form = {"file": SimpleUploadedFile("r.jsonl", data), "name": "Lab"}
    answer = client.post("/collections/canals/releases/1.0/responses/", form)
    job = ImportJob.objects.get()
    assert answer["Location"] == f"/imports/{job.pk}/"
    import_jobs.carry_out(job.pk)
    page = client.get(answer["Location"]).content.decode()
    assert "lab/llm-7b" in page
    said = " ".join(page.split())
    assert (
        "1 without the sha256 of their prompt, 1 with another sha256: another template was sent"
        in said
    )
    import_jobs.confirm(job)
    import_jobs.carry_out(job.pk)
    run = Run.objects.get()
    page = client.get(answer["Location"]).content.decode()
    assert f'href="/runs/{run.pk}/">Open the run</a>' in page
    assert "<dd>2: Question with passage 1</dd>" in page
    assert "Remove the run with all its responses?" in page
    assert "Lab" in client.get("/collections/canals/releases/1.0/responses/").content.decode()
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "answered elsewhere" in page
    assert f'For <a href="/runs/{run.pk}/responses/?outcome=unverified">2 responses</a>' in page
    assert f'<a href="/runs/{run.pk}/responses/?outcome=held">1 response</a> may have' in page
    assert "<dt>Questions</dt><dd>3</dd>" in page
    assert f'href="/imports/{job.pk}/"' in page
    # Who did not send the file cannot open its import.
    signed_in(client, person("rita", Role.ADMIN))
    assert "/imports/" not in client.get(f"/runs/{run.pk}/").content.decode()


@pytest.mark.parametrize("form", [{}, {"name": "a\x07b"}, {"name": "x" * 121}])
def test_a_form_that_cannot_be_is_shown_again_with_its_name(client, release, olga, form):
    signed_in(client, olga)
    answer = client.post("/collections/canals/releases/1.0/responses/", form)
    assert answer.status_code == 400
    assert not ImportJob.objects.exists()
