"""The judge models of a study's report, as data: how well they match people, and what they say of everything."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation import cells, counts, judge_intervals, tables, verdict_counts
from evaluation.bootstrap import Plan, Resampled
from evaluation.cells import Tally
from evaluation.judge_intervals import JUDGE, PEOPLE, Both, ScoreIntervals
from evaluation.judgescores import Scores, Share, scores
from evaluation.tables import UNPARSED, Group
from evaluation.verdict_counts import MachineCount
from evaluation.verdict_report import clustered_entry, table_entry
from judging import judgemodel
from judging.models import Judge, Study, Verdict
from judging.states import MachineState

AGAINST_PEOPLE = "responses with both a final verdict and the judge model's reply, after exclusions"
ALL_REPLIES = "the judge model's replies, after exclusions"
REPLIED = (MachineState.JUDGED, MachineState.UNPARSED)


def judge_models(
    study: Study, prompts: Sequence[dict[str, Any]], names: Mapping[int, str], plan: Plan
) -> list[dict[str, Any]]:
    """One entry a judge model, by name; none where no model judged."""
    judges = list(judgemodel.judges_of(study))
    if not judges:
        return []
    found = verdict_counts.machine_counts(study, names)
    spelt = verdict_counts.spellings(study)
    return [
        _judge_entry(
            judge,
            [one for one in found if one.judge == judge.pk],
            spelt.get(judge.pk, {}),
            prompts,
            names,
            plan,
        )
        for judge in judges
    ]


def _judge_entry(
    judge: Judge,
    found: Sequence[MachineCount],
    spelt: dict[str, int],
    prompts: Sequence[dict[str, Any]],
    names: Mapping[int, str],
    plan: Plan,
) -> dict[str, Any]:
    states: Counter[str] = Counter()
    for one in found:
        states[one.state] += one.count
    asked = [prompt for prompt in prompts if any(one.prompt == prompt["name"] for one in found)]
    return {
        "id": judge.pk,
        "judge": judge.pseudonym,
        "from_file": bool(judge.external),
        "prompt_sha256": judge.judge_prompt_hash,
        "states": {str(state): states[state] for state in MachineState if states[state]},
        "spellings": spelt,
        "population": AGAINST_PEOPLE,
        "prompts": [_prompt_entry(prompt, found, plan) for prompt in asked],
        "table": _table(found, asked, names, plan),
    }


# ---------------------------------------------------------------- against people


def _prompt_entry(
    prompt: dict[str, Any], found: Iterable[MachineCount], plan: Plan
) -> dict[str, Any]:
    """Tables 4 and 5 for the responses to one prompt."""
    judged = [
        one
        for one in found
        if one.prompt == prompt["name"]
        and one.state in REPLIED
        and not (prompt["one_passage"] and one.same_passage)
    ]
    both = [
        Both(one.article, one.model, one.people, one.verdict or UNPARSED, one.count)
        for one in judged
        if one.people is not None
    ]
    labels = Verdict.values
    size = len(labels)
    whole = judge_intervals.table(both, labels)
    matched = scores([row[:size] for row in whole], [row[size] for row in whole], labels)
    return {
        "prompt": prompt["label"],
        "table": [row[:size] for row in whole],
        "unparsed_by_verdict": [row[size] for row in whole],
        "without_final_verdict": sum(one.count for one in judged) - matched.n,
        **_scores_entry(matched, judge_intervals.of_scores(both, labels, plan)),
        "models": _by_model(both, judge_intervals.of_models(both, labels, plan)),
    }


def _scores_entry(matched: Scores, found: ScoreIntervals) -> dict[str, Any]:
    each = zip(matched.classes, found.precision, found.recall, found.f, strict=True)
    return {
        "n": matched.n,
        "unparsed": matched.unparsed,
        "accuracy": {**_share(matched.accuracy), **clustered_entry(found.accuracy)},
        "macro_f": {
            "value": matched.macro_f,
            "reason": matched.reason,
            **clustered_entry(found.macro_f),
        },
        "classes": [
            {
                "label": one.label,
                "precision": {**_share(one.precision), **clustered_entry(precision)},
                "recall": {**_share(one.recall), **clustered_entry(recall)},
                "f": {"value": one.f, "reason": one.reason, **clustered_entry(f)},
            }
            for one, precision, recall, f in each
        ],
    }


def _share(share: Share) -> dict[str, Any]:
    ends = share.interval
    return {
        "k": share.k,
        "n": share.n,
        "low": ends and ends.low,
        "high": ends and ends.high,
        "reason": share.reason,
    }


def _by_model(
    both: Iterable[Both], found: Mapping[tuple[str, str, str], Resampled]
) -> list[dict[str, Any]]:
    """Table 5: each model's verdicts from people and from the judge model, over the same responses.

    "shares" has the same counts as k of n with their intervals.
    """
    counted: dict[str, dict[str, Counter[str]]] = {}
    for one in both:
        mine = counted.setdefault(one.model, {PEOPLE: Counter(), JUDGE: Counter()})
        mine[PEOPLE][one.people] += one.count
        mine[JUDGE][one.said] += one.count
    columns = {PEOPLE: Verdict.values, JUDGE: [*Verdict.values, UNPARSED]}
    return [
        {
            "model": model,
            "n": mine[PEOPLE].total(),
            **{whose: {said: mine[whose][said] for said in columns[whose]} for whose in columns},
            "shares": [
                {
                    "whose": whose,
                    "verdict": said,
                    **_share(Share(mine[whose][said], mine[PEOPLE].total())),
                    **clustered_entry(found[model, whose, said]),
                }
                for whose in columns
                for said in columns[whose]
            ],
        }
        for model, mine in sorted(counted.items(), key=lambda one: (one[0].casefold(), one[0]))
    ]


# ---------------------------------------------------------------- on everything


def _table(
    found: Sequence[MachineCount],
    prompts: Sequence[dict[str, Any]],
    names: Mapping[int, str],
    plan: Plan,
) -> dict[str, Any]:
    """Table 6: as the table of final verdicts, with the replies that hold no verdict as one of their own."""
    verdicts = [*Verdict.values, UNPARSED]
    one_passage = counts.one_passage_prompts()
    lines = tables.lines(
        [
            Group(one.model, one.prompt, one.reasoning, one.same_passage, _said(one), one.count)
            for one in found
        ],
        prompts=[prompt["name"] for prompt in prompts],
        models=[name for _, name in counts.in_name_order(dict(names))],
        verdicts=verdicts,
        one_passage=one_passage,
    )
    places = [(line.prompt, line.model, line.slice) for line in lines]
    clustered = cells.resampled(_tallies(found), places, verdicts, one_passage, plan)
    return {
        **table_entry("judge model", ALL_REPLIES, lines, prompts, clustered),
        "seed": plan.seed,
        "resamples": plan.resamples,
    }


def _tallies(found: Iterable[MachineCount]) -> list[Tally]:
    """The replies by article; what waits or failed is in no share."""
    return [
        Tally(one.model, one.prompt, one.article, one.reasoning, one.same_passage, said, one.count)
        for one in found
        if (said := _said(one)) is not None
    ]


def _said(one: MachineCount) -> str | None:
    return UNPARSED if one.state == MachineState.UNPARSED else one.verdict
