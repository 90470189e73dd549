"""The rows of a zip, read by their columns."""

import json
from dataclasses import dataclass, field
from typing import Any

from .findings import Data

VERDICT, REPLY, COMPARISON, TAG, JUDGE, ARTICLE = (
    "verdict",
    "reply",
    "comparison",
    "tag",
    "judge",
    "article",
)


@dataclass
class Rows:
    """Each kind of rows. `number` is how many there are of all kinds; `format` is that of the rows.

    Rows of format 1 name no article and no time: no interval and no part of the work follows from them.
    """

    format: int
    number: int = 0
    of_kind: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """One row for each judge and response, one for a response without any judge."""
        return self.of_kind.get(VERDICT, [])

    @property
    def replies(self) -> list[dict[str, Any]]:
        """One row for each judge model, response and version of the rubric."""
        return self.of_kind.get(REPLY, [])

    @property
    def held_out(self) -> set[Any]:
        """The articles of the held-out half; its other rows are those of the development half."""
        return {row["article"] for row in self.of_kind.get(ARTICLE, []) if row["held_out"]}

    @property
    def articles(self) -> list[dict[str, Any]]:
        """One row for each article."""
        return self.of_kind.get(ARTICLE, [])

    @property
    def comparisons(self) -> list[dict[str, Any]]:
        """One row for every two annotations of a tag."""
        return self.of_kind.get(COMPARISON, [])

    @property
    def tags(self) -> list[dict[str, Any]]:
        """One row for each tag with an annotation."""
        return self.of_kind.get(TAG, [])

    @property
    def judges(self) -> list[dict[str, Any]]:
        """One row for each person who judges."""
        return self.of_kind.get(JUDGE, [])

    @property
    def items(self) -> list[dict[str, Any]]:
        """The first row of each response: all that does not depend on the judge."""
        return list({row["item"]: row for row in reversed(self.verdicts)}.values())[::-1]

    @property
    def are_whole(self) -> bool:
        return self.format > 1


def read_rows(data: bytes, manifest: Data) -> Rows:
    """Each row as a dict; "model" becomes the name by which the report calls it."""
    names = {(m["service"], m["model"], m["options"]): m["name"] for m in manifest["models"]}
    rows = Rows(manifest["rows_format"])
    for line in data.decode("utf-8").split("\n")[:-1]:
        kind, row = read_row(json.loads(line), manifest)
        if kind == VERDICT:
            row["model"] = names[row["model_service"], row["model"], row["model_options"]]
        rows.of_kind.setdefault(kind, []).append(row)
        rows.number += 1
    return rows


def read_row(values: list[Any], manifest: Data) -> tuple[str, dict[str, Any]]:
    """The kind of a row and its values by column. In format 1 kinds differ by their number of columns alone."""
    columns = manifest["columns"]
    if manifest["rows_format"] > 1:
        kind, *values = values
    else:
        others = [k for k in (REPLY, COMPARISON) if len(columns[k]) == len(values)]
        kind = others[0] if others else VERDICT
    return kind, dict(zip(columns[kind], values, strict=True))
