"""A study whose reports and exported files are the same bytes in every run, and those files.

`files.json` has the sha256 of each file. Written anew (only where a file is meant to change) by

    python -m pytest tests/evaluation/frozen/write.py
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from evaluation.charts.standalone import WIDTHS, room, standalone
from evaluation.counts.judged import COLUMNS
from evaluation.paper.latex import latex
from evaluation.report.display import FORMS, read_display
from evaluation.report.drawings import drawings
from evaluation.report.methods import methods_paragraph
from evaluation.rows import export
from evaluation.rows.hashing import hashed_lines
from evaluation.sections.study import study_report
from evaluation.tables.all_tables import OF_VERDICTS, sheet
from judging import rounds, rubric_versions, studies
from judging.files import studyfile
from judging.files.predictions import import_predictions
from judging.models import JudgingSlot, Judgment, Round, Study
from pages.data_responses import csv_lines
from tests.evaluation.factories import (
    INSTANCES,
    SCALE,
    exclude,
    judge_all,
    judged_study,
    resolve_all,
)
from tests.evaluation.frozen import FOLDER
from tests.judging import factories as judging

FILES = FOLDER / "files.json"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
REPLIES = (*SCALE, "partically correct", "?")


def study_of_two_rounds() -> Study:
    """Every verdict, three prompts, repeats, an excluded question, a third person, a judge model and two rounds."""
    run = judging.run(pk=1)  # its number decides the order of the responses
    abouts = [judging.instance(n, **INSTANCES[n % len(INSTANCES)]) for n in range(1, 11)]
    judging.responses(run, abouts)
    study = judged_study("alice", "bob", drawn_from=run, choose=_mixed, repeat_percent=10)
    resolve_all(study)
    exclude(study, 2)
    lines = "".join(f"{n},evaluation: {REPLIES[n % 5]}\n" for n in range(60))
    import_predictions(study, f"item,reply\n{lines}".encode(), "Elsewhere")
    studies.close_study(study)
    body = {**study.rubric.body, "title": "Clearer criteria"}
    version = rubric_versions.save(body, newest=1, by=study.created_by)
    plan = rounds.RoundPlan("Unclear.", version, True, [judging.judge(n) for n in ("dora", "emil")])
    again = rounds.JudgedAgain(prompts=["both-passages"])
    rounds.judge_again(study, again, plan, by=study.created_by)
    judge_all(Study.objects.get(pk=study.pk), _mixed)
    studies.close_study(Study.objects.get(pk=study.pk))
    _at_fixed_times(study)
    return Study.objects.get(pk=study.pk)


def _mixed(who: str, slot: JudgingSlot) -> str:
    """All three verdicts; bob and emil differ on every fifth response."""
    place = slot.item.position
    return SCALE[(place + (who in ("bob", "emil") and place % 5 == 0)) % 3]


def _at_fixed_times(study: Study) -> None:
    Round.objects.filter(study=study).update(opened_at=NOON, closed_at=NOON)
    judgments = Judgment.objects.filter(slot__round__study=study).order_by(
        "slot__round__n", "slot__item__position", "slot__seat", "slot__repeat"
    )
    for n, judgment in enumerate(judgments):
        Judgment.objects.filter(pk=judgment.pk).update(judged_at=NOON + timedelta(hours=n))


def files_of(study: Study) -> Iterator[tuple[str, str]]:
    """Name and text of all that can be downloaded of a study but pictures and zips, which are made of these."""
    report = _numbered(study_report(study))
    yield "report.json", json.dumps(report, ensure_ascii=False, allow_nan=False)
    yield "rows.jsonl", b"".join(hashed_lines(study)).decode()
    rows = export.records(study.items.all())
    yield "rows.csv", "".join(csv_lines(list(COLUMNS), (row.values() for row in rows)))
    yield "study.json", "".join(studyfile.json_chunks(study))
    yield "study.csv", "".join(studyfile.csv_chunks(study))
    for name in OF_VERDICTS:
        yield f"{name}.csv", "".join(csv_lines(*sheet(report, name)))
    for form in FORMS:
        yield f"{form}.tex", latex(report, read_display({"form": form}, report))
    yield "methods.txt", methods_paragraph(report)
    for width in WIDTHS:
        for key, drawing in drawings(report, wide=room(width)).items():
            yield f"{key}-{width}.svg", standalone(drawing.svg, width)


def _numbered(value: Any, where: str = "", seen: dict[str, list[int]] | None = None) -> Any:
    """The report with its keys to rows counted from 1, in the order in which each kind comes."""
    seen = {} if seen is None else seen
    if isinstance(value, list):
        return [_numbered(entry, where, seen) for entry in value]
    if not isinstance(value, dict):
        return value
    numbered = {name: _numbered(entry, name, seen) for name, entry in value.items()}
    if key := value.get("id"):
        of_kind = seen.setdefault(where, [])
        of_kind.extend([key] if key not in of_kind else [])
        numbered["id"] = of_kind.index(key) + 1
    return numbered
