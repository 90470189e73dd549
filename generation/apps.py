from django.apps import AppConfig
from django.core.checks import register


class GenerationConfig(AppConfig):
    name = "generation"

    def ready(self) -> None:
        from generation.checks import check_services

        register(check_services)
