"""The keys and the checks of a protocol's parts, which the rooms that read them add."""

from collections.abc import Mapping

from leases.extension import ExtensionPoint
from protocols.declaration import Declaration, DeclarationProblem
from protocols.entry_keys import Key

# The keys of the tables that a room reads: of a part, and as "rubric.verdicts" of the tables in it.
key_tables: ExtensionPoint[[], Mapping[str, Mapping[str, Key]]] = ExtensionPoint(
    "protocols.checking.key_tables"
)
# What is wrong with the parts that a room reads: its prompts, rubrics, scorers, measures.
part_problems: ExtensionPoint[[Declaration], list[DeclarationProblem]] = ExtensionPoint(
    "protocols.checking.part_problems"
)


def part_keys() -> dict[str, Mapping[str, Key]]:
    """The tables of all rooms, in the order in which the rooms were started."""
    return {name: keys for tables in key_tables() for name, keys in tables.items()}


def all_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """Those of the lowest room that finds any: the checks of higher rooms rely on the parts of lower ones."""
    found = (check(declaration) for check in part_problems.providers.values())
    return next(filter(None, found), [])
