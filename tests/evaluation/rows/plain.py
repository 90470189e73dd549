"""The hashed rows of verdicts as the database gives them, one by one: what evaluation/rows/hashing.py reads faster."""

import json

from django.db.models import Case, F, OuterRef, Q, TextField, Value, When, Window
from django.db.models.functions import Cast, DenseRank, Substr

from evaluation.counts.first_verdicts import first_judged
from evaluation.counts.judged import COLUMNS
from evaluation.rows.export import read_columns
from evaluation.rows.hashing import HASHED, KINDS, OF_ROUNDS
from judging.pool import on_own_question
from judging.states import SlotState

_GIVEN = Q(slots__judgment__first_verdict__isnull=False)
_JUDGED_AT = "slots__judgment__judged_at"
_NOT_JUDGED = Q(slots__state=SlotState.WITHDRAWN, slots__skip_reason="", slots__repeat=1)


def lines(study):
    """The lines, as bytes."""
    for values in _rows(study, KINDS["verdict"]):
        yield json.dumps(["verdict", *values], ensure_ascii=False).encode() + b"\n"


def _rows(study, names):
    columns = {name: COLUMNS[name] for name in HASHED}
    place = Window(
        DenseRank(),
        partition_by=[Case(When(_GIVEN, then=1), default=0)],
        order_by=[F(_JUDGED_AT).asc()],
    )
    columns |= {
        "article": COLUMNS["title"],
        "run": "response__run_id",
        "day": Substr(Cast(_JUDGED_AT, TextField()), 1, 10),
        "order": place,
        "not_judged": Case(When(_NOT_JUDGED, then=Value(1)), default=Value(0)),
        "own": "slots__pk",
        **{name: COLUMNS[name] for name in OF_ROUNDS},
    }
    columns = {name: columns[name] for name in names}
    numbers = {}
    runs = study.items.order_by("response__run_id").values_list("response__run_id", flat=True)
    run_numbers = {run: number for number, run in enumerate(runs.distinct())}
    mine = first_judged(study).filter(on_own_question(OuterRef("judge__person")))
    own = set(mine.values_list("pk", flat=True))
    for record in read_columns(study.items.all(), columns):
        record["article"] = numbers.setdefault(record["article"], len(numbers))
        record["run"] = run_numbers[record["run"]]
        record["own"] = record["own"] in own
        record["not_judged"] = bool(record["not_judged"])
        given = record["first_verdict"] is not None
        record["day"] = record["day"] if given else None
        record["order"] = record["order"] if given else None
        yield list(record.values())
