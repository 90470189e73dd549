"""A client for the API of Sic et Non."""

from sicetnon.client import Client
from sicetnon.errors import ApiError, AsksFirst, HashDiffers, LogRefused, StaleVersion
from sicetnon.transport import Row

__all__ = ["ApiError", "AsksFirst", "Client", "HashDiffers", "LogRefused", "Row", "StaleVersion"]
