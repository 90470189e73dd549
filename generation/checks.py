"""The setting INFERENCE_SERVICES, checked when the program starts rather than at the first run."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error

from generation import client, faults


def check_services(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """One error for each entry that cannot be used, with what to write instead."""
    found: list[CheckMessage] = []
    for name, data in settings.INFERENCE_SERVICES.items():
        try:
            client.entry(name, data)
        except faults.NotConfigured as fault:
            found.append(Error(fault.sentence, id="generation.E001"))
    return found
