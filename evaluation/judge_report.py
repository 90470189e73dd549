"""The judge models of a study's report, as data: how well they match people, and what they say of everything."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation import counts, tables, verdict_counts
from evaluation.bootstrap import Floats, Plan, Resampled, intervals
from evaluation.judgescores import Scores, Share, scores
from evaluation.stacked import ratio
from evaluation.tables import UNPARSED, Group
from evaluation.verdict_counts import MachineCount
from evaluation.verdict_report import table_entry
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
        "table": _table(found, asked, names),
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
    both = [one for one in judged if one.people is not None]
    labels = Verdict.values
    by_article = _sums(both, labels)
    total = by_article.sum(axis=0).astype(int)
    size = len(labels)
    whole = total.reshape(size, size + 1).tolist()
    matched = scores([row[:size] for row in whole], [row[size] for row in whole], labels)
    clustered = intervals(by_article, _statistic(size), plan)
    return {
        "prompt": prompt["label"],
        "table": [row[:size] for row in whole],
        "unparsed_by_verdict": [row[size] for row in whole],
        "without_final_verdict": sum(one.count for one in judged) - matched.n,
        **_scores_entry(matched, clustered),
        "models": _by_model(both),
    }


def _sums(found: Sequence[MachineCount], labels: Sequence[str]) -> Floats:
    """Articles x (people's verdict x (judge model's verdict, or unparsed)), flat."""
    articles = {name: row for row, name in enumerate(sorted({one.article for one in found}))}
    size = len(labels)
    sums = np.zeros((len(articles), size, size + 1))
    for one in found:
        said = size if one.verdict is None else labels.index(one.verdict)
        assert one.people is not None
        sums[articles[one.article], labels.index(one.people), said] += one.count
    return sums.reshape(len(articles), size * (size + 1))


def _statistic(size: int) -> Any:
    """Sums (features x …) to accuracy, macro-F and each F; NaN where undefined."""

    def numbers(flat: Floats) -> Floats:
        table = flat.reshape(size, size + 1, *flat.shape[1:])
        hits = np.stack([table[i, i] for i in range(size)])
        people = table.sum(axis=1)
        predicted = table[:, :size].sum(axis=0)
        f = ratio(2 * hits, people + predicted)
        accuracy = ratio(hits.sum(axis=0), people.sum(axis=0))
        return np.concatenate([accuracy[None], f.mean(axis=0)[None], f])

    return numbers


def _scores_entry(matched: Scores, clustered: Sequence[Resampled]) -> dict[str, Any]:
    accuracy, macro, *f = clustered
    return {
        "n": matched.n,
        "unparsed": matched.unparsed,
        "accuracy": {**_share(matched.accuracy), **_clustered(accuracy)},
        "macro_f": {"value": matched.macro_f, "reason": matched.reason, **_clustered(macro)},
        "classes": [
            {
                "label": one.label,
                "precision": _share(one.precision),
                "recall": _share(one.recall),
                "f": {"value": one.f, "reason": one.reason, **_clustered(interval)},
            }
            for one, interval in zip(matched.classes, f, strict=True)
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


def _clustered(found: Resampled) -> dict[str, Any]:
    return {
        "cluster_low": found.low,
        "cluster_high": found.high,
        "clusters": found.clusters,
        "cluster_reason": found.reason,
    }


def _by_model(both: Iterable[MachineCount]) -> list[dict[str, Any]]:
    """Table 5: each model's verdicts from people and from the judge model, over the same responses."""
    people: dict[str, Counter[str]] = {}
    judge: dict[str, Counter[str]] = {}
    for one in both:
        people.setdefault(one.model, Counter())[str(one.people)] += one.count
        judge.setdefault(one.model, Counter())[one.verdict or UNPARSED] += one.count
    return [
        {
            "model": model,
            "n": people[model].total(),
            "people": {verdict: people[model][verdict] for verdict in Verdict.values},
            "judge": {verdict: judge[model][verdict] for verdict in (*Verdict.values, UNPARSED)},
        }
        for model in sorted(people, key=lambda name: (name.casefold(), name))
    ]


# ---------------------------------------------------------------- on everything


def _table(
    found: Iterable[MachineCount], prompts: Sequence[dict[str, Any]], names: Mapping[int, str]
) -> dict[str, Any]:
    """Table 6: as the table of final verdicts, with the replies that hold no verdict as one of their own."""
    groups = [
        Group(one.model, one.prompt, one.reasoning, one.same_passage, _said(one), one.count)
        for one in found
    ]
    lines = tables.lines(
        groups,
        prompts=[prompt["name"] for prompt in prompts],
        models=[name for _, name in counts.in_name_order(dict(names))],
        verdicts=[*Verdict.values, UNPARSED],
        one_passage=counts.one_passage_prompts(),
    )
    return table_entry("judge model", ALL_REPLIES, lines, prompts)


def _said(one: MachineCount) -> str | None:
    return UNPARSED if one.state == MachineState.UNPARSED else one.verdict
