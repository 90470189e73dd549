"""Judge models' replies as a table: one row a reply, as it was received."""

from collections.abc import Iterator
from typing import Any

from django.db.models import OuterRef, Subquery, Value
from django.db.models.expressions import Combinable

from evaluation.counts.machine_verdicts import REPLIES
from evaluation.rows.choice import ResponseChoice, chosen, named
from judging.clusters import cluster_at
from judging.machine.scope import COUNTS, ITSELF, halves_of
from judging.models import JudgeCall, MachineVerdict, Study
from judging.rules.halves import DEVELOPMENT, HELD_OUT

_ITEM = "item__response__"
_TITLE = f"{_ITEM}instance__contradiction__title"
_LAST = JudgeCall.objects.filter(machine_verdict=OuterRef("pk")).order_by("-n")
# Column of replies.csv -> where it is, seen from a machine verdict. The first ones name the response as rows.csv does.
COLUMNS: dict[str, str | Combinable] = {
    "item": "item__position",
    "contradiction": f"{_ITEM}instance__contradiction__external_id",
    "title": _TITLE,
    "question_number": f"{_ITEM}instance__n",
    "prompt": f"{_ITEM}prompt",
    "model_service": f"{_ITEM}model__service",
    "model": f"{_ITEM}model__model_id",
    "sample": f"{_ITEM}sample",
    # What people said comes first.
    "final_verdict": "item__resolution__verdict",
    "judge": "judge__pseudonym",
    "judge_prompt": "judge__prompt__version",
    "rubric": "rubric__version",
    "counts": COUNTS,
    "itself": ITSELF,
    "half": Value(""),
    "verdict": "verdict",
    "holds": "holds",
    "spelling": Subquery(_LAST.values("spelling")[:1]),
    "reply": Subquery(_LAST.values("reply")[:1]),
}
_KNOWN = {True: "yes", False: "no", None: ""}


def replies(study: Study, choice: ResponseChoice) -> Iterator[list[Any]]:
    """The replies that the choice names, on the responses that it keeps."""
    held_out = halves_of(study).held_out
    items = chosen(study, choice).order_by()
    rows = named(choice, MachineVerdict.objects.filter(item__in=items, state__in=REPLIES))
    rows = rows.order_by("item__position", "judge__pseudonym", "pk")
    cluster = cluster_at(study, "item__")
    for *values, of in rows.values_list(*COLUMNS.values(), cluster).iterator(chunk_size=500):
        record = dict(zip(COLUMNS, values, strict=True))
        record |= {name: _KNOWN[record[name]] for name in ("counts", "itself")}
        record["half"] = HELD_OUT if of in held_out else DEVELOPMENT
        yield list(record.values())
