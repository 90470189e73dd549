"""The agreement section of a study's report: on the judges' independent first verdicts."""

from collections.abc import Iterable, Sequence

import numpy as np

from evaluation.counts import first_verdicts
from evaluation.counts.first_verdicts import ItemCount, PairCount, RepeatCount
from evaluation.counts.judged import Judged
from evaluation.report import shapes
from evaluation.sections.clustering import Clustering
from evaluation.statistics import alpha, bootstrap
from evaluation.statistics.bootstrap import Plan
from evaluation.statistics.coefficient import ClassAgreement, Coefficient
from evaluation.statistics.groups import Groups
from evaluation.statistics.many_raters import of_many
from evaluation.statistics.two_raters import WEIGHTED, of_two, paradox_warning
from judging.models import Round, Rubric, Study, Verdict
from judging.rules import rubric
from pages.memory import FIGURES

VERDICTS = Verdict.values
FIRST_VERDICTS = "first verdicts, before resolution and exclusions"
TWO_VERDICTS_OF_ONE = "every two first verdicts of one judge on one response"

NOT_MEASURED_IMPORTED = "No first verdicts: the final ones came from a file."
NOT_MEASURED_ALONE = "Each response had one judge, so agreement was not measured."
NOT_MEASURED_YET = "No response has two first verdicts yet. They count once both judges hand in or the study closes."
NOT_REPEATED = "No judge judged a response twice."

Cell = tuple[str | int, str, str, int]  # cluster, first verdict, second verdict, count
Item = tuple[str | int, Sequence[int], int]  # cluster, how many gave each label, count


def study_agreement(
    judged: Judged, prompts: Sequence[shapes.Prompt], clustering: Clustering | None = None
) -> shapes.Agreement:
    """Agreement for each prompt, or the reason why it was not measured."""
    study = judged.study
    clustering = clustering or Clustering()
    plan = clustering.plan(study)
    pairs = first_verdicts.pair_counts(judged, clustering.by)
    items = first_verdicts.item_counts(judged, clustering.by)
    rounds = list(study.rounds.select_related("rubric").order_by("n"))
    return {
        "population": FIRST_VERDICTS,
        "measured": bool(pairs),
        "reason": "" if pairs else _not_measured(study),
        "interval": {
            "cluster": clustering.by,
            "method": bootstrap.METHOD,
            "resamples": plan.resamples,
            "generator": "PCG64",
            "seed": plan.seed,
        },
        "prompts": [
            _prompt_agreement(study, prompt, pairs, items, rounds, plan) for prompt in prompts
        ],
        "self": self_agreement(first_verdicts.repeat_counts(study, clustering.by), plan),
    }


def _not_measured(study: Study) -> str:
    if study.is_imported:
        return NOT_MEASURED_IMPORTED
    alone = study.judges_per_response == 1 and not study.double_percent
    return NOT_MEASURED_ALONE if alone else NOT_MEASURED_YET


def _prompt_agreement(
    study: Study,
    prompt: shapes.Prompt,
    pairs: Sequence[PairCount],
    items: Sequence[ItemCount],
    rounds: Sequence[Round],
    plan: Plan,
) -> shapes.PromptAgreement:
    """Agreement on the responses to one prompt: each two judges, all of them, each third of the work; and each round.

    Where there are several rounds, all but the last is of the last one whose verdicts count: verdicts by different
    rubrics are never taken together.
    """
    name, several = prompt["name"], rounds if len(rounds) > 1 else ()
    pairs = [pair for pair in pairs if pair.prompt == name]
    of_prompt = [item for item in items if item.prompt == name]
    here = _round_shown(rounds, of_prompt)
    items = [item for item in of_prompt if here is None or item.round == here.n]
    cells_of = _by_judges(pair for pair in pairs if here is None or pair.round == here.n)
    labels = scale(here.rubric if here else study.rubric, name, _used(items))
    paired = [item for item in items if item.paired]
    entry: shapes.PromptAgreement = {
        "prompt": prompt["label"],
        "n": sum(item.count for item in paired),
        "reason": "" if cells_of else _not_measured(study),
        "pairs": [
            {"judges": list(both), **pair_entry(both, labels, cells, plan)}
            for both, cells in cells_of.items()
        ],
        "all": all_entries(labels, _rows(items, labels), plan),
        "rounds": [_round_entry(name, one, of_prompt, pairs, plan) for one in several],
        "over_time": [
            {"part": part, **_portion([item for item in paired if item.part == part], labels, plan)}
            for part in range(1, first_verdicts.PARTS + 1)
            if cells_of
        ],
    }
    if several and here:
        entry["round"] = here.n
    return entry


def _round_shown(rounds: Sequence[Round], items: Sequence[ItemCount]) -> Round | None:
    """The last round that counts and has responses with two first verdicts; else the first, if there is one."""
    measured = {item.round for item in items if item.paired}
    counting = [one for one in rounds if one.counts and one.n in measured]
    return next(reversed(counting), rounds[0] if rounds else None)


def _round_entry(
    prompt: str, one: Round, items: Sequence[ItemCount], pairs: Sequence[PairCount], plan: Plan
) -> shapes.Round:
    """Agreement in one round; with its table where the same two people judged all of its responses."""
    mine = [item for item in items if item.round == one.n and item.paired]
    cells_of = _by_judges(pair for pair in pairs if pair.round == one.n)
    labels = scale(one.rubric, prompt, _used(mine))
    entry: shapes.Round = {"n_round": one.n, "labels": labels, **_portion(mine, labels, plan)}
    if len(cells_of) == 1:
        [(both, cells)] = cells_of.items()
        entry["pair"] = {"judges": list(both), **pair_entry(both, labels, cells, plan)}
    return entry


def _by_judges(pairs: Iterable[PairCount]) -> dict[tuple[str, str], list[Cell]]:
    """The counts of each two judges, in the order of their names."""
    cells_of: dict[tuple[str, str], list[Cell]] = {}
    for one in sorted(pairs, key=lambda one: (one.first, one.second)):
        cell = (one.cluster, one.verdict_1, one.verdict_2, one.count)
        cells_of.setdefault((one.first, one.second), []).append(cell)
    return cells_of


def _portion(items: Sequence[ItemCount], labels: Sequence[str], plan: Plan) -> shapes.Portion:
    """Agreement on a part of the responses, and the days on which their last verdicts were given."""
    return {
        "since": min((item.since for item in items), default=None),
        "until": max((item.until for item in items), default=None),
        "n": sum(item.count for item in items),
        "coefficients": all_entries(labels, _rows(items, labels), plan),
    }


def _used(items: Iterable[ItemCount]) -> set[str]:
    return {
        verdict
        for item in items
        for verdict, count in zip(VERDICTS, item.verdicts, strict=True)
        if count
    }


def _rows(items: Iterable[ItemCount], labels: Sequence[str]) -> list[Item]:
    columns = [VERDICTS.index(label) for label in labels]
    return [(item.cluster, [item.verdicts[i] for i in columns], item.count) for item in items]


def scale(version: Rubric, prompt: str, used: Iterable[str]) -> list[str]:
    """The verdicts of a prompt from worst to best: those that the rubric proposes, and any other one used."""
    try:
        criteria = rubric.parse(version.body).prompts.get(prompt)
    except rubric.RubricError:  # a rubric from an imported file may hold no more than a name
        criteria = None
    proposed = criteria.proposed if criteria else tuple(Verdict.values)
    return [verdict for verdict in Verdict.values if verdict in proposed or verdict in set(used)]


def self_agreement(repeats: Sequence[RepeatCount], plan: Plan) -> shapes.OwnAgreement:
    """How far each judge agrees with themself, earlier verdicts in rows, over all prompts."""
    judges = sorted({one.judge for one in repeats})
    return {
        "population": TWO_VERDICTS_OF_ONE,
        "n": sum(one.count for one in repeats),
        "reason": "" if repeats else NOT_REPEATED,
        "judges": [
            _own_pair(judge, [one for one in repeats if one.judge == judge], plan)
            for judge in judges
        ],
    }


def _own_pair(judge: str, repeats: Sequence[RepeatCount], plan: Plan) -> shapes.Own:
    cells = [(one.cluster, one.verdict_1, one.verdict_2, one.count) for one in repeats]
    entry = pair_entry((judge, judge), Verdict.values, cells, plan)
    return {"judge": judge, "n": sum(one.count for one in repeats), **entry}


# ---------------------------------------------------------------- from counts to coefficients


@FIGURES.remembers
def pair_entry(
    judges: Sequence[str], labels: Sequence[str], cells: Sequence[Cell], plan: Plan | None
) -> shapes.PairTable:
    """The table of two judges (rows the first one's verdicts) with all that is computed from it."""
    # Two labels have one distance, so weights would repeat the same number.
    weights = WEIGHTED if len(labels) > 2 else ()
    rows = [(labels.index(first), labels.index(second)) for _, first, second, _ in cells]
    pair = of_two(_groups(rows, 2, cells), labels, plan, weights)
    return {
        "labels": list(labels),
        "table": pair.table.tolist(),
        "coefficients": [{**one, "pair": list(judges)} for one in pair.coefficients],
        "per_class": [_class_entry(row) for row in pair.classes],
        "warning": paradox_warning(*pair.coefficients[:2]),
    }


@FIGURES.remembers
def all_entries(
    labels: Sequence[str], items: Sequence[Item], plan: Plan | None
) -> list[Coefficient]:
    """The coefficients over all judges of some responses."""
    metrics = (alpha.NOMINAL, alpha.ORDINAL) if len(labels) > 2 else (alpha.NOMINAL,)
    groups = _groups([item[1] for item in items], len(labels), items)
    return list(of_many(groups, plan, metrics))


def _groups(
    rows: Sequence[Sequence[int]], width: int, counted: Sequence[Cell] | Sequence[Item]
) -> Groups:
    """`counted` begin with the rows' clusters and end with their sizes."""
    numbered: dict[str | int, int] = {}
    places = [numbered.setdefault(one[0], len(numbered)) for one in counted]
    table = np.array(rows, dtype=np.int64).reshape(-1, width)
    sizes = np.array([one[-1] for one in counted], dtype=np.int64)
    return Groups(table, sizes, np.array(places, dtype=np.int64))


def _class_entry(row: ClassAgreement) -> shapes.ClassAgreement:
    kappa, specific = row.kappa, row.specific
    return {
        "label": row.label,
        "kappa": kappa["value"],
        "reason": kappa["reason"] if kappa["value"] is None else "",
        "specific_agreement": specific["value"],
        "prevalence": row.prevalence,
        "bias": row.bias,
        "clustered": {"kappa": kappa["clustered"], "specific_agreement": specific["clustered"]},
    }
