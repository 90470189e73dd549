"""Extension points: what a room asks of the rooms above it, which it may not import. Pure.

The lower room declares a point with the signature of its providers. A room above adds its provider in `ready` of its
apps.py, before the first request. docs/developers.md lists every point with its providers.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

POINTS: dict[str, "ExtensionPoint[Any, Any]"] = {}


class ExtensionPoint(Generic[P, R]):
    """One point. `name` is the dotted path of the variable that holds it; ValueError for one that is taken."""

    def __init__(self, name: str) -> None:
        if name in POINTS:
            raise ValueError(f"There is an extension point {name} already.")
        self.name = name
        self.providers: dict[str, Callable[P, R]] = {}
        POINTS[name] = self

    def add(self, room: str, provider: Callable[P, R]) -> None:
        """Let `room` answer from now on; ValueError where it does already."""
        if room in self.providers:
            raise ValueError(f"{room} has a provider for {self.name} already.")
        self.providers[room] = provider

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """What each provider returns, in the order in which the rooms were started."""
        return [provider(*args, **kwargs) for provider in self.providers.values()]
