"""The scheduler's work in accounts."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from accounts import allowances


@shared_task
def sweep_doors() -> int:
    """Delete sessions that have expired and counts that count nothing any more; how many counts."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return allowances.sweep()
