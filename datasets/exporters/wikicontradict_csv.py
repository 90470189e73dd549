"""Export as the published question table: one line for each question, UTF-8, line feeds, quotes where needed."""

import csv
import io
from collections.abc import Iterable, Iterator
from types import SimpleNamespace

from datasets.contexts import context_1, context_2, is_same, merged_context
from datasets.schema import DIFFERENT, SAME
from datasets.streaming import StreamedRow
from datasets.taxonomy import IMPLICIT

HEADER = (
    "question_ID", "question", "context1", "context2", "answer1", "answer2", "contradictType",
    "samepassage", "merged_context", "ref_answer", "WikipediaArticleTitle", "url",
)  # fmt: skip


class WikiContradictCsv:
    """The questions numbered over the collection in page order; on a page the first question comes last.

    Cells are as published, not guarded against spreadsheet formulas: the file must be equal byte for byte.
    """

    name = "wikicontradict-csv"
    label = "WikiContradict questions (CSV)"
    suffix = "-questions.csv"
    holds = (
        "A line for each question with its passages and answers, as the published table. Cells are not guarded against "
        "formulas: open it in a spreadsheet as text."
    )
    leaves_out = "excluded questions, claims, spans, comments, and tags without a question."
    loads = 'questions = list(csv.DictReader(open("{name}", encoding="utf-8", newline="")))'
    content_type = "text/csv; charset=utf-8"

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a contradiction at a time."""
        yield _text([HEADER])
        numbered = 0
        for row in rows:
            lines = list(_lines(row, numbered + 1))
            numbered += len(lines)
            if lines and row.questions[0].n == 1:
                lines = [*lines[1:], lines[0]]
            yield _text(lines)


def _lines(row: StreamedRow, first: int) -> Iterator[tuple[object, ...]]:
    """A line for each question; `first` is the number of the first."""
    columns = SimpleNamespace(**row.columns)
    about = (
        # The published table calls the two pages without a type implicit.
        columns.type_4 or IMPLICIT,
        SAME if is_same(columns) else DIFFERENT,
        merged_context(columns),
    )
    for number, asked in enumerate(row.questions, first):
        answer_1, answer_2 = asked.answer_1 or "", asked.answer_2 or ""
        yield (
            *(number, asked.question, context_1(columns), context_2(columns), answer_1, answer_2),
            *(*about, f"{answer_1}|{answer_2}", columns.title, columns.url),
        )


def _text(lines: Iterable[Iterable[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()
