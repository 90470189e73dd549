"""The status of services, the same for all worker processes: one turn at a time, and pauses with their reason."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from generation.models import ServiceStatus
from leases import clock
from leases.clock import in_seconds

# Seconds after the first pause without a successful call; each further one is twice as long.
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0
# The longest pause in seconds that a service may request.
LONGEST_REQUESTED = 3600.0

FREE = Q(turn_holder="") | Q(turn_until__lt=Now())
UNPAUSED = Q(paused_until=None) | Q(paused_until__lte=Now())


def begin_turn(name: str, holder: str, seconds: float) -> bool:
    """Become the one turn that starts calls to the service; False during another's, or a pause."""
    ServiceStatus.objects.get_or_create(name=name)
    free = ServiceStatus.objects.filter(FREE, UNPAUSED, name=name)
    return bool(free.update(turn_holder=holder, turn_until=in_seconds(seconds)))


def renew_turn(name: str, holder: str, seconds: float, next_call: float) -> bool:
    """Keep the turn, and the seconds until the next call; False when the turn was lost."""
    lease = {"turn_until": in_seconds(seconds), "next_call_at": in_seconds(next_call)}
    return bool(_held(name, holder).update(**lease))


def end_turn(name: str, holder: str, next_call: float = 0.0) -> None:
    """Let another turn begin; its first call may begin after `next_call` seconds."""
    _held(name, holder).update(turn_holder="", turn_until=None, next_call_at=in_seconds(next_call))


def until_next_call(name: str) -> float:
    """Seconds until the next call may begin, by the calls of the turns before."""
    return _seconds_until(ServiceStatus.objects.get(name=name).next_call_at)


def _seconds_until(time: datetime | None) -> float:
    return max(0.0, (time - clock.now()).total_seconds()) if time else 0.0


def _held(name: str, holder: str) -> QuerySet[ServiceStatus]:
    return ServiceStatus.objects.filter(name=name, turn_holder=holder)


def pauses(name: str) -> tuple[int, float]:
    """(pauses since the last answer, seconds left of this one). After a pause, one call at a time is made."""
    status = ServiceStatus.objects.get(name=name)
    return status.pauses, _seconds_until(status.paused_until)


def record(name: str, reason: str, pauses: int, seconds: float, *, before: int) -> bool:
    """Let all processes know that the service is paused from now on, or with 0 pauses that it works again.

    False where its pauses are no longer those `before`: another turn has found out something since.
    """
    until = in_seconds(seconds) if pauses else None
    status = ServiceStatus.objects.filter(name=name, pauses=before)
    return bool(status.update(reason=reason, pauses=pauses, paused_until=until))


def pause_after(pauses: int, requested: float | None) -> float:
    """Seconds of the next pause after so many: as long as the service requested, within limits."""
    usual = min(FIRST_PAUSE * 2 ** min(pauses, 20), LONGEST_PAUSE)
    return max(usual, min(requested or 0.0, LONGEST_REQUESTED))


def idle(names: set[str]) -> set[str]:
    """Those of the services that no turn serves, and that are not paused."""
    busy = ServiceStatus.objects.filter(name__in=names).exclude(FREE & UNPAUSED)
    return names - set(busy.values_list("name", flat=True))
