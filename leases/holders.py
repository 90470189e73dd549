"""The names of leases' holders, by which a worker that starts sees whether the process of a holder still lives."""

import hashlib
import os
import uuid
from functools import cache
from pathlib import Path

import structlog
from django.apps import apps
from django.db.models.functions import Now

from leases.clock import in_seconds
from leases.models import Leased

log = structlog.get_logger(__name__)

DEAD = ("Z", "X")


def new_holder(prefix: str) -> str:
    """A holder's name that no other claim has: 'import:PLACE:PID:START:…'."""
    pid = os.getpid()
    return f"{prefix}:{_place()}:{pid}:{_start_of(pid)}:{uuid.uuid4().hex[:20]}"


def take_back_from_the_dead() -> int:
    """End the leases of this machine's processes that live no longer; returns how many. The next sweeps do the rest."""
    if not _place():
        return 0
    ended = 0
    for model in apps.get_models():
        if not issubclass(model, Leased):
            continue
        held = model._default_manager.order_by().filter(lease_until__gt=Now())
        here = held.filter(lease_holder__contains=f":{_place()}:")
        holders = set(here.values_list("lease_holder", flat=True))
        gone = held.filter(lease_holder__in=list(filter(_is_gone, holders)))
        ended += gone.update(lease_until=in_seconds(-1))
    if ended:
        log.warning("leases_taken_back", rows=ended)
    return ended


def _is_gone(holder: str) -> bool:
    """Whether the process of a holder of this place has ended. Its id may be another's since."""
    _, _, pid, start, _ = holder.split(":")
    return bool(start) and _start_of(int(pid)) != start


def _start_of(pid: int) -> str:
    """When the process started, in ticks of the machine; "" for none, and where there is no /proc."""
    try:
        state, *fields = (
            Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        )
    except OSError:
        return ""
    return "" if state in DEAD else fields[18]


@cache
def _place() -> str:
    """Where an id stands for one process: this start of the machine, its ids of processes, and whose this process sees.

    "" where that is unknown (macOS): then a lease runs out. A container has ids of its own, so in it too.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        ids = os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
    place = f"{os.uname().nodename} {boot} {ids} {os.getuid()}"
    return hashlib.sha256(place.encode()).hexdigest()[:12]
