"""How far the listing of a category and of those below it has come: a request at a time. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from wikifetch.source.answers import Members
from wikifetch.source.manners import WikiError

_MOST_CATEGORIES = 500  # that one fetch follows: a request each, before its first page


@dataclass(frozen=True)
class CategoryWalk:
    """Level by level: `met` are the categories, each once, with how many levels below it are followed.

    `done` of them are listed; `more` is what the wiki wants back to go on with the next, {} at its beginning.
    """

    met: list[tuple[str, int]]
    done: int = 0
    more: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CategoryWalk":
        """From JSON as `as_json` gives it."""
        return cls([(title, below) for title, below in kept["met"]], kept["done"], kept["more"])

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def next(self) -> tuple[str, int] | None:
        """The category to list now, and how many levels below it are followed; None at the end."""
        return self.met[self.done] if self.done < len(self.met) else None

    def after(self, members: Members) -> "CategoryWalk":
        """With what the next category was answered with. Raises WikiError where there are too many below the first."""
        below = self.met[self.done][1] - 1
        known = {title for title, _ in self.met}
        fresh = [title for title in dict.fromkeys(members.categories) if title not in known]
        met = [*self.met, *((title, below) for title in fresh)]
        if len(met) > _MOST_CATEGORIES:
            raise WikiError(
                f"“{met[0][0].partition(':')[2]}” has {len(met)} categories below it or more; a fetch follows "
                f"{_MOST_CATEGORIES}. Follow fewer levels, or fetch a category further down."
            )
        done = self.done if members.more else self.done + 1
        return replace(self, met=met, done=done, more=members.more)
