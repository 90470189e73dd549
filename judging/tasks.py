"""Tasks of judging. Judge models are asked by generation, as the responses of runs are."""

from celery import shared_task

from judging import pool


@shared_task
def sweep_slots() -> None:
    """Free the drawn slots of judges who did not come back in time."""
    pool.sweep_slots()
