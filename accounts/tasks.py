"""Scheduled tasks of accounts."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from accounts import allowances, audit
from accounts.tokens import issuing as tokens
from pages.rest import idempotency


@shared_task
def sweep_doors() -> int:
    """Delete expired sessions, tokens and kept answers, and regained allowances; returns the number of these."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    tokens.sweep()
    idempotency.sweep()
    return allowances.sweep()


@shared_task
def expire_audit_log() -> int:
    """Delete entries older than AUDIT_DAYS; returns how many."""
    return audit.expire()
