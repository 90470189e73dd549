from celery import signals
from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self) -> None:
        from operations.monitoring import heartbeats

        signals.worker_ready.connect(heartbeats.begin_worker)
        signals.beat_init.connect(heartbeats.begin_scheduler)
