from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Shared tasks bind to this application. Imported here and not in the package, so that
        # config.environment works without settings.
        from config import celery  # noqa: F401
