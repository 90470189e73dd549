"""The page docs/workflow.md, written from the rooms' state tables."""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from django.apps import apps

from leases.states import StateTable

HEAD = """# Which states rows move through

This page is written by `python manage.py state_tables` from the tables in each room's `states.py`; a test fails
when it is out of date. A move is one conditional UPDATE: a row that is in none of the states under "from" is
left as it is, and the person is told so. "Expire" is the sweeper's move, when a lease has run out. Where no
move leads to a state, rows are made in it.
"""


def rooms_with_tables() -> list[tuple[str, list[StateTable]]]:
    """Each installed room that has a states module, with its tables by name."""
    found = []
    for config in apps.get_app_configs():
        module = f"{config.name}.states"
        # leases.states defines what a table is; it has none itself.
        if config.name == "leases" or find_spec(module) is None:
            continue
        import_module(module)
        tables = [t for t in StateTable.tables.values() if t.states.__module__ == module]
        found.append((config.label, tables))
    return found


def page(rooms: Iterable[tuple[str, list[StateTable]]]) -> str:
    """The whole page as Markdown."""
    sections = [
        f"## {room}\n\n" + "\n".join(map(section, tables)) for room, tables in rooms if tables
    ]
    return "\n".join([HEAD, *sections])


def section(table: StateTable) -> str:
    """One kind of row: its states, then its moves."""
    lines = [
        f"### {table.name}",
        "",
        "| state | shown as | |",
        "| --- | --- | --- |",
        *(_state_line(table, state) for state in table.states.values),
        "",
        "| move | from | to | by |",
        "| --- | --- | --- | --- |",
        *(
            f"| {verb} | {', '.join(f'`{state}`' for state in move.sources)} | `{move.target}` | {move.by} |"
            for verb, move in table.parsed().items()
        ),
        "",
    ]
    return "\n".join(lines)


def _state_line(table: StateTable, state: str) -> str:
    moves = table.parsed().values()
    marks = []
    if not any(move.target == state for move in moves):
        marks.append("no move leads here")
    if not any(state in move.sources for move in moves):
        marks.append("final")
    return f"| `{state}` | {table.states(state).label} | {', '.join(marks)} |"
