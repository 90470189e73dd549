"""The rows that a report is computed from, as hashed and as its zip holds them.

The hash of a report is over the columns of its own format: FORMATS has them all, and a new column makes a new format.
So a report that was frozen before a column was added is compared by the columns of then, and has not changed.

The same verdicts give the same lines in every database: no row id is in them, and articles, runs and the order of
verdicts are numbered in the order in which a study has them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from django.db.models import Min, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Concat

from datasets.contexts import reasoning
from evaluation.annotators.campaign import COMPARED, TAGGED, annotated_tags, comparison_rows
from evaluation.archive.bundles import RowsOf
from evaluation.counts.first_verdicts import first_judged, own_verdicts
from evaluation.counts.judged import Columns, Judged
from evaluation.counts.machine_verdicts import REPLIES
from evaluation.counts.naming import model_names, models_of
from evaluation.report.shapes import ROWS_FORMAT, Report
from evaluation.rows.export import COLUMNS
from judging.machine.scope import COUNTS, ITSELF, by_version, halves_of
from judging.models import (
    Judge,
    JudgeCall,
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
# One encoder: json.dumps makes another each time.
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_PIECE = 1_000
# As NOT_JUDGED of judging/settling.py: the state, the reason and the repeat of a slot that nobody came to.
_NOT_JUDGED = (SlotState.WITHDRAWN, "", 1)


def format_of(report: Report | None) -> int:
    """The format of a report's rows; None: of those that a report made now has."""
    return report["snapshot"].get("rows_format", 1) if report else ROWS_FORMAT


def _lines(judged: Judged, report: Report | None) -> Iterator[str]:
    """A JSON list a line, by the format of `report`."""
    study, number = judged.study, format_of(report)
    others: dict[str, Callable[[], Iterable[list[Any]]]] = {
        REPLY: lambda: _replies(study, number),
        COMPARISON: lambda: map(list, comparison_rows(study, report)),
        TAG: lambda: map(list, annotated_tags(study, report)),
        JUDGE: lambda: _judges(study),
        ARTICLE: lambda: _articles(judged),
    }
    for kind, names in FORMATS[number].items():
        named = [] if number == 1 else [kind]
        if kind == VERDICT:
            yield from _verdicts(judged, names, "".join(f"{_encoded(one)}, " for one in named))
        else:
            yield from (f"{_encoded([*named, *values])}\n" for values in others[kind]())


def hashed_lines(study: Study, report: Report | None = None) -> Iterator[bytes]:
    """All that a report of the study is computed from, a JSON list a line, by the format of `report`.

    The annotators are those of the campaigns that `report` has numbers of (None: of the closed ones).
    """
    return (line.encode("utf-8") for line in _lines(Judged.of(study), report))


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
    return digest_of(Judged.of(study), report)


def digest_of(judged: Judged, report: Report | None = None) -> tuple[str, int]:
    """The same, of verdicts that were read before."""
    sha256, count, lines = hashlib.sha256(), 0, _lines(judged, report)
    while piece := list(islice(lines, _PIECE)):
        sha256.update("".join(piece).encode("utf-8"))
        count += len(piece)
    return sha256.hexdigest(), count


# ---------------------------------------------------------------- rows of each kind


def _verdicts(judged: Judged, names: list[str], before: str) -> Iterator[str]:
    """The line of each slot, and of a response without any; each text is encoded once, and joined once an item."""
    items = {**judged.items, **_of_items(judged.items)}
    slots = {**judged.slots, **(_of_slots(judged) if "order" in names else _holders(judged))}
    parts: list[Iterable[str]] = []
    for of_items, run in groupby(names, key=items.__contains__):
        columns = items if of_items else slots
        texts = [
            ", ".join(row) for row in zip(*(_texts(columns[name]) for name in run), strict=True)
        ]
        parts.append(map(texts.__getitem__, slots["at"]) if of_items else texts)
    return (f"[{before}{', '.join(row)}]\n" for row in zip(*parts, strict=True))


def _texts(column: Sequence[Any]) -> Iterator[str]:
    texts = {one: str(one) if type(one) is int else _encoded(one) for one in set(column)}
    return map(texts.__getitem__, column)


def _of_items(items: Columns) -> dict[str, Sequence[Any]]:
    kinds = {kind: reasoning(kind).value for kind in set(items["reasoning"])}
    articles, runs = _numbers(items["title"]), _numbers(sorted(set(items["run"])))
    return {
        "reasoning": [kinds[kind] for kind in items["reasoning"]],
        "excluded": [by is not None for by in items["excluded"]],
        "article": [articles[title] for title in items["title"]],
        "run": [runs[run] for run in items["run"]],
    }


def _numbers(values: Iterable[Any]) -> dict[Any, int]:
    """The place of each value among the different ones, from 0, in the order in which they first come."""
    return {value: number for number, value in enumerate(dict.fromkeys(values))}


def _holders(judged: Judged) -> dict[str, Sequence[Any]]:
    """Who holds a slot that was drawn from a pool changes all the time: left out until it has a verdict."""
    slots = judged.slots
    if judged.study.pairing != Study.Pairing.POOL:
        return {}
    given = zip(slots["judge"], slots["first_verdict"], strict=True)
    return {"judge": [judge if verdict is not None else None for judge, verdict in given]}


def _of_slots(judged: Judged) -> dict[str, Sequence[Any]]:
    """What formats from 2 on have of a slot besides its columns."""
    study, slots = judged.study, judged.slots
    both = zip(slots["moment"], slots["first_verdict"], strict=True)
    moments = [None if verdict is None else moment for moment, verdict in both]
    # Texts of one form sort as the moments do, with fractions of a second and without.
    places = _numbers([None, *sorted({one for one in moments if one})])
    own = set(own_verdicts(study).values_list("item__position", "round__n", "judge__pseudonym"))
    states = zip(slots["state"], slots["skip_reason"], slots["repeat"], strict=True)
    ended, rounds = _ended(study), list(zip(slots["item"], slots["round"], strict=True))
    first = zip(rounds, slots["judge"], slots["repeat"], strict=True)
    return {
        **_holders(judged),
        "day": [one and one[:10] for one in moments],
        "order": [places[one] or None for one in moments],
        "not_judged": [one == _NOT_JUDGED for one in states],
        "own": [n == 1 and (*place, judge) in own for place, judge, n in first],
        "round_verdict": list(map(ended.get, rounds)),
    }


def _ended(study: Study) -> dict[tuple[int, int], str]:
    """What a round ended with on an item, by the item's position and the round's number."""
    rows = Resolution.objects.filter(round__study=study).order_by()
    columns = ("item__position", "round__n", "verdict")
    return {(position, n): verdict for position, n, verdict in rows.values_list(*columns)}


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


def _articles(judged: Judged) -> Iterator[list[Any]]:
    """Which half each article is in, by its number."""
    held_out = halves_of(judged.study).held_out
    return ([n, title in held_out] for title, n in _numbers(judged.items["title"]).items())


def _judges(study: Study) -> Iterator[list[Any]]:
    """The people that a report counts as judges."""
    return ([name] for name in sorted(judging_people(study).values_list("pseudonym", flat=True)))


def judging_people(study: Study) -> QuerySet[Judge]:
    """The people who judge; of those who draw from a pool, those who have a first verdict in it."""
    people = study.judges.filter(person__isnull=False)
    if study.pairing == Study.Pairing.POOL:
        people = people.filter(pk__in=first_judged(study).values("judge"))
    return people
