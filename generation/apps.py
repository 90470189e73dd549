from django.apps import AppConfig
from django.core.checks import register


class GenerationConfig(AppConfig):
    name = "generation"

    def ready(self) -> None:
        from datasets.witnesses import witnesses
        from generation.checks import check_services
        from generation.witness import runs_known

        register(check_services)
        witnesses.append(runs_known)
