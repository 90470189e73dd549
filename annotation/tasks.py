"""Scheduled tasks of annotation."""

from celery import shared_task

from annotation.workflow import asked_articles, claiming, draft_history
from leases.enqueue import send_on_commit


@shared_task
def sweep_assignments() -> int:
    """Free the assignments whose lease has expired; returns how many."""
    return claiming.sweep_assignments()


@shared_task
def thin_histories() -> int:
    """Delete old saves of drafts; returns how many."""
    return draft_history.thin_drafts()


@shared_task
def fetch_asked_article(row_id: int) -> None:
    """Fetch an article that an annotator asked for, then let the next one of a wiki begin."""
    if asked_articles.fetch_asked(row_id):
        for waiting in asked_articles.startable().values_list("pk", flat=True)[:1]:
            send_on_commit(fetch_asked_article, waiting)


@shared_task
def sweep_asked_articles() -> None:
    """Send again for every article that waits."""
    for waiting in asked_articles.sweep_asked():
        send_on_commit(fetch_asked_article, waiting)
