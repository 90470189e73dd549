"""The checks of a protocol's parts, which the rooms that read them add."""

from leases.extension import ExtensionPoint
from protocols.declaration import Declaration, DeclarationProblem

# What is wrong with the parts that a room reads: its prompts, rubrics, scorers, measures.
part_problems: ExtensionPoint[[Declaration], list[DeclarationProblem]] = ExtensionPoint(
    "protocols.checking.part_problems"
)


def all_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """Those of the lowest room that finds any: the checks of higher rooms rely on the parts of lower ones."""
    found = (check(declaration) for check in part_problems.providers.values())
    return next(filter(None, found), [])
