"""/readyz, /metrics and the banner, for each kind of person and program."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.roles import Role
from annotation.workflow.asked_articles import ask_for
from datasets.models import FreezeJob, ImportJob
from generation.models import Response, shown_sha256
from generation.states import ResponseState, RunState
from leases.models import Leased
from operations.monitoring import findings, health
from operations.monitoring.findings import Finding, State
from operations.monitoring.health import HealthReport
from operations.monitoring.metrics import HELD_BY_PEOPLE, QUEUES
from tests.annotation import factories as annotation
from tests.datasets import factories as datasets
from tests.factories import person
from tests.generation import factories as generation

pytestmark = pytest.mark.django_db

TOKEN = "a-token-for-tests-only"
BEARER = {"authorization": f"Bearer {TOKEN}"}
WELL = Finding("database", State.OK, "The database answers.")
GONE = findings.of_process("generation", 600.0, 3600.0)


@pytest.fixture
def shown():
    """`shown(*findings)`: the health report for the rest of this test."""
    return lambda *findings: health.watch.keep(HealthReport(findings), float("inf"))


def signed_in(*roles):
    client = Client()
    client.force_login(person("alice", *roles))
    return client


def test_without_a_role_readiness_is_only_a_status(client, shown):
    shown(WELL)
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"ok": True})
    shown(WELL, GONE)
    not_ready = client.get("/readyz")
    assert (not_ready.status_code, not_ready.json()) == (503, {"ok": False})
    assert "no-store" in not_ready["Cache-Control"]


def test_a_warning_leaves_it_ready(client, shown):
    shown(WELL, findings.of_backup(None))
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(("role", "sees"), [(Role.ADMIN, True), (Role.RESEARCHER, False)])
def test_details_are_for_admins(shown, role, sees):
    shown(WELL, GONE)
    answer = signed_in(role).get("/readyz").json()
    assert ("checks" in answer) == sees
    if sees:
        assert answer["checks"][1] == {
            "name": "generation",
            "state": "fail",
            "sentence": "The worker for model calls last reported 10 minutes ago.",
            "remedy": GONE.remedy,
        }


def test_details_are_for_the_token(client, shown, settings):
    shown(WELL)
    settings.METRICS_TOKEN = TOKEN
    assert "checks" in client.get("/readyz", headers=BEARER).json()
    assert "checks" not in client.get("/readyz", headers={"authorization": "Bearer x"}).json()


@pytest.mark.both
def test_without_a_database_no_session_is_read(shown, monkeypatch):
    client = signed_in(Role.ADMIN)
    shown(Finding("database", State.FAIL, "The database does not answer."))

    def away(*_):
        raise OperationalError

    monkeypatch.setattr("accounts.middleware.user_of", away)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"ok": False})


@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        ("", {}, 404),
        ("", {"authorization": "Bearer "}, 404),
        (TOKEN, {}, 403),
        (TOKEN, {"authorization": "Bearer another"}, 403),
        (TOKEN, {"authorization": f"Basic {TOKEN}"}, 403),
        (TOKEN, {"authorization": f"Bearer {TOKEN}é"}, 403),
        (TOKEN, BEARER, 200),
    ],
)
def test_figures_are_for_the_token_alone(client, settings, token, headers, status):
    settings.METRICS_TOKEN = token
    assert client.get("/metrics", headers=headers).status_code == status


def figures(client, settings):
    settings.METRICS_TOKEN = TOKEN
    lines = client.get("/metrics", headers=BEARER).content.decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


@pytest.fixture
def answered(settings):
    """A running run: one response has waited for an hour, one has an expired lease, two are done."""
    settings.INFERENCE_SERVICES = {"local": {"url": "http://127.0.0.1:9/v1"}}
    run = generation.run(questions=4)
    waiting, held, quick, slow = Response.objects.filter(run=run).order_by("pk")
    Response.objects.filter(pk=waiting.pk).update(created_at=Now() - timedelta(hours=1))
    Response.objects.filter(pk=held.pk).update(
        state=ResponseState.RUNNING, lease_holder="w", lease_until=Now() - timedelta(seconds=9)
    )
    for row, latency, minutes in ((quick, 250, 1), (slow, 4000, 30)):
        Response.objects.filter(pk=row.pk).update(
            state=ResponseState.DONE,
            text_sha256=shown_sha256("", ""),
            answered_at=Now() - timedelta(minutes=minutes),
            latency_ms=latency,
            completion_tokens=600,
        )
    return run


@pytest.mark.both
def test_the_figures_count_the_rows(client, settings, shown, answered):
    client.force_login(person("alice", Role.ADMIN))
    settings.WIKI_CONTACT = "alice@example.org"
    draft = annotation.draft(annotation.annotator("anna"))
    ask_for(draft, "https://en.wikipedia.org/wiki/Mill", draft.author)
    shown(WELL, findings.of_migrations(0))
    metrics = figures(client, settings)
    assert metrics["sicetnon_ready"] == "1"
    assert metrics['sicetnon_queue_waiting{queue="responses"}'] == "1"
    assert float(metrics['sicetnon_queue_oldest_seconds{queue="responses"}']) == pytest.approx(
        3600, abs=30
    )
    assert metrics['sicetnon_queue_oldest_seconds{queue="fetches"}'] == "0.0"
    assert metrics['sicetnon_queue_waiting{queue="asked_articles"}'] == "1"
    assert metrics['sicetnon_leases_expired{queue="responses"}'] == "1"
    assert metrics['sicetnon_responses{state="done"}'] == "2"
    assert metrics['sicetnon_responses{state="failed"}'] == "0"
    assert metrics['sicetnon_response_latency_seconds{quantile="0.5"}'] == "0.25"
    assert metrics['sicetnon_response_latency_seconds{quantile="0.99"}'] == "4.0"
    assert metrics["sicetnon_responses_last_hour"] == "2"
    assert metrics["sicetnon_completion_tokens_per_second"] == "2.0"
    assert metrics["sicetnon_people_signed_in"] == "1"


@pytest.mark.both
def test_imports_and_freezes_that_wait_are_counted(client, settings, shown):
    shown(WELL, findings.of_migrations(0))
    alice, collection = person("alice", Role.ADMIN), datasets.mills()
    hour = Now() - timedelta(hours=1)
    given = {"upload": uuid4(), "bytes": 2, "created_by": alice, "created_at": hour}
    ImportJob.objects.create(collection="mills", **given)
    ImportJob.objects.create(
        collection="mills", **given | {"upload": uuid4()}, state="running", lease_until=hour
    )
    FreezeJob.objects.create(
        collection=collection, version="1.0", started_by=alice, created_at=hour
    )
    metrics = figures(client, settings)
    for queue in ("imports", "freezes"):
        assert metrics[f'sicetnon_queue_waiting{{queue="{queue}"}}'] == "1"
        oldest = float(metrics[f'sicetnon_queue_oldest_seconds{{queue="{queue}"}}'])
        assert oldest == pytest.approx(3600, abs=30)
    assert metrics['sicetnon_leases_expired{queue="imports"}'] == "1"
    assert metrics['sicetnon_leases_expired{queue="freezes"}'] == "0"


@pytest.mark.both
def test_each_kind_of_leased_row_is_in_a_figure():
    counted = [*(queue.held for queue in QUEUES), *HELD_BY_PEOPLE.values()]
    assert {rows.model for rows in counted} == set(Leased.__subclasses__())


def test_what_waits_for_a_person_is_in_no_queue(client, settings, shown, answered):
    shown(WELL, findings.of_migrations(0))
    answered.state = RunState.DRAFT
    answered.save()
    assert figures(client, settings)['sicetnon_queue_waiting{queue="responses"}'] == "0"


@pytest.mark.both
def test_the_figures_cost_the_same_few_queries_however_many_rows(
    client, settings, shown, answered, django_assert_max_num_queries
):
    shown(WELL, findings.of_migrations(0))
    with django_assert_max_num_queries(27):
        figures(client, settings)


def test_without_a_database_there_are_figures_too(client, settings, shown):
    shown(Finding("database", State.FAIL, "The database does not answer."))
    metrics = figures(client, settings)
    assert metrics["sicetnon_ready"] == "0"
    assert "sicetnon_people_signed_in" not in metrics


# ---------------------------------------------------------------- the banner


def test_admins_read_on_every_page_what_to_do(shown):
    shown(WELL, GONE)
    text = signed_in(Role.ADMIN).get("/people/").content.decode()
    assert GONE.sentence in text
    assert "Read the log of &#x27;generation&#x27;, and start it again" in text


@pytest.mark.parametrize("address", ["/", "/reports/"])
def test_others_see_no_banner(shown, address):
    shown(WELL, GONE)
    assert GONE.sentence not in signed_in(Role.RESEARCHER).get(address).content.decode()


def test_people_who_wait_for_responses_read_why(shown, answered):
    shown(WELL, GONE, findings.of_disk(0))
    text = signed_in(Role.RESEARCHER).get(f"/runs/{answered.pk}/").content.decode()
    assert f"No new responses for now: {GONE.sentence}" in text
    assert "Tell an admin" in text
    assert "disk" not in text


def test_there_is_no_banner_where_nothing_is_wrong(shown):
    shown(WELL, findings.of_backup(None))
    assert "Something is wrong" not in signed_in(Role.ADMIN).get("/").content.decode()


def test_the_banner_costs_no_query(shown):
    client = signed_in(Role.ADMIN)
    client.get("/people/")
    counts = []
    for report in ((WELL,), (WELL, GONE)):
        shown(*report)
        with CaptureQueriesContext(connection) as queries:
            client.get("/people/")
        counts.append(len(queries))
    assert counts[0] == counts[1]
