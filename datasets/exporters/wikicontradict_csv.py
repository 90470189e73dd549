"""Export as the published question table: one line for each question, UTF-8, line feeds, quotes where needed."""

import csv
import io
from collections.abc import Iterable, Iterator

from datasets.question_table import AS_TEXT, HEADER, lines_of_record
from datasets.streaming import StreamedRow


class WikiContradictCsv:
    """The questions numbered over the collection in page order; on a page the first question comes last.

    Cells are as published, not guarded against spreadsheet formulas: the file must be equal byte for byte.
    """

    name = "wikicontradict-csv"
    label = "WikiContradict questions (CSV)"
    suffix = "-questions.csv"
    holds = (
        f"A line for each question with its passages and answers, as the published table. {AS_TEXT}"
    )
    leaves_out = "excluded questions, claims, spans, comments, and tags without a question."
    loads = 'questions = list(csv.DictReader(open("{name}", encoding="utf-8-sig", newline="")))'
    content_type = "text/csv; charset=utf-8"

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a contradiction at a time."""
        yield _text([HEADER])
        numbered = 0
        for row in rows:
            lines = lines_of_record(row.columns, row.questions, numbered + 1)
            numbered += len(lines)
            yield _text(lines)


def _text(lines: Iterable[Iterable[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()
