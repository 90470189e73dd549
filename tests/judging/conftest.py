"""The fake service of generation's tests, for judge models."""

from tests.generation.conftest import fake, local, no_pauses

__all__ = ["fake", "local", "no_pauses"]
