"""A run's place among the others at its services, and what keeps a service from being asked."""

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from generation.call_queues import queues
from generation.inference import client
from generation.models import Response, Run, ServiceStatus
from generation.states import ResponseState, RunState
from leases import clock
from pages.counting import how_many


def waits_for(run: Run) -> list[str]:
    """One line for each service that has responses of this run waiting and cannot take them now."""
    if run.state not in (RunState.RUNNING, RunState.TRYING):
        return []
    waiting = Response.objects.filter(run=run, state=ResponseState.PENDING).order_by()
    names = sorted(waiting.values_list("model__service", flat=True).distinct())
    status = {row.name: row for row in ServiceStatus.objects.filter(name__in=names)}
    return [line for name in names if (line := _line(name, status.get(name), run))]


def _line(name: str, status: ServiceStatus | None, run: Run) -> str:
    if problem := client.problem(name):
        return problem
    if status and status.reason:
        return f"{name} is paused. {status.reason} {_next_call(status)}"
    others = {
        (type(line.queue), line.group)
        for queue in queues()
        for line in queue.lines(name)
        if not (line.group == run.pk and queue.rows is Response)
    }
    if others:
        return f"{name} is asked for {how_many(len(others), 'other run or judge', 'other runs and judges')} in turn."
    return ""


def _next_call(status: ServiceStatus) -> str:
    if status.paused_until and status.paused_until > clock.now():
        return f"It is tried again at {timezone.localtime(status.paused_until):%H:%M:%S}."
    return "It is tried now."


def are_served(run: Run) -> bool:
    """Whether workers see to a service of the run: it has a turn, or its pause after a fault is not over."""
    names = run.models_asked.values("service")
    seen = Q(turn_until__gt=Now()) | Q(paused_until__gt=Now())
    return ServiceStatus.objects.filter(seen, name__in=names).exists()
