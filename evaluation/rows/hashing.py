"""The rows that a report is computed from, as hashed and as its zip holds them.

The hash of a report is over the columns of its own format: FORMATS has them all, and a new column makes a new format.
So a report that was frozen before a column was added is compared by the columns of then, and has not changed.

The same verdicts give the same lines in every database: no row id is in them, and articles, runs and the order of
verdicts are numbered in the order in which a study has them.
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from django.db.models import (
    Case,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    Window,
)
from django.db.models.functions import DenseRank

from evaluation.annotators.campaign import COMPARED, TAGGED, annotated_tags, comparison_rows
from evaluation.archive.bundles import RowsOf
from evaluation.counts.first_verdicts import day_of, first_judged
from evaluation.counts.naming import model_names, models_of
from evaluation.report.shapes import ROWS_FORMAT, Report
from evaluation.rows.export import COLUMNS, read
from judging.models import Judge, JudgeCall, MachineVerdict, Study
from judging.pool import on_own_question
from judging.states import MachineState, SlotState

# Texts that no number depends on.
NOT_HASHED = {"title", "question", "response", "comment", "seconds", "cause", "note"}
OF_ROUNDS = ["round_verdict", "final_round"]
HASHED = [name for name in COLUMNS if name not in NOT_HASHED | {*OF_ROUNDS}]
VERDICT, REPLY, COMPARISON, TAG, JUDGE = KINDS = ("verdict", "reply", "comparison", "tag", "judge")
# Format -> kind of row -> its columns. A row of format 1 is known by how many columns it has, a later one by its kind.
_WHOLE = [*HASHED, "article", "run", "day", "order", "not_judged", "own"]
FORMATS: dict[int, dict[str, list[str]]] = {
    1: {
        VERDICT: HASHED,
        REPLY: ["item", "judge", "state", "verdict"],
        COMPARISON: COMPARED,
    },
    2: {
        VERDICT: _WHOLE,
        REPLY: ["item", "judge", "state", "verdict", "spelling"],
        COMPARISON: COMPARED,
        TAG: TAGGED,
        JUDGE: ["judge"],
    },
}
# With what each round ended with, and which one is final.
FORMATS[3] = {**FORMATS[2], VERDICT: [*_WHOLE, *OF_ROUNDS]}
_REPLY = {"item": "item__position", "judge": "judge__pseudonym"}
_SPELLING = (
    JudgeCall.objects.filter(machine_verdict=OuterRef("pk"))
    .exclude(spelling="")
    .order_by("-n")
    .values("spelling")[:1]
)
REPLIES = [MachineState.JUDGED, MachineState.UNPARSED]
# One encoder: json.dumps makes another for each row.
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_GIVEN = Q(slots__judgment__first_verdict__isnull=False)
_JUDGED_AT = "slots__judgment__judged_at"
# As NOT_JUDGED of judging/settling.py, seen from a study's item.
_NOT_JUDGED = Q(slots__state=SlotState.WITHDRAWN, slots__skip_reason="", slots__repeat=1)


def format_of(report: Report | None) -> int:
    """The format of a report's rows; None: of those that a report made now has."""
    return report["snapshot"].get("rows_format", 1) if report else ROWS_FORMAT


def hashed_lines(study: Study, report: Report | None = None) -> Iterator[bytes]:
    """All that a report of the study is computed from, a JSON list a line, by the format of `report`.

    The annotators are those of the campaigns that `report` has numbers of (None: of the closed ones).
    """
    number = format_of(report)
    kinds = FORMATS[number]
    rows: dict[str, Iterator[list[Any]]] = {
        VERDICT: _verdicts(study, kinds[VERDICT]),
        REPLY: _replies(study, number),
        COMPARISON: map(list, comparison_rows(study, report)),
        TAG: map(list, annotated_tags(study, report)),
        JUDGE: _judges(study),
    }
    for values in chain.from_iterable(_of_kind(kind, rows[kind], number) for kind in kinds):
        yield _encoded(values).encode("utf-8") + b"\n"


def _of_kind(kind: str, rows: Iterator[list[Any]], number: int) -> Iterator[list[Any]]:
    return rows if number == 1 else ([kind, *values] for values in rows)


def rows_of(study: Study, report: Report | None = None) -> RowsOf:
    """How to read the study's hashed lines: their columns, and what a report calls the models that they name."""
    models = models_of(study)
    names = model_names(models)
    number = format_of(report)
    return {
        "rows_format": number,
        "columns": FORMATS[number],
        "models": [
            {
                "service": model.service,
                "model": model.model_id,
                "options": model.options_hash,
                "name": names[model.pk],
            }
            for model in models
        ],
    }


def digest(study: Study, report: Report | None = None) -> tuple[str, int]:
    """sha256 (hex) over the hashed lines, and how many they are."""
    sha256, count = hashlib.sha256(), 0
    for line in hashed_lines(study, report):
        sha256.update(line)
        count += 1
    return sha256.hexdigest(), count


# ---------------------------------------------------------------- rows of each kind


def _verdicts(study: Study, names: list[str]) -> Iterator[list[Any]]:
    """A row for each slot, one for a response without any."""
    columns: dict[str, Any] = {name: COLUMNS[name] for name in HASHED}
    if names == HASHED:
        yield from (list(record.values()) for record in read(study.items.all(), columns))
        return
    # The places of first verdicts among each other; the rest is apart, or a draft would change them all.
    place = Window(
        DenseRank(),
        partition_by=[Case(When(_GIVEN, then=1), default=0)],
        order_by=[F(_JUDGED_AT).asc()],
    )
    closed_early = Case(When(_NOT_JUDGED, then=Value(1)), default=Value(0))
    columns |= {
        "article": COLUMNS["title"],
        "run": "response__run_id",
        "day": day_of(_JUDGED_AT),
        "order": place,
        "not_judged": closed_early,
        "own": "slots__pk",
        **{name: COLUMNS[name] for name in OF_ROUNDS},
    }
    columns = {name: columns[name] for name in names}
    numbers: dict[str, int] = {}
    runs = study.items.order_by("response__run_id").values_list("response__run_id", flat=True)
    run_numbers = {run: number for number, run in enumerate(runs.distinct())}
    own = set(
        first_judged(study)
        .filter(on_own_question(OuterRef("judge__person")))
        .values_list("pk", flat=True)
    )
    for record in read(study.items.all(), columns):
        record["article"] = numbers.setdefault(record["article"], len(numbers))
        record["run"] = run_numbers[record["run"]]
        record["own"] = record["own"] in own
        record["not_judged"] = bool(record["not_judged"])
        given = record["first_verdict"] is not None
        record["day"] = record["day"] if given else None
        record["order"] = record["order"] if given else None
        yield list(record.values())


def _replies(study: Study, number: int) -> Iterator[list[Any]]:
    """Judge models' verdicts, by response and judge."""
    rows = MachineVerdict.objects.filter(judge__study=study)
    if number == 1:  # what waits or failed is not in it
        rows = rows.filter(state__in=REPLIES)
    columns = [*_REPLY.values(), "state", "verdict"]
    if number > 1:
        rows, columns = rows.annotate(spelling=Subquery(_SPELLING)), [*columns, "spelling"]
    values_of = rows.order_by("item__position").values_list(*columns)
    for _, of_item in groupby(values_of.iterator(chunk_size=2000), key=itemgetter(0)):
        # Names in an order of our own: databases do not agree on that of small and capital letters.
        yield from map(list, sorted(of_item, key=itemgetter(1)))


def _judges(study: Study) -> Iterator[list[Any]]:
    """The people that a report counts as judges."""
    return ([name] for name in sorted(judging_people(study).values_list("pseudonym", flat=True)))


def judging_people(study: Study) -> QuerySet[Judge]:
    """The people who judge; of those who draw from a pool, those who have a first verdict in it."""
    people = study.judges.filter(person__isnull=False)
    if study.pairing == Study.Pairing.POOL:
        people = people.filter(pk__in=first_judged(study).values("judge"))
    return people
