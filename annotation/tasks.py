"""Scheduled tasks of annotation."""

from celery import shared_task

from annotation import campaigns, draft_history


@shared_task
def sweep_assignments() -> int:
    """Free the assignments whose lease has expired; returns how many."""
    return campaigns.sweep_assignments()


@shared_task
def thin_histories() -> int:
    """Delete old saves of drafts; returns how many."""
    return draft_history.thin()
