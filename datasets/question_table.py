"""The published table of questions: its columns, and the lines of a record. Pure.

On a page the first question comes last, as published; numbers go over the whole file in page order.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from datasets.contexts import context_1, context_2, is_same, merged_context
from datasets.schema import DIFFERENT, SAME, Slot
from datasets.taxonomy import IMPLICIT

HEADER = (
    "question_ID", "question", "context1", "context2", "answer1", "answer2", "contradictType",
    "samepassage", "merged_context", "ref_answer", "WikipediaArticleTitle", "url",
)  # fmt: skip
# What is said of a CSV file whose cells are as they were published.
AS_TEXT = (
    "Cells are not guarded against formulas (=, +, -, @): to look at it in a spreadsheet, import it as CSV in UTF-8 "
    "with all columns as text."
)


def lines_of_record(
    columns: Mapping[str, Any], questions: Sequence[Slot], first: int
) -> list[tuple[object, ...]]:
    """A line for each question; `first` is the number of the first."""
    held = SimpleNamespace(**columns)
    about = (
        # The published table calls the two pages without a type implicit.
        held.type_4 or IMPLICIT,
        SAME if is_same(held) else DIFFERENT,
        merged_context(held),
    )
    lines: list[tuple[object, ...]] = [
        (
            *(number, asked.question, context_1(held), context_2(held)),
            *(asked.answer_1 or "", asked.answer_2 or "", *about),
            *(f"{asked.answer_1 or ''}|{asked.answer_2 or ''}", held.title, held.url),
        )
        for number, asked in enumerate(questions, first)
    ]
    return [*lines[1:], lines[0]] if lines and questions[0].n == 1 else lines
