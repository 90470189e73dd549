"""Too many requests are refused with a wait; the normal pace of people is not."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts import invitations
from accounts.hashing import keyed_hash
from accounts.rates import API, JOBS, LINKS
from accounts.roles import Role
from accounts.throttles import count_job
from datasets.importers import IMPORTERS
from generation.prompts.prompting import prompts
from tests.accounts.factories import let_pass, use_up
from tests.datasets import factories as datasets
from tests.factories import person
from tests.generation import factories as generation
from tests.judging import factories as judging
from tests.test_access_table import judged  # noqa: F401 rows for an export

pytestmark = pytest.mark.django_db


def test_useless_links_are_slowed_down_and_a_good_one_still_opens(client):
    token = invitations.invite(roles=[Role.JUDGE], by=None)
    guess = [client.get(f"/join/guess{n}/").status_code for n in range(LINKS[0].burst)]
    assert guess == [404] * LINKS[0].burst
    use_up(f"link {keyed_hash('127.0.0.1')}", LINKS)
    answer = client.get("/new-password/MQ/guess/")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1
    assert client.get(invitations.invitation_path(token)).status_code == 200
    let_pass(30 + LINKS[0].seconds)
    assert client.get("/new-password/MQ/guess/").status_code == 410


def test_a_judges_twenty_fast_verdicts_are_all_taken(client):
    study = judging.open_study("jean", "jane", drawn_from=judging.finished_run(instances=4))
    jean = study.judges.get(person__username="jean").person
    client.force_login(jean)
    slots = judging.slots(study, jean)
    for number in range(20):
        slot = slots[number % len(slots)]
        verdict = ("correct", "incorrect")[number // len(slots) % 2]
        answer = client.post(
            f"/api/slots/{slot.pk}/verdict/",
            {"verdict": verdict},
            "application/json",
            headers={"If-Match": f'"{number // len(slots)}"'},
        )
        assert answer.status_code == 200


def test_a_program_that_never_pauses_has_to_wait(client):
    rosa, ruth = person("rosa", Role.RESEARCHER), person("ruth", Role.RESEARCHER)
    use_up(f"api {rosa.pk}", API)
    client.force_login(rosa)
    answer = client.get("/api/collections/")
    assert answer.status_code == 429
    assert 20 <= int(answer["Retry-After"]) <= 31
    assert "send too many requests. Wait" in answer.json()["error"]
    client.force_login(ruth)
    assert client.get("/api/collections/").status_code == 200


def test_what_one_person_starts_does_not_count_for_another():
    alice, bob = person("alice"), person("bob")
    use_up(f"runs {alice.pk}", JOBS["runs"])
    for _ in range(20):
        count_job(bob, "runs")


@pytest.fixture
def olga(client):
    """An admin who has used up the allowance of every kind of job."""
    olga = person("olga", Role.ADMIN)
    for kind, rates in JOBS.items():
        use_up(f"{kind} {olga.pk}", rates)
    client.force_login(olga)
    return olga


def check_must_wait(answer, kind):
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1
    page = answer.content.decode()
    assert f"You have started many {kind} in a short time. Wait" in page
    return page


def test_one_fetch_too_many_keeps_the_titles(client, olga):
    entered = {"source": "titles", "titles": "Mill of Ansbach", "contact": "olga@lab.example"}
    answer = client.post("/fetches/new/", entered)
    assert "Mill of Ansbach" in check_must_wait(answer, "fetches")


def test_one_run_too_many_keeps_what_was_entered(client, olga, settings):
    settings.INFERENCE_SERVICES = {"local": {"url": "http://127.0.0.1:9/v1"}}
    collection = datasets.mills()
    entered = {
        "collection": collection.pk, "language_models": generation.echo().pk, "prompts": list(prompts())[:1],
        "samples": 1, "name": "Second thoughts",
    }  # fmt: skip
    assert "Second thoughts" in check_must_wait(client.post("/runs/new/", entered), "runs")


def test_one_import_too_many_keeps_the_name(client, olga):
    entered = {
        "collection": "abbeys",
        "format": next(iter(IMPORTERS)),
        "file": SimpleUploadedFile("a.json", b"[]"),
    }
    page = check_must_wait(client.post(reverse("datasets:import"), entered), "imports")
    assert "abbeys" in page
    assert 'aria-invalid="true"' not in page  # it is of no field


def test_one_download_too_many_waits(client, olga):
    datasets.mills()
    check_must_wait(client.get("/collections/mills/export/wikicontradict-json/"), "downloads")


def test_one_call_to_a_model_too_many_waits(client, olga):
    path = reverse("generation:test_model", args=[generation.echo().pk])
    check_must_wait(client.post(path), "calls to models")


def test_hashes_depend_on_the_secret_key(settings):
    first = keyed_hash("account", "alice")
    settings.SECRET_KEY = "another" * 10
    assert keyed_hash("account", "alice") != first
