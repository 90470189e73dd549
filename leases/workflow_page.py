"""The page docs/workflow.md, written from the rooms' state tables."""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from django.apps import apps

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
    """One kind of row: its states, then its moves."""
    moves = table.parsed
    lines = [
        f"### {table.name}",
        "",
        "| state | shown as | |",
        "| --- | --- | --- |",
        *(_state_line(state.value, state.label, moves.values()) for state in table.states),
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


def _state_line(state: str, label: str, moves: Iterable[Move]) -> str:
    marks = []
    if not any(move.target == state for move in moves):
        marks.append("no move leads here")
    if not any(state in move.sources for move in moves):
        marks.append("final")
    return f"| `{state}` | {label} | {', '.join(marks)} |"
