"""Background work of datasets: imports, large freezes, and what is swept. Thin; the rows are the truth."""

from celery import shared_task
from django.db.models.functions import Now

from datasets.importers import arriving, import_jobs
from datasets.models import FreezeJob
from datasets.releasing import freeze_jobs
from datasets.releasing.stored_files import remove_unnamed
from datasets.states import FREEZE_JOB, FreezeState
from leases.claim import sweep
from leases.enqueue import send, send_on_commit

MOST_ATTEMPTS = 3
GIVEN_UP = (
    f"{MOST_ATTEMPTS} workers stopped while they froze it, so nothing was released. Tell the operator, then freeze it "
    "again."
)
LONGEST = 6 * 3600  # seconds


@shared_task
def carry_out_import(key: int) -> None:
    import_jobs.carry_out(key)


@shared_task
def sweep_imports() -> int:
    """Remove the rows of imports that were killed, and wake those that wait; returns of how many were removed."""
    for key in import_jobs.sweep_jobs():
        send(carry_out_import, key)
    return arriving.remove_abandoned()


@shared_task
def remove_unnamed_files() -> int:
    """Remove stored files that no release names, and sent ones that no import does; returns how many."""
    return remove_unnamed() + import_jobs.remove_unnamed()


# A message that is delivered again meanwhile finds the job claimed.
@shared_task(time_limit=LONGEST, soft_time_limit=LONGEST - 60)
def carry_out_freeze(key: int) -> None:
    freeze_jobs.carry_out(key)


@shared_task
def sweep_freezes() -> None:
    """Take freezes back from workers that died, give up those that kill every worker, wake the others."""
    jobs = FreezeJob.objects.all()
    sweep(jobs, FREEZE_JOB, "expire")
    waiting = jobs.filter(state=FreezeState.WAITING)
    hopeless = waiting.filter(attempts__gte=MOST_ATTEMPTS)
    FREEZE_JOB.move(hopeless, "fail", error=GIVEN_UP, finished_at=Now())
    for key in waiting.values_list("pk", flat=True):
        send_on_commit(carry_out_freeze, key)
