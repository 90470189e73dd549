"""The tables that a protocol declares, as a report has them before there are responses. Pure."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from evaluation.scorers import kinds
from evaluation.scorers.language import axes_of, axis_values, fits, listed, scored_prompts
from evaluation.statistics.score_tables import columns_of
from evaluation.tables.scores import arranged, heads_of
from evaluation.tables.table import Table
from protocols.declaration import WIKICONTRADICT, Declaration, Entry
from protocols.example_record import ShownBlock

NO_FIGURE = "–"


def table_blocks(
    declaration: Declaration, record: Mapping[str, Any]
) -> dict[tuple[str, str], list[ShownBlock]]:
    """Each table without figures, of scores and of people next to a scorer. They are of no record."""
    if declaration.name == WIKICONTRADICT:
        return {}
    tables = {
        ("table", entry.name): [_block(declaration, entry)]
        for entry in declaration.entries("table")
    }
    compared = {
        ("validation", entry.name): [_compared(declaration, entry)]
        for entry in declaration.entries("validation")
    }
    return tables | compared


def _block(declaration: Declaration, entry: Entry) -> ShownBlock:
    values = entry.values
    where = values.get("where", {})
    lines = _combinations(declaration, values["rows"], where)
    columns = columns_of(values, _combinations(declaration, values["columns"], where))
    table: Any = {**values, "lines": lines, "columns_shown": columns, "figures": []}
    order, of_columns = arranged(table)
    shown = Table(entry.name, "", heads_of(values["rows"]), of_columns, ())
    measures = declaration.named("measure")
    cells = [measures[name].values for name in values["cells"]]
    labels = [(cell.get("label") or cell["title"], 1) for cell in cells]
    of_axes = [[("", 1), *((of, n * len(cells)) for of, n in axis)] for axis in shown.over]
    dashes = [NO_FIGURE] * len(order) * len(cells)
    return ShownBlock(
        "Without responses",
        head=[*of_axes, [(", ".join(shown.heads), 1), *labels * len(order)]],
        rows=[[" · ".join(line), *dashes] for line in lines],
    )


def _compared(declaration: Declaration, entry: Entry) -> ShownBlock:
    """People's labels in rows, those of a scorer in columns."""
    sides = [declaration.named("scorer")[entry.values[side]] for side in ("people", "scorer")]
    given = [kinds.of(scorer.values).labels(declaration, scorer) for scorer in sides]
    labels = list(dict.fromkeys([*given[0], *given[1]]))
    return ShownBlock(
        "Without responses",
        head=[[("People", 1), *((f"{entry.values['scorer']}: {one}", 1) for one in labels)]],
        rows=[[one, *[NO_FIGURE] * len(labels)] for one in labels],
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
