"""Export as the published question table: one line for each question, UTF-8, line feeds, quotes where needed."""

import csv
import io
from collections.abc import Iterable, Iterator

from datasets.contexts import context_1, context_2, is_same, merged_context
from datasets.models import Contradiction, Instance
from datasets.schema import DIFFERENT, SAME
from datasets.taxonomy import IMPLICIT

HEADER = (
    "question_ID",
    "question",
    "context1",
    "context2",
    "answer1",
    "answer2",
    "contradictType",
    "samepassage",
    "merged_context",
    "ref_answer",
    "WikipediaArticleTitle",
    "url",
)


class WikiContradictCsv:
    """The questions numbered over the collection in page order; on a page the first question comes last.

    Cells are as published, not guarded against spreadsheet formulas: the file must be equal byte for byte.
    """

    name = "wikicontradict-csv"
    label = "WikiContradict questions (CSV)"
    suffix = ".csv"
    content_type = "text/csv; charset=utf-8"

    def chunks(self, contradictions: Iterable[Contradiction]) -> Iterator[str]:
        """The file's text, a contradiction at a time."""
        yield _text([HEADER])
        numbered = 0
        for contradiction in contradictions:
            instances = sorted(contradiction.instances.all(), key=lambda one: one.n)
            lines = [
                _line(number, contradiction, instance)
                for number, instance in enumerate(instances, numbered + 1)
            ]
            numbered += len(instances)
            if instances and instances[0].n == 1:
                lines = [*lines[1:], lines[0]]
            yield _text(lines)


def _line(number: int, contradiction: Contradiction, instance: Instance) -> tuple[object, ...]:
    answer_1, answer_2 = instance.answer_1 or "", instance.answer_2 or ""
    return (
        number,
        instance.question,
        context_1(contradiction),
        context_2(contradiction),
        answer_1,
        answer_2,
        # The published table calls the two pages without a type implicit.
        contradiction.type_4 or IMPLICIT,
        SAME if is_same(contradiction) else DIFFERENT,
        merged_context(contradiction),
        f"{answer_1}|{answer_2}",
        contradiction.title,
        contradiction.url,
    )


def _text(lines: Iterable[Iterable[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()
