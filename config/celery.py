"""The Celery application: broker, delivery rules, the scheduler's table.

A message may come late, twice or never: the database row is the truth, a message only starts the work (leases/).
So a lost message costs the time until the next sweep, never work.
"""

import os
import threading
from pathlib import Path

import django
import structlog
from celery import Celery, beat
from celery.signals import beat_init, worker_init, worker_ready, worker_shutting_down
from django.db import DatabaseError, connections
from kombu.transport import TRANSPORT_ALIASES

from config import settings, task_lines
from leases import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks load every page: they double the time of a start, and each program then takes 50 MB more. The steps
# before a start make them (`bring_up_to_date`, bin/first_steps.py).
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# In kombu's own file transport a race ends workers (see leases/broker.py).
TRANSPORT_ALIASES["filesystem"] = "leases.broker:Transport"
# In kombu's own Redis transport a lost connection may end a worker (see leases/redis_broker.py).
TRANSPORT_ALIASES["redis"] = "leases.redis_broker:Transport"

app = Celery("sicetnon")
log = structlog.get_logger(__name__)

VISIBILITY_TIMEOUT = 1800


def broker_options(url: str, data_dir: Path) -> dict[str, object]:
    """Transport options: folders for the file broker, a visibility timeout in seconds for Redis."""
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
    }


app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    broker_transport_options=broker_options(settings.CELERY_BROKER_URL, settings.DATA_DIR),
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    # Under half the visibility timeout, so that no task is delivered again while it runs. Only a pool of
    # processes enforces it; in threads each task limits itself (docs/decisions/0007).
    task_time_limit=VISIBILITY_TIMEOUT // 2 - 60,
    task_soft_time_limit=VISIBILITY_TIMEOUT // 2 - 120,
    task_default_queue="work",
    # Calls to models wait in a queue of their own, so that slow models delay nothing else.
    task_routes={"generation.asking.dispatch.ask_service": {"queue": "generation"}},
    task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_max": 0.2},
    worker_hijack_root_logger=False,
    # Heartbeats are rows (operations/monitoring/heartbeats.py): workers neither send events nor listen for broadcasts.
    worker_enable_remote_control=False,
    worker_cancel_long_running_tasks_on_connection_loss=True,
    timezone="UTC",
    # In memory, because Celery's default is a pickle on the disk, which executes what someone writes there. Each
    # task is first sent one interval after the start, so none may have an interval longer than people leave it on.
    beat_scheduler="config.celery:PlainScheduler",
    beat_schedule={
        "sweep-fetches": {"task": "wikifetch.tasks.sweep_fetches", "schedule": 15.0},
        # With the leases of a turn (generation/asking/turn.py), a dead worker's calls are made again within 15 s.
        # They expire, so that they do not pile up while no worker runs.
        "sweep-calls": {
            "task": "generation.tasks.sweep_calls",
            "schedule": 5.0,
            "options": {"expires": 60.0},
        },
        "sweep-judging-slots": {"task": "judging.tasks.sweep_slots", "schedule": 60.0},
        "sweep-assignments": {"task": "annotation.tasks.sweep_assignments", "schedule": 60.0},
        "sweep-entries": {"task": "writing.tasks.sweep_entries", "schedule": 60.0},
        "sweep-asked-articles": {"task": "annotation.tasks.sweep_asked_articles", "schedule": 15.0},
        "thin-histories": {"task": "annotation.tasks.thin_histories", "schedule": 3600.0},
        "sweep-imports": {"task": "datasets.tasks.sweep_imports", "schedule": 15.0},
        "sweep-freezes": {"task": "datasets.tasks.sweep_freezes", "schedule": 15.0},
        "remove-unnamed-files": {"task": "datasets.tasks.remove_unnamed_files", "schedule": 3600.0},
        "expire-audit-log": {"task": "accounts.tasks.expire_audit_log", "schedule": 3600.0},
        "sweep-doors": {"task": "accounts.tasks.sweep_doors", "schedule": 3600.0},
        "learn-growth": {"task": "leases.tasks.learn_growth", "schedule": 300.0},
    },
)
app.autodiscover_tasks()
task_lines.connect()


class PlainScheduler(beat.Scheduler):
    """Says in one line why a task was not sent, as on a full disk; it is sent again at its next time."""

    def apply_entry(self, entry: beat.ScheduleEntry, producer: object = None) -> None:
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except beat.SchedulingError as error:
            log.error("task_not_sent", error=str(error))


@worker_init.connect
@beat_init.connect
def refuse_a_newer_database(**signal: object) -> None:
    """No worker or scheduler starts on a database of a newer version."""
    django.setup()
    from operations.schema_version import start_only_if_known

    start_only_if_known()


@worker_ready.connect
def take_back_leases(**signal: object) -> None:
    """Of workers that were killed. Where the database does not answer, they run out."""
    from leases import holders

    try:
        holders.take_back_from_the_dead()
    except DatabaseError as error:
        log.warning("leases_not_taken_back", error=type(error).__name__)
    finally:
        connections.close_all()  # the pool's processes have their own


@worker_init.connect
def remove_outdated_messages(**signal: object) -> None:
    """Clean the folders of the file broker; in a thread, because there may be a million files."""
    options = app.conf.broker_transport_options
    folders = [options[name] for name in ("data_folder_in", "processed_folder") if name in options]

    def remove() -> None:
        for folder in folders:
            broker.remove_outdated(Path(folder))

    threading.Thread(target=remove, name="remove-outdated-messages", daemon=True).start()


@worker_shutting_down.connect
def end_turns(**signal: object) -> None:
    """Start no more calls to models: the worker ends when the last ones are stored."""
    from generation.asking import turn

    turn.stopping.set()
