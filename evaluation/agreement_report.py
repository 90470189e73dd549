"""The agreement part of a study's report: on the judges' independent first verdicts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation import agreement_counts, bootstrap
from evaluation.agreement_counts import CLUSTERS, ItemCount, PairCount, RepeatCount
from evaluation.agreement_entries import all_entries, by_pair, pair_entry
from evaluation.bootstrap import Plan
from judging import rubric
from judging.models import Study, Verdict
from leases.refusal import Refusal

VERDICTS = Verdict.values
FIRST_VERDICTS = "first verdicts, before resolution and exclusions"
TWO_VERDICTS_OF_ONE = "every two first verdicts of one judge on one response"

NOT_MEASURED_IMPORTED = "No first verdicts: the final ones came from a file."
NOT_MEASURED_ALONE = "Each response had one judge, so agreement was not measured."
NOT_MEASURED_YET = "No response has two first verdicts yet. They count once both judges hand in or the study closes."
NOT_REPEATED = "No judge judged a response twice."


@dataclass(frozen=True)
class Clustering:
    """What is resampled as a whole, how often, and from which seed (the study's where None)."""

    by: str = "article"
    resamples: int = bootstrap.RESAMPLES
    seed: int | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Clustering":
        """From a request's query or a command's options; raises Refusal for what cannot be done."""
        by = query.get("cluster", "").strip() or cls.by
        if by not in CLUSTERS:
            raise Refusal(f"cluster={by} is not known. Use one of: {', '.join(CLUSTERS)}.")
        numbers = {}
        for name in ("resamples", "seed"):
            given = query.get(name, "").strip()
            if given and not (given.isascii() and given.isdecimal() and len(given) <= 18):
                raise Refusal(f"{name}={given[:40]} is no whole number.")
            numbers[name] = int(given) if given else None
        resamples = numbers["resamples"]
        asked = cls(by, cls.resamples if resamples is None else resamples, numbers["seed"])
        try:
            Plan(asked.seed or 0, asked.resamples)
        except ValueError as error:
            raise Refusal(str(error)) from error
        return asked

    def plan(self, study: Study) -> Plan:
        return Plan(abs(study.seed) if self.seed is None else self.seed, self.resamples)


def study_agreement(
    study: Study, prompts: Sequence[dict[str, Any]], clustering: Clustering | None = None
) -> dict[str, Any]:
    """Agreement for each prompt, or the reason why it was not measured."""
    clustering = clustering or Clustering()
    plan = clustering.plan(study)
    pairs = agreement_counts.pair_counts(study, clustering.by)
    items = agreement_counts.item_counts(study, clustering.by)
    rounds: list[Any] = list(study.rounds.order_by("n").values("n", "label"))
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
            prompt_agreement(
                study,
                prompt,
                [pair for pair in pairs if pair.prompt == prompt["name"]],
                [item for item in items if item.prompt == prompt["name"]],
                rounds,
                plan,
            )
            for prompt in prompts
        ],
        "self": self_agreement(agreement_counts.repeat_counts(study, clustering.by), plan),
    }


def _not_measured(study: Study) -> str:
    if study.is_imported:
        return NOT_MEASURED_IMPORTED
    return NOT_MEASURED_ALONE if study.judges_per_response == 1 else NOT_MEASURED_YET


def prompt_agreement(
    study: Study,
    prompt: dict[str, Any],
    pairs: Sequence[PairCount],
    items: Sequence[ItemCount],
    rounds: Sequence[dict[str, Any]],
    plan: Plan,
) -> dict[str, Any]:
    """Agreement on the responses to one prompt: each two judges, all of them, each round, each third of the work."""
    labels = scale(study, prompt["name"], _used(items))
    found = by_pair(
        ((pair.first, pair.second), (pair.cluster, pair.verdict_1, pair.verdict_2, pair.count))
        for pair in pairs
    )
    several = rounds if len(rounds) > 1 else ()
    paired = [item for item in items if item.paired]
    return {
        "prompt": prompt["label"],
        "n": sum(item.count for item in paired),
        "reason": "" if found else _not_measured(study),
        "pairs": [pair_entry(both, labels, cells, plan) for both, cells in found.items()],
        "all": all_entries(labels, _rows(items, labels), plan),
        "rounds": [
            {
                "n_round": one["n"],
                "label": one["label"],
                **_portion([item for item in paired if item.round == one["n"]], labels, plan),
            }
            for one in several
        ],
        "over_time": [
            {
                "part": part,
                **_portion([item for item in paired if item.part == part], labels, plan),
            }
            for part in range(1, agreement_counts.PARTS + 1)
            if found
        ],
    }


def _portion(items: Sequence[ItemCount], labels: Sequence[str], plan: Plan) -> dict[str, Any]:
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


def _rows(
    items: Iterable[ItemCount], labels: Sequence[str]
) -> list[tuple[str | int, list[int], int]]:
    columns = [VERDICTS.index(label) for label in labels]
    return [(item.cluster, [item.verdicts[i] for i in columns], item.count) for item in items]


def scale(study: Study, prompt: str, used: Iterable[str]) -> list[str]:
    """The verdicts of a prompt from worst to best: those that the rubric proposes, and any other one used."""
    try:
        asked = rubric.parse(study.rubric.body).prompts.get(prompt)
    except rubric.RubricError:  # a rubric from an imported file may hold no more than a name
        asked = None
    proposed = asked.proposed if asked else tuple(Verdict.values)
    return [verdict for verdict in Verdict.values if verdict in proposed or verdict in set(used)]


def self_agreement(repeats: Sequence[RepeatCount], plan: Plan) -> dict[str, Any]:
    """How far each judge agrees with themself, earlier verdicts in rows, over all prompts."""
    judges = sorted({one.judge for one in repeats})
    return {
        "population": TWO_VERDICTS_OF_ONE,
        "n": sum(one.count for one in repeats),
        "reason": "" if repeats else NOT_REPEATED,
        "judges": [
            {"judge": judge, **_own_pair([one for one in repeats if one.judge == judge], plan)}
            for judge in judges
        ],
    }


def _own_pair(repeats: Sequence[RepeatCount], plan: Plan) -> dict[str, Any]:
    cells = [(one.cluster, one.verdict_1, one.verdict_2, one.count) for one in repeats]
    (judge,) = {one.judge for one in repeats}
    entry = pair_entry((judge, judge), Verdict.values, cells, plan)
    kept = ("labels", "table", "coefficients", "per_class", "warning")
    return {"n": sum(one.count for one in repeats), **{name: entry[name] for name in kept}}
