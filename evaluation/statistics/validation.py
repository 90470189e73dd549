"""People's labels next to a scorer's, on the same responses: a table of both, kappa, and shares over models. Pure."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from .bootstrap import ResamplePlan
from .coefficient import Coefficient
from .correlation import Correlation, correlation
from .measures import EXCLUDED, FAILED, MISSING, UNJUDGED
from .two_raters import PairCell, pair_entry

BY_RESPONSE, RECORD = "response", "record"
PEOPLE, SCORER = "people", "the scorer"
# Texts of one record with different verdicts that stand.
SEVERAL = "several"


class Said(NamedTuple):
    """A label, or a state, of a response to a record; `cluster` is what intervals resample."""

    response: Hashable
    record: Hashable
    cluster: Hashable
    model: str
    label: str
    is_excluded: bool


class ValidatedModel(TypedDict):
    """Of a model's `n` responses with both labels, how many have the compared one, by people and by the scorer."""

    model: str
    n: int
    people: int
    scorer: int
    coefficients: list[Coefficient]


class ComparedLabels(TypedDict):
    """A table with people's labels as rows; observed agreement and unweighted kappa."""

    table: list[list[int]]
    coefficients: list[Coefficient]


class Validation(ComparedLabels):
    """`states` count, by side, the responses that are not in the table."""

    labels: list[str]
    n: int
    states: dict[str, dict[str, int]]
    models: list[ValidatedModel]
    correlation: Correlation


def validation(
    declared: Mapping[str, Any],
    labels: Sequence[str],
    people: Iterable[Said],
    scorer: Iterable[Said],
    models: Sequence[str],
    plan: ResamplePlan,
) -> Validation:
    """The two compared response by response, or a record's one label with each response to it (`by` = "record").

    `labels` are those of both sides in their order, `models` those that may be shown, in their order.
    """
    by_record = declared.get("by") == RECORD
    given = _of_records(people) if by_record else {one.response: one.label for one in people}
    cells, states = defaultdict[str, list[PairCell]](list), (Counter[str](), Counter[str]())
    for one in scorer:
        place = one.record if by_record else one.response
        if place not in given:
            continue
        both = (given[place], one.label)
        if one.is_excluded:
            states[0][EXCLUDED] += 1
        elif set(both) <= {*labels}:
            cells[one.model].append((one.cluster, *both, 1))
        else:
            for state, label in zip(states, both, strict=True):
                state[label] += label not in labels
    # In the order of clusters, which resampling follows.
    every = sorted(cell for of_model in cells.values() for cell in of_model)
    shown = [_model(name, cells[name], declared["label"], labels) for name in models if cells[name]]
    by_people, by_scorer = (
        [one["people"] / one["n"] for one in shown],
        [one["scorer"] / one["n"] for one in shown],
    )
    return {
        "labels": list(labels),
        "n": len(every),
        **_compared(every, labels, plan),
        "states": {
            side: dict(sorted((+of).items()))
            for side, of in zip(("people", "scorer"), states, strict=True)
        },
        "models": shown,
        "correlation": correlation(by_people, by_scorer, (PEOPLE, SCORER)),
    }


def of_rows(
    reported: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], plan: ResamplePlan
) -> Validation:
    """The same anew from the rows of scores as the script of a zip has them, by the labels and models of a report."""
    sides = defaultdict[str, list[Said]](list)
    for row in rows:
        record, model, _ = row["unit"]
        place = (row["unit"], row["prompt"])
        said = Said(place, record, row["article"], model, row["label"], row["excluded"])
        sides[row["scorer"]].append(said)
    models = [one["model"] for one in reported["models"]]
    people, scorer = sides[reported["people"]], sides[reported["scorer"]]
    return validation(reported, reported["labels"][:12], people, scorer, models, plan)


def by_final_verdicts(
    scorers: Iterable[Mapping[str, Any]], of: Mapping[str, list[dict[str, Any]]]
) -> None:
    """Give the rows of people's scorers what the rows of verdicts say, where the response is there."""
    names = {scorer["name"] for scorer in scorers if scorer["kind"] == "people"}
    columns = ("collection", "contradiction", "model", "sample")
    final = {
        (row["key"], *(row[name] for name in columns)): row["final_verdict"]
        for row in of["verdict"]
    }
    for row in of["score"]:
        if row["scorer"] in names and row["label"] not in (FAILED, MISSING):
            place = (row["prompt"], *(row[name] for name in columns))
            row["label"] = final.get(place) or UNJUDGED


def _of_records(people: Iterable[Said]) -> dict[Hashable, str]:
    """The one label of each record's texts."""
    of = defaultdict[Hashable, set[str]](set)
    for one in people:
        of[one.record].add(one.label)
    return {
        record: next(iter(found)) if len(found) == 1 else SEVERAL for record, found in of.items()
    }


def _model(
    name: str, cells: Sequence[PairCell], label: str, labels: Sequence[str]
) -> ValidatedModel:
    return {
        "model": name,
        "n": len(cells),
        "people": sum(first == label for _, first, _, _ in cells),
        "scorer": sum(second == label for _, _, second, _ in cells),
        "coefficients": _compared(cells, labels, None)["coefficients"],
    }


def _compared(
    cells: Sequence[PairCell], labels: Sequence[str], plan: ResamplePlan | None
) -> ComparedLabels:
    pair = pair_entry((PEOPLE, SCORER), labels, cells, plan, is_ordered=False)
    return {"table": pair["table"], "coefficients": pair["coefficients"][:2]}
