"""The responses and slots of a study, read once for all that a report makes from first verdicts.

Column by column and as they are stored: an expression in the query, a key or a time costs several times as much for
each row as the rest of it, and what an item has is not read again for each of its slots.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from evaluation.rows.export import COLUMNS, ORDER
from judging.models import Study

# Of COLUMNS what a slot has of its own, and what its item has.
_OF_SLOTS = ("round", "repeat", "judge", "first_verdict")
SLOT: dict[str, str | Combinable] = {
    "item": COLUMNS["item"],
    **{name: COLUMNS[name] for name in _OF_SLOTS},
    "moment": Cast("slots__judgment__judged_at", TextField()),
    "state": "slots__state",
    "skip_reason": "slots__skip_reason",
}
_NOT_READ = {"question", "response", "comment", "seconds", "cause", "note", "round_verdict"}
ITEM: dict[str, str | Combinable] = {
    **{name: where for name, where in COLUMNS.items() if name not in {*_OF_SLOTS, *_NOT_READ}},
    "instance": "response__instance_id",
    "run": "response__run_id",
}
Columns = Mapping[str, Sequence[Any]]


class Given(NamedTuple):
    """An independent first verdict; `at` is its item's place among the items, `moment` when it was given (UTC)."""

    at: int
    round: int
    judge: str | None
    verdict: str
    moment: str


@dataclass(frozen=True)
class Judged:
    """The columns of the items, by position, and of their slots in the order of rows.csv.

    An item without a slot has one of which all is None. `at` is the place of each slot's item among the items.
    """

    study: Study
    items: Columns
    slots: Columns

    @classmethod
    def of(cls, study: Study) -> "Judged":
        """As the database has it now."""
        # Slots first: an item that a new round adds meanwhile has none of them.
        slots = _columns(SLOT, study.items.order_by(*ORDER).values_list(*SLOT.values()))
        items = _columns(ITEM, study.items.order_by("position").values_list(*ITEM.values()))
        place = {position: at for at, position in enumerate(items["item"])}
        return cls(study, items, {**slots, "at": [place[item] for item in slots["item"]]})

    @cached_property
    def first(self) -> list[Given]:
        """In the order of items and rounds; repeats measure a judge against themself, so they stay out."""
        names = ("at", "round", "judge", "first_verdict", "moment")
        rows = map(Given._make, zip(*(self.slots[name] for name in names), strict=True))
        counted = zip(self.slots["repeat"], self.slots["first_verdict"], strict=True)
        return list(compress(rows, [n == 1 and one is not None for n, one in counted]))

    def together(self) -> Iterator[list[Given]]:
        """The first verdicts on one item in one round."""
        return (list(group) for _, group in groupby(self.first, key=itemgetter(0, 1)))


def _columns(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> dict[str, Sequence[Any]]:
    read = list(zip(*rows, strict=True))
    return dict(zip(names, read, strict=True)) if read else dict.fromkeys(names, ())
