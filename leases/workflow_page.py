"""The page docs/workflow.md, written from the rooms' state tables."""

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

from django.apps import apps
from django.db.models import TextChoices

from leases import planned
from leases.states import Move, StateTable

HEAD = """# Which states rows move through

This page is written by `python manage.py state_tables` from the tables in each room's `states.py`; a test fails
when it is out of date. A move is one conditional UPDATE: a row that is in none of the states under "from" does
not change, and the person sees a message. "Expire" is the sweeper's move, when a lease has expired. Where no
move leads to a state, rows are created in it.
"""


def rooms_with_tables() -> list[tuple[str, list[StateTable]]]:
    """Each installed room that has a states module, with its tables by name."""
    rooms = []
    for config in apps.get_app_configs():
        module = f"{config.name}.states"
        # leases.states only defines the classes.
        if config.name == "leases" or find_spec(module) is None:
            continue
        import_module(module)
        tables = [t for t in StateTable.tables.values() if t.states.__module__ == module]
        rooms.append((config.label, tables))
    return rooms


def page(rooms: Iterable[tuple[str, list[StateTable]]]) -> str:
    sections = [
        f"## {room}\n\n" + "\n".join(map(section, tables)) for room, tables in rooms if tables
    ]
    return "\n".join([HEAD, *sections])


def section(table: StateTable) -> str:
    """One kind of row: its states, then its moves, without those that are only planned."""
    states, moves = _states(table), _moves(table)
    lines = [
        f"### {table.name}",
        "",
        "| state | shown as | |",
        "| --- | --- | --- |",
        *(_state_line(state.value, state.label, moves.values()) for state in states),
        "",
        "| move | from | to | by |",
        "| --- | --- | --- | --- |",
        *(
            f"| {verb} | {', '.join(f'`{state}`' for state in move.sources)} | `{move.target}` | {move.by} |"
            for verb, move in moves.items()
        ),
        "",
    ]
    return "\n".join(lines)


def _states(table: StateTable) -> list[TextChoices]:
    """The states that rows of the table can be in."""
    place = (table.states.__module__, table.states.__qualname__)
    return [state for state in table.states if (*place, state.name) not in planned.VALUES]


def _moves(table: StateTable) -> dict[str, Move]:
    """The moves that something makes, from the states that rows can be in."""
    known = {state.value for state in _states(table)}
    return {
        verb: replace(move, sources=tuple(state for state in move.sources if state in known))
        for verb, move in table.parsed.items()
        if (table.name, verb) not in planned.MOVES
    }


def _state_line(state: str, label: str, moves: Iterable[Move]) -> str:
    marks = []
    if not any(move.target == state for move in moves):
        marks.append("no move leads here")
    if not any(state in move.sources for move in moves):
        marks.append("final")
    return f"| `{state}` | {label} | {', '.join(marks)} |"
