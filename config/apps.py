from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Shared tasks bind to this application; importing it here and not in the package keeps
        # config.environment usable before there are settings.
        from config import celery  # noqa: F401
