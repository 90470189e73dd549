"""The scheduler's work in annotation."""

from celery import shared_task

from annotation import campaigns, histories


@shared_task
def sweep_assignments() -> int:
    """Free the places whose lease has run out; returns how many."""
    return campaigns.sweep_assignments()


@shared_task
def thin_histories() -> int:
    """Delete the saves of old drafts that need not be kept; returns how many."""
    return histories.thin()
