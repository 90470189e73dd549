"""Numbers as a report's page shows them. Pure."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from evaluation.tables import UNLABELLED, UNPARSED

Report = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """One number of a page: its text, its interval, why it is missing, and the query of the rows it counts.

    `beside` is a second interval, by another method. Where `value` is a count of `of`, `whole` is the query of
    all these rows.
    """

    value: str
    interval: str = ""
    reason: str = ""
    query: str = ""
    share: str = ""
    beside: str = ""
    of: str = ""
    whole: str = ""


def query(**parts: object) -> str:
    """The query of the page of rows (evaluation.rows.Choice), empty parts left out."""
    return "?" + urlencode(
        {name: value for name, value in parts.items() if value not in ("", None)}
    )


def verdict_labels(report: Report) -> dict[str, str]:
    """Each verdict as shown."""
    known = {verdict["key"]: verdict["label"] for verdict in report["verdicts"]}
    return {**known, UNLABELLED: "No verdict", UNPARSED: "Reply without one"}
