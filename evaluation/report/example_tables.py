"""The tables that a protocol declares, as a report has them before there are responses. Pure."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from evaluation.report.score_sections import ShownTable, arranged, head_of
from evaluation.scorers.language import axes_of, axis_values, fits, listed, scored_prompts
from evaluation.statistics.score_tables import columns_of
from protocols.declaration import WIKICONTRADICT, Declaration, Entry
from protocols.example_record import ShownBlock

NO_FIGURE = "–"


def table_blocks(
    declaration: Declaration, record: Mapping[str, Any]
) -> dict[tuple[str, str], list[ShownBlock]]:
    """Each table without figures. They are of no record."""
    tables = () if declaration.name == WIKICONTRADICT else declaration.entries("table")
    return {("table", entry.name): [_block(declaration, entry)] for entry in tables}


def _block(declaration: Declaration, entry: Entry) -> ShownBlock:
    values = entry.values
    where = values.get("where", {})
    lines = _combinations(declaration, values["rows"], where)
    columns = columns_of(values, _combinations(declaration, values["columns"], where))
    table: Any = {**values, "lines": lines, "columns_shown": columns, "figures": []}
    order, axes = arranged(table)
    shown = ShownTable(entry.name, "", "", head_of(values["rows"]), axes, (), "")
    measures = declaration.named("measure")
    cells = [measures[name].values for name in values["cells"]]
    labels = [(cell.get("label") or cell["title"], 1) for cell in cells]
    of_axes = [[("", 1), *((of, n * len(cells)) for of, n in axis)] for axis in shown.heads]
    dashes = [NO_FIGURE] * len(order) * len(cells)
    return ShownBlock(
        "Without responses",
        head=[*of_axes, [(shown.head, 1), *labels * len(order)]],
        rows=[[" · ".join(line), *dashes] for line in lines],
    )


def _combinations(
    declaration: Declaration, axes: Sequence[str], where: Mapping[str, str | list[str]]
) -> list[tuple[str, ...]]:
    """What the lines or the columns may be, as far as prompts decide it. "Each model" stands for what responses say."""
    prompts = [axes_of(declaration, prompt) for prompt in scored_prompts(declaration)]
    fitting = [of for of in prompts if fits(where, of)]
    every = product(*(_values(declaration, axis, where) for axis in axes))
    return [
        one for one in every if any(fits(dict(zip(axes, one, strict=True)), of) for of in fitting)
    ]


def _values(declaration: Declaration, axis: str, where: Mapping[str, str | list[str]]) -> list[str]:
    if axis in where:
        return listed(where[axis])
    return axis_values(declaration, axis, where) or [f"Each {axis.replace('_', ' ')}"]
