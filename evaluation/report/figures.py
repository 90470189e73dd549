"""Numbers as a report's page shows them. Pure."""

from dataclasses import dataclass
from urllib.parse import urlencode

from evaluation.shapes.study_report import Report
from evaluation.statistics.tables import UNLABELLED, UNPARSED


@dataclass(frozen=True)
class Figure:
    """One number of a page: its text, its interval, why it is missing, and the query of the rows it counts.

    `second` is another interval, by another method. Where `value` is a count of `of`, `whole` is the query of
    all these rows.
    """

    value: str
    interval: str = ""
    reason: str = ""
    query: str = ""
    share: str = ""
    second: str = ""
    of: str = ""
    whole: str = ""


def query(**parts: object) -> str:
    """The query of the page of rows (evaluation.rows.choice.ResponseChoice), empty parts left out."""
    return "?" + urlencode(
        {name: value for name, value in parts.items() if value not in ("", None)}
    )


def verdict_labels(report: Report) -> dict[str, str]:
    """Each verdict as shown."""
    known = {verdict["key"]: verdict["label"] for verdict in report["verdicts"]}
    return {**known, UNLABELLED: "No verdict", UNPARSED: "Reply without one"}
