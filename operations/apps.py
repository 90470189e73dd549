from celery import signals
from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self) -> None:
        from datasets.releasing.deleting import kept_elsewhere
        from operations.monitoring import heartbeats
        from operations.traces import backups_with_files

        kept_elsewhere.add(self.name, backups_with_files)

        signals.worker_ready.connect(heartbeats.begin_worker)
        signals.beat_init.connect(heartbeats.begin_scheduler)
