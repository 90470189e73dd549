"""Scheduled tasks of datasets."""

from celery import shared_task

from datasets.importers import arriving
from datasets.releasing.stored_files import remove_unnamed


@shared_task
def sweep_imports() -> int:
    """Remove the rows of imports that were killed; returns of how many."""
    return arriving.remove_abandoned()


@shared_task
def remove_unnamed_files() -> int:
    """Remove the stored files that no release names; returns how many."""
    return remove_unnamed()
