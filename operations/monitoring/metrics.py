"""Metrics for Prometheus, read by a few queries; those of large tables use an index."""

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Min, QuerySet
from django.db.models.functions import Now

from accounts.models import Session
from annotation.models import AskedArticle, Assignment
from annotation.states import AskedState, AssignmentState
from datasets.models import FreezeJob, ImportJob
from datasets.states import FreezeState, ImportState
from generation.models import Response
from generation.states import ResponseState, RunState
from judging.models import JudgingSlot, MachineVerdict
from judging.states import MachineState, SlotState
from leases.clock import now
from operations.monitoring import findings, health, heartbeats
from operations.monitoring.exposition import Gauge, quantile, text
from wikifetch.models import FetchRun
from wikifetch.states import FetchState
from writing.models import Entry
from writing.states import IN_HAND

HOUR = timedelta(hours=1)
TOKENS_OVER = timedelta(minutes=5)
QUANTILES = (0.5, 0.9, 0.99)


@dataclass(frozen=True)
class WatchedQueue:
    """A kind of row that workers claim. `since` is the column with the time of its creation, "" for none."""

    name: str
    waiting: QuerySet[Any]
    held: QuerySet[Any]
    since: str = ""


QUEUES = (
    WatchedQueue(
        "responses",
        # Only of started runs: the responses of others wait for a person.
        Response.objects.filter(state=ResponseState.PENDING, run__state=RunState.RUNNING),
        Response.objects.filter(state=ResponseState.RUNNING),
        "created_at",
    ),
    WatchedQueue(
        "fetches",
        FetchRun.objects.filter(state=FetchState.WAITING),
        FetchRun.objects.filter(state=FetchState.RUNNING),
        "created_at",
    ),
    WatchedQueue(
        "asked_articles",
        AskedArticle.objects.filter(state=AskedState.ASKED),
        AskedArticle.objects.filter(state=AskedState.FETCHING),
        "asked_at",
    ),
    WatchedQueue(
        "machine_verdicts",
        MachineVerdict.objects.filter(state=MachineState.WAITING),
        MachineVerdict.objects.filter(state=MachineState.RUNNING),
    ),
    WatchedQueue(
        "imports",
        ImportJob.objects.filter(state=ImportState.WAITING),
        ImportJob.objects.filter(state=ImportState.RUNNING),
        "created_at",
    ),
    WatchedQueue(
        "freezes",
        FreezeJob.objects.filter(state=FreezeState.WAITING),
        FreezeJob.objects.filter(state=FreezeState.RUNNING),
        "created_at",
    ),
)
HELD_BY_PEOPLE: dict[str, QuerySet[Any]] = {
    "assignments": Assignment.objects.filter(state=AssignmentState.HELD),
    "judging_slots": JudgingSlot.objects.filter(state=SlotState.WAITING),
    "entries": Entry.objects.filter(state__in=IN_HAND),
}


def exposed() -> str:
    report = health.watch.report()
    ready = Gauge("sicetnon_ready", "1 when all that matters is well, else 0.").set(int(report.ok))
    gauges = [ready, _installed(), _free_disk()]
    if report.is_well("database") and report.is_well("migrations"):
        gauges += of_rows()
    return text(gauges)


def of_rows() -> list[Gauge]:
    """Metrics from the database, with times by the database's clock."""
    present = now()
    return [*_queues(present), *_responses(present), _people(), *_background()]


def _queues(present: datetime) -> list[Gauge]:
    waiting = Gauge("sicetnon_queue_waiting", "Rows that wait to be claimed by a worker.")
    oldest = Gauge("sicetnon_queue_oldest_seconds", "How long the oldest waiting row has existed.")
    expired = Gauge("sicetnon_leases_expired", "Held rows whose lease has run out unswept.")
    for queue in QUEUES:
        waiting.set(queue.waiting.count(), queue=queue.name)
        if queue.since:
            first = queue.waiting.order_by().aggregate(first=Min(queue.since))["first"]
            oldest.set(_seconds_since(first, present), queue=queue.name)
    for name, held in {**{queue.name: queue.held for queue in QUEUES}, **HELD_BY_PEOPLE}.items():
        expired.set(held.filter(lease_until__lt=Now()).count(), queue=name)
    return [waiting, oldest, expired]


def _responses(present: datetime) -> list[Gauge]:
    by_state = Response.objects.order_by().values_list("state").annotate(n=Count("pk"))
    states = Gauge("sicetnon_responses", "Responses by state.")
    states.set_each("state", {**dict.fromkeys(ResponseState.values, 0), **dict(by_state)})
    last = Response.objects.filter(answered_at__gt=present - HOUR, latency_ms__isnull=False)
    rows = list(last.values_list("latency_ms", "completion_tokens", "answered_at"))
    seconds = sorted((milliseconds or 0) / 1000 for milliseconds, _, _ in rows)
    latency = Gauge("sicetnon_response_latency_seconds", "Of the responses of the last hour.")
    latency.set_each("quantile", {str(share): quantile(seconds, share) for share in QUANTILES})
    answered = Gauge("sicetnon_responses_last_hour", "Responses answered in the last hour.")
    lately = present - TOKENS_OVER
    tokens = sum(count or 0 for _, count, at in rows if at and at > lately)
    speed = Gauge(
        "sicetnon_completion_tokens_per_second", "Tokens of responses, over the last five minutes."
    )
    return [
        states,
        latency,
        answered.set(len(rows)),
        speed.set(tokens / TOKENS_OVER.total_seconds()),
    ]


def _people() -> Gauge:
    people = Session.objects.filter(expire_date__gt=Now(), person__isnull=False)
    signed_in = people.aggregate(n=Count("person", distinct=True))["n"]
    return Gauge("sicetnon_people_signed_in", "People with a session that is still good.").set(
        signed_in
    )


def _background() -> list[Gauge]:
    seen = Gauge("sicetnon_heartbeat_age_seconds", "Since a process of this role was last heard.")
    up = Gauge("sicetnon_service_up", "0 for an inference service that cannot be reached.")
    failing = heartbeats.failing_for(findings.GONE)
    up.set_each("service", {name: int(name not in failing) for name in settings.INFERENCE_SERVICES})
    backup = Gauge("sicetnon_backup_age_seconds", "Since the last backup that is known.")
    return [
        seen.set_each("role", dict(heartbeats.silences())),
        up,
        backup.set(health.backup_age()),
    ]


def _installed() -> Gauge:
    installed = Gauge("sicetnon_info", "Always 1; the label says which version runs.")
    return installed.set(1, version=settings.VERSION)


def _free_disk() -> Gauge:
    free = shutil.disk_usage(settings.DATA_DIR).free
    return Gauge("sicetnon_disk_free_bytes", "Room left in DATA_DIR.").set(free)


def _seconds_since(moment: datetime | None, present: datetime) -> float:
    """0 if nothing waits."""
    return 0.0 if moment is None else max(0.0, (present - moment).total_seconds())
