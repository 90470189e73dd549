"""Scheduled tasks of leases."""

from celery import shared_task

from leases import planner


@shared_task
def learn_growth() -> list[str]:
    """Renew the planner's statistics of tables that have grown; returns their names."""
    return planner.learn_growth()
