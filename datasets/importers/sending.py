"""Wakes a worker for an import that a page of a room above has begun: rooms do not import each other's tasks."""

from celery import current_app

from datasets.models import ImportJob
from leases.enqueue import send_on_commit


def send_import(job: ImportJob) -> None:
    send_on_commit(current_app.tasks["datasets.tasks.carry_out_import"], job.pk)
