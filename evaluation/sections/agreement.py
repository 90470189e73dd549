"""The agreement section of a study's report: on the judges' independent first verdicts."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from evaluation.counts import first_verdicts
from evaluation.counts.first_verdicts import NONE, Cell, Pairs, Part, RepeatCount, Responses
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


def study_agreement(
    judged: Judged, prompts: Sequence[shapes.Prompt], clustering: Clustering | None = None
) -> shapes.Agreement:
    """Agreement for each prompt, or the reason why it was not measured."""
    study = judged.study
    clustering = clustering or Clustering()
    plan = clustering.plan(study)
    pairs = first_verdicts.pairs(judged, clustering.by)
    responses = first_verdicts.responses(judged, clustering.by)
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
            _prompt_agreement(study, prompt, pairs, responses, rounds, plan) for prompt in prompts
        ],
        "self": self_agreement(first_verdicts.repeat_counts(study, clustering.by), plan),
    }


def agreement_in(
    judged: Judged, prompts: Sequence[shapes.Prompt], one: Round, clustering: Clustering
) -> list[shapes.PromptAgreement]:
    """Agreement for each prompt within one round."""
    plan = clustering.plan(judged.study)
    pairs = first_verdicts.pairs(judged, clustering.by)
    responses = first_verdicts.responses(judged, clustering.by)
    return [
        _prompt_agreement(judged.study, prompt, pairs, responses, [one], plan) for prompt in prompts
    ]


def _not_measured(study: Study) -> str:
    if study.is_imported:
        return NOT_MEASURED_IMPORTED
    alone = study.judges_per_response == 1 and not study.double_percent
    return NOT_MEASURED_ALONE if alone else NOT_MEASURED_YET


def _prompt_agreement(
    study: Study,
    prompt: shapes.Prompt,
    pairs: Mapping[Part, Pairs],
    responses: Mapping[Part, Responses],
    rounds: Sequence[Round],
    plan: Plan,
) -> shapes.PromptAgreement:
    """Agreement on the responses to one prompt: each two judges, all of them, each third of the work; and each round.

    Where there are several rounds, all but the last is of the last one whose verdicts count: verdicts by different
    rubrics are never taken together.
    """
    name, several = prompt["name"], rounds if len(rounds) > 1 else ()
    judged = {one: responses.get((name, one.n), NONE) for one in rounds}
    paired = {one: of.paired for one, of in judged.items()}
    cells_of = {one: pairs.get((name, one.n), {}) for one in rounds}
    here = _round_shown(paired)
    mine, cells = (judged[here], cells_of[here]) if here else (NONE, {})
    labels = scale(here.rubric if here else study.rubric, name, _used(mine))
    with_two = mine.paired
    entry: shapes.PromptAgreement = {
        "prompt": prompt["label"],
        "n": len(with_two.parts),
        "reason": "" if cells else _not_measured(study),
        "pairs": [
            {"judges": list(both), **pair_entry(both, labels, of_both, plan)}
            for both, of_both in cells.items()
        ],
        "all": all_entries(labels, _by_response(mine, labels), plan),
        "rounds": [_round_entry(name, one, paired[one], cells_of[one], plan) for one in several],
        "over_time": [
            {"part": part, **_portion(with_two.where(with_two.parts == part), labels, plan)}
            for part in range(1, first_verdicts.PARTS + 1)
            if cells
        ],
    }
    if several and here:
        entry["round"] = here.n
    return entry


def _round_shown(paired: Mapping[Round, Responses]) -> Round | None:
    """The last round that counts and has responses with two first verdicts; else the first, if there is one."""
    counting = [one for one, of in paired.items() if one.counts and len(of.parts)]
    return next(reversed(counting), next(iter(paired), None))


def _round_entry(
    prompt: str, one: Round, paired: Responses, cells_of: Pairs, plan: Plan
) -> shapes.Round:
    """Agreement in one round; with its table where the same two people judged all of its responses."""
    labels = scale(one.rubric, prompt, _used(paired))
    entry: shapes.Round = {"n_round": one.n, "labels": labels, **_portion(paired, labels, plan)}
    if len(cells_of) == 1:
        [(both, cells)] = cells_of.items()
        entry["pair"] = {"judges": list(both), **pair_entry(both, labels, cells, plan)}
    return entry


def _portion(part: Responses, labels: Sequence[str], plan: Plan) -> shapes.Portion:
    """Agreement on a part of the responses, and the days on which their last verdicts were given."""
    n = len(part.days)
    return {
        "since": str(part.days.min()) if n else None,
        "until": str(part.days.max()) if n else None,
        "n": n,
        "coefficients": all_entries(labels, _by_response(part, labels), plan),
    }


def _used(responses: Responses) -> set[str]:
    counts = responses.verdicts.sum(axis=0)
    return {verdict for verdict, count in zip(VERDICTS, counts, strict=True) if count}


def _by_response(responses: Responses, labels: Sequence[str]) -> Groups:
    rows = responses.verdicts.take([VERDICTS.index(label) for label in labels], axis=1)
    return Groups(rows, np.ones(len(rows), dtype=np.int64), responses.clusters)


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
    pair = of_two(_groups(rows, cells), labels, plan, weights)
    return {
        "labels": list(labels),
        "table": pair.table.tolist(),
        "coefficients": [{**one, "pair": list(judges)} for one in pair.coefficients],
        "per_class": [_class_entry(row) for row in pair.classes],
        "warning": paradox_warning(*pair.coefficients[:2]),
    }


@FIGURES.remembers
def all_entries(labels: Sequence[str], responses: Groups, plan: Plan | None) -> list[Coefficient]:
    """The coefficients over all judges of some responses."""
    metrics = (alpha.NOMINAL, alpha.ORDINAL) if len(labels) > 2 else (alpha.NOMINAL,)
    return list(of_many(responses, plan, metrics))


def _groups(rows: Sequence[tuple[int, int]], cells: Sequence[Cell]) -> Groups:
    """The rows of some cells, with their clusters and sizes."""
    numbered: dict[str | int, int] = {}
    places = [numbered.setdefault(one[0], len(numbered)) for one in cells]
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    sizes = np.array([one[-1] for one in cells], dtype=np.int64)
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
