"""Scheduled tasks of datasets."""

from celery import shared_task

from datasets.importers import arriving


@shared_task
def sweep_imports() -> int:
    """Remove the rows of imports that were killed; returns of how many."""
    return arriving.remove_abandoned()
