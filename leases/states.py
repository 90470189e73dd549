"""State tables: which moves a row may make, and the only functions that change a state column.

A move is a conditional UPDATE, so that two people, two tabs or two workers never both make it.
docs/workflow.md is generated from the tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet, TextChoices

from leases.refusal import Conflict, NotFoundHere


@dataclass(frozen=True)
class Move:
    """One verb: the states it starts from, the state it ends in, who may use it."""

    sources: tuple[str, ...]
    target: str
    by: str = ""


@dataclass(frozen=True)
class StateTable:
    """All moves of one kind of row.

    `states` is the row's TextChoices; `moves` maps a verb to ((from, …), to) or ((from, …), to, "who").
    The column is `state`. Raises ValueError when made with a state that is not declared.
    """

    name: str
    states: type[TextChoices]
    moves: Mapping[str, tuple[Any, ...]]

    tables: ClassVar[dict[str, "StateTable"]] = {}

    def __post_init__(self) -> None:
        known = set(self.states.values)
        for verb, move in self.parsed.items():
            if unknown := ({*move.sources, move.target} - known):
                raise ValueError(f"{self.name}: {verb} names unknown states {sorted(unknown)}")
        StateTable.tables[self.name] = self

    @cached_property
    def parsed(self) -> dict[str, Move]:
        return {
            verb: Move(
                tuple(str(s) for s in move[0]), str(move[1]), move[2] if len(move) > 2 else ""
            )
            for verb, move in self.moves.items()
        }

    def may(self, row: Any, verb: str) -> bool:
        """Whether `row`, as it was read, may make this move."""
        return row.state in self.parsed[verb].sources

    def move(self, rows: QuerySet[Any] | Model, verb: str, **fields: Any) -> int:
        """Make the move on a row or on all rows of a queryset that may make it; returns how many did.

        `fields` are set in the same UPDATE. A row passed in gets its new values; a value that the database
        calculates is read again on its next use.
        """
        move = self.parsed[verb]
        values = {"state": move.target, **fields}
        if not isinstance(rows, Model):
            return rows.filter(state__in=move.sources).update(**values)
        # Without a manager's joins: after it has waited for the row, PostgreSQL does not check their conditions again.
        this = type(rows)._base_manager.filter(pk=rows.pk, state__in=move.sources)
        moved = this.update(**values)
        if moved:
            update_in_memory(rows, values)
        return moved

    def require(self, row: Any, verb: str, **fields: Any) -> None:
        """Make the move on one row, or raise Conflict with a sentence that names the state it is in.

        Raises NotFoundHere where the row was removed meanwhile.
        """
        if self.move(row, verb, **fields):
            return
        try:
            row.refresh_from_db(fields=["state"])
        except ObjectDoesNotExist:
            raise NotFoundHere(f"This {self.name.lower()} has been removed.") from None
        label = self.states(row.state).label
        raise Conflict(
            f"This {self.name.lower()} is {label.lower()}; it cannot be changed that way any more."
        )


def update_in_memory(row: Model, values: Mapping[str, Any]) -> None:
    """Set on the row what the UPDATE wrote; an expression's value becomes a deferred field."""
    for name, value in values.items():
        if not hasattr(value, "resolve_expression"):
            setattr(row, name, value)
        else:
            row.__dict__.pop(name, None)
