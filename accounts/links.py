"""Paths as the addresses that people use."""

from django.conf import settings


def full_address(path: str) -> str:
    """The address of a path from reverse(); both it and BASE_URL contain the sub-path."""
    return settings.BASE_URL + path.removeprefix(settings.FORCE_SCRIPT_NAME or "")
