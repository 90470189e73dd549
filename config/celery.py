"""The Celery application: broker, delivery rules, the scheduler's table.

Delivery is at least once, late, and sometimes twice: the database row is the truth, a message only a nudge
(see leases/). So a lost message costs the sweep's interval, never work.
"""

import os
from pathlib import Path

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

from config import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# filesystem:// names our own broker of files; kombu's loses workers to a race (see leases/broker.py).
TRANSPORT_ALIASES["filesystem"] = "leases.broker:Transport"

app = Celery("sicetnon")

VISIBILITY_TIMEOUT = 1800


def broker_options(url: str, data_dir: Path) -> dict[str, object]:
    """Transport options: the file-system broker needs folders, Redis a visibility timeout in seconds."""
    if not url.startswith("filesystem"):
        return {"visibility_timeout": VISIBILITY_TIMEOUT}
    folder = data_dir / "broker"
    for name in ("queue", "done", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "processed_folder": str(folder / "done"),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.02,
    }


app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    broker_transport_options=broker_options(settings.CELERY_BROKER_URL, settings.DATA_DIR),
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    # Under half the visibility timeout, so that no task is delivered again while it runs.
    task_time_limit=VISIBILITY_TIMEOUT // 2 - 60,
    task_soft_time_limit=VISIBILITY_TIMEOUT // 2 - 120,
    task_default_queue="work",
    task_routes={"generation.tasks.generate_response": {"queue": "generation"}},
    task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_max": 0.2},
    worker_hijack_root_logger=False,
    worker_cancel_long_running_tasks_on_connection_loss=True,
    timezone="UTC",
    beat_schedule_filename=str(settings.DATA_DIR / "scheduler"),
    beat_schedule={
        "sweep-fetches": {"task": "wikifetch.tasks.sweep_fetches", "schedule": 30.0},
        "sweep-responses": {"task": "generation.tasks.sweep_responses", "schedule": 15.0},
        "sweep-assignments": {"task": "annotation.tasks.sweep_assignments", "schedule": 60.0},
    },
)
app.autodiscover_tasks()
