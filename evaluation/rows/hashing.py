"""The rows that a report is computed from, as hashed and as its zip holds them.

The hash of a report is over the columns of its own format: FORMATS has them all, and a new column makes a new format.
So a report that was frozen before a column was added is compared by the columns of then, and has not changed.

The same verdicts give the same lines in every database: no row id is in them, and articles, runs and the order of
verdicts are numbered in the order in which a study has them.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any

from django.db.models import Min, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat

from datasets.contexts import reasoning
from evaluation.annotators.campaign import COMPARED, TAGGED, annotated_tags, comparison_rows
from evaluation.archive.bundles import RowsOf
from evaluation.counts.first_verdicts import first_judged, own_verdicts
from evaluation.counts.machine_verdicts import REPLIES
from evaluation.counts.naming import model_names, models_of
from evaluation.report.shapes import ROWS_FORMAT, Report
from evaluation.rows.export import COLUMNS, ORDER
from judging.machine.scope import COUNTS, ITSELF, by_version, halves_of
from judging.models import (
    Judge,
    JudgeCall,
    Judgment,
    MachineVerdict,
    Resolution,
    Study,
)
from judging.states import SlotState

# Texts that no number depends on.
NOT_HASHED = {"title", "question", "response", "comment", "seconds", "cause", "note"}
OF_ROUNDS = ["round_verdict", "final_round"]
HASHED = [name for name in COLUMNS if name not in NOT_HASHED | {*OF_ROUNDS}]
VERDICT, REPLY, COMPARISON, TAG, JUDGE, ARTICLE = (
    "verdict", "reply", "comparison", "tag", "judge", "article",
)  # fmt: skip
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
# With what replies hold, by which version they were asked, whether that one counts, whether the judge model judged
# itself (null: not known), and the half of each article.
_JUDGED_AS = ["holds", "rubric", "counts", "itself"]
FORMATS[4] = {
    **FORMATS[3],
    REPLY: [*FORMATS[3][REPLY], *_JUDGED_AS],
    ARTICLE: ["article", "held_out"],
}
_SPELLING = (
    JudgeCall.objects.filter(machine_verdict=OuterRef("pk"))
    .exclude(spelling="")
    .order_by("-n")
    .values("spelling")[:1]
)
# Column -> where it is, seen from a machine verdict.
_REPLY: dict[str, str | Combinable] = {
    "item": "item__position",
    "judge": "judge__pseudonym",
    "state": "state",
    "verdict": "verdict",
    "spelling": Subquery(_SPELLING),
    "holds": "holds",
    "rubric": Concat("rubric__name", Value(" v"), "rubric__version", output_field=TextField()),
    "counts": COUNTS,
    "itself": ITSELF,
}
# One encoder: json.dumps makes another each time. Rows go through it in pieces, with a cell between two that no row
# can hold: an object, whose quotation marks a text could only have escaped.
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_PIECE = 1_000
_BETWEEN = {"": 0}
_SEAM = f", {_encoded(_BETWEEN)}, "
# As NOT_JUDGED of judging/settling.py: the state, the reason and the repeat of a slot that nobody came to.
_NOT_JUDGED = (SlotState.WITHDRAWN, "", 1)


def format_of(report: Report | None) -> int:
    """The format of a report's rows; None: of those that a report made now has."""
    return report["snapshot"].get("rows_format", 1) if report else ROWS_FORMAT


def _pieces(study: Study, report: Report | None) -> Iterator[list[list[Any]]]:
    """The rows in pieces, by the format of `report`."""
    number = format_of(report)
    kinds = FORMATS[number]
    articles: dict[str, int] = {}
    rows: dict[str, Iterator[list[Any]]] = {
        VERDICT: _verdicts(study, kinds[VERDICT], articles),
        REPLY: _replies(study, number),
        COMPARISON: map(list, comparison_rows(study, report)),
        TAG: map(list, annotated_tags(study, report)),
        JUDGE: _judges(study),
        ARTICLE: _articles(study, articles),
    }
    every = chain.from_iterable(_of_kind(kind, rows[kind], number) for kind in kinds)
    while piece := list(islice(every, _PIECE)):
        yield piece


def _of_kind(kind: str, rows: Iterator[list[Any]], number: int) -> Iterator[list[Any]]:
    return rows if number == 1 else ([kind, *values] for values in rows)


def _text(piece: Sequence[list[Any]]) -> str:
    """The rows as JSON, a line each."""
    parts: list[Any] = [_BETWEEN] * (2 * len(piece) - 1)
    parts[::2] = piece
    return _encoded(parts)[1:-1].replace(_SEAM, "\n") + "\n"


def hashed_lines(study: Study, report: Report | None = None) -> Iterator[bytes]:
    """All that a report of the study is computed from, a JSON list a line, by the format of `report`.

    The annotators are those of the campaigns that `report` has numbers of (None: of the closed ones).
    """
    for piece in _pieces(study, report):
        yield from (line.encode("utf-8") + b"\n" for line in _text(piece).split("\n")[:-1])


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
    for piece in _pieces(study, report):
        sha256.update(_text(piece).encode("utf-8"))
        count += len(piece)
    return sha256.hexdigest(), count


# ---------------------------------------------------------------- rows of each kind


# What a row is made of besides its columns, seen from a study's item. Read as they are stored: an expression in the
# query, a key or a time costs several times as much for each row as the rest of it.
_RAW = {
    "article": COLUMNS["title"],
    "run": "response__run_id",
    "day": Cast("slots__judgment__judged_at", TextField()),
    "own": "slots__pk",
    "not_judged": "slots__state",
}
_DERIVED = {"order", "round_verdict"}


def _verdicts(study: Study, names: list[str], articles: dict[str, int]) -> Iterator[list[Any]]:
    """A row for each slot, one for a response without any; `articles` gets a number for each title."""
    own = set(own_verdicts(study).values_list("pk", flat=True)) if "own" in names else set()
    places = _places(study) if "order" in names else {}
    ended = _ended(study) if "round_verdict" in names else {}
    runs = _runs(study) if "run" in names else {}
    kinds: dict[str | None, str] = {}
    is_pool = study.pairing == Study.Pairing.POOL
    read = [name for name in names if name not in _DERIVED and (name != "own" or own)]
    columns = [_RAW.get(name) or COLUMNS[name] for name in read]
    at = {name: place for place, name in enumerate(read)}
    reason = len(columns)
    rows = study.items.order_by(*ORDER).values_list(*columns, "slots__skip_reason")
    for values in rows.iterator(chunk_size=2000):
        verdict, n = values[at["first_verdict"]], values[at["round"]]
        given = verdict is not None
        kind = values[at["reasoning"]]
        if kind not in kinds:
            kinds[kind] = reasoning(kind).value
        made: dict[str, Any] = {
            "reasoning": kinds[kind],
            "excluded": values[at["excluded"]] is not None,
        }
        # Who holds a slot that was drawn from a pool changes all the time.
        if is_pool and not given:
            made["judge"] = None
        if "article" in at:
            state = values[at["not_judged"]], values[reason], values[at["repeat"]]
            moment = values[at["day"]]
            made |= {
                "article": articles.setdefault(values[at["article"]], len(articles)),
                "run": runs[values[at["run"]]],
                "day": moment[:10] if given else None,
                "order": places[moment] if given else None,
                "not_judged": state == _NOT_JUDGED,
                "own": bool(own) and values[at["own"]] in own,
                "round_verdict": ended.get((values[at["item"]], n)),
            }
        yield [made[name] if name in made else values[at[name]] for name in names]


def _places(study: Study) -> dict[str, int]:
    """The place of each moment of a first verdict among all."""
    given = Judgment.objects.filter(slot__round__study=study, first_verdict__isnull=False)
    moments = given.order_by().values_list(Cast("judged_at", TextField()), flat=True)
    # Texts of one form sort as the moments do, with fractions of a second and without.
    return {moment: place for place, moment in enumerate(sorted(set(moments)), start=1)}


def _ended(study: Study) -> dict[tuple[int, int], str]:
    """What a round ended with on an item, by the item's position and the round's number."""
    rows = Resolution.objects.filter(round__study=study).order_by()
    columns = ("item__position", "round__n", "verdict")
    return {(position, n): verdict for position, n, verdict in rows.values_list(*columns)}


def _runs(study: Study) -> dict[int, int]:
    """The number of each run."""
    runs = study.items.order_by("response__run_id").values_list("response__run_id", flat=True)
    return {run: number for number, run in enumerate(runs.distinct())}


def _replies(study: Study, number: int) -> Iterator[list[Any]]:
    """Judge models' verdicts, by response and judge."""
    rows = by_version(MachineVerdict.objects.filter(judge__study=study))
    if number < 4:  # from when a judge model had one on a response
        rows = rows.filter(pk__in=_first_asked(study))
    if number == 1:  # what waits or failed is not in it
        rows = rows.filter(state__in=REPLIES)
    columns = FORMATS[number][REPLY]
    values_of = rows.order_by("item__position").values_list(*(_REPLY[name] for name in columns))
    for _, of_item in groupby(values_of.iterator(chunk_size=2000), key=itemgetter(0)):
        # Names in an order of our own: databases do not agree on that of small and capital letters.
        yield from map(list, sorted(of_item, key=lambda row: (row[1], row[6:7])))


def _first_asked(study: Study) -> QuerySet[MachineVerdict, int]:
    """The first machine verdict of each judge model on each response."""
    asked = MachineVerdict.objects.filter(judge__study=study).order_by()
    return asked.values("judge", "item").annotate(first=Min("pk")).values_list("first", flat=True)


def _articles(study: Study, articles: dict[str, int]) -> Iterator[list[Any]]:
    """Which half each article is in, by its number."""
    held_out = halves_of(study).held_out
    for title, number in articles.items():
        yield [number, title in held_out]


def _judges(study: Study) -> Iterator[list[Any]]:
    """The people that a report counts as judges."""
    return ([name] for name in sorted(judging_people(study).values_list("pseudonym", flat=True)))


def judging_people(study: Study) -> QuerySet[Judge]:
    """The people who judge; of those who draw from a pool, those who have a first verdict in it."""
    people = study.judges.filter(person__isnull=False)
    if study.pairing == Study.Pairing.POOL:
        people = people.filter(pk__in=first_judged(study).values("judge"))
    return people
