"""The scheduler's work in annotation."""

from celery import shared_task

from annotation import campaigns


@shared_task
def sweep_assignments() -> int:
    """Free the places whose lease has run out; returns how many."""
    return campaigns.sweep_assignments()
