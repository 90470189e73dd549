"""Scheduled tasks of accounts."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from accounts import allowances, audit


@shared_task
def sweep_doors() -> int:
    """Delete expired sessions and regained allowances; returns the number of allowances."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return allowances.sweep()


@shared_task
def expire_audit_log() -> int:
    """Delete entries older than AUDIT_DAYS; returns how many."""
    return audit.expire()
