"""Scheduled tasks of writing."""

from celery import shared_task

from writing import taking


@shared_task
def sweep_entries() -> int:
    """Give up the entries whose lease has expired; returns how many."""
    return taking.sweep_entries()
