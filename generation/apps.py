from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register


class GenerationConfig(AppConfig):
    name = "generation"

    def ready(self) -> None:
        from datasets.exposure import responses_known
        from generation.access import runs_known

        register(check_services)
        responses_known.add(self.name, runs_known)


def check_services(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """One error for each unusable entry of INFERENCE_SERVICES, with what to write.

    `bring_up_to_date` and Django's own commands make this check. A RefusingCommand refuses an entry when it uses it.
    """
    from generation import client, faults

    errors: list[CheckMessage] = []
    for name, data in settings.INFERENCE_SERVICES.items():
        try:
            client.entry(name, data)
        except faults.NotConfigured as fault:
            errors.append(Error(fault.sentence, id="generation.E001"))
    return errors
