"""The agreement section of a study's report: on the judges' independent first verdicts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

import numpy as np

from evaluation.counts import final_verdicts, first_verdicts
from evaluation.counts.first_verdicts import (
    JudgePairs,
    PromptRound,
    RepeatCount,
    Responses,
    no_responses,
)
from evaluation.counts.judged import Judged
from evaluation.sections.clustering import Clustering
from evaluation.shapes.judge_agreement import (
    JudgeAgreement,
    JudgeRepeats,
    PromptAgreement,
    SelfAgreement,
)
from evaluation.shapes.study_report import ReportPrompt
from evaluation.statistics import bootstrap, many_raters, two_raters
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.groups import Groups
from judging.models import Round, Rubric, Study
from judging.rules import rubric
from judging.rules.verdict_scale import VerdictScale
from judging.states import StudyState
from pages.memory import FIGURES

pair_entry = FIGURES.remembers(two_raters.pair_entry)
all_entries = FIGURES.remembers(many_raters.all_entries)
FIRST_VERDICTS = "first verdicts, before resolution and exclusions"
TWO_VERDICTS_OF_ONE = "every two first verdicts of one judge on one response"

NOT_MEASURED_IMPORTED = "No first verdicts: the final ones came from a file."
NOT_JUDGED = "These responses are not judged by people."
NOT_MEASURED_ALONE = "Each response is for one judge, so agreement is not measured."
NOT_MEASURED_YET = (
    "No response has two first verdicts yet. They count once {} judges hand in or the study closes."
)
NOT_MEASURED = "No response has two first verdicts."
NOT_REPEATED = "No judge judged a response twice."


def study_agreement(
    judged: Judged, prompts: Sequence[ReportPrompt], clustering: Clustering | None = None
) -> JudgeAgreement:
    """Agreement for each prompt and round, or the reason why it was not measured."""
    study = judged.study
    clustering = clustering or Clustering()
    plan = clustering.plan(study)
    rounds = list(study.rounds.select_related("rubric").order_by("n"))
    forward, others = _Parts.of_judged(judged, clustering).by_round(prompts, rounds)
    measured = any(entry["pairs"] for entry in forward)
    return {
        "population": FIRST_VERDICTS,
        "measured": measured,
        "reason": "" if measured else _not_measured(study),
        "interval": {
            "cluster": clustering.by,
            "method": bootstrap.METHOD,
            "resamples": plan.resamples,
            "generator": "PCG64",
            "seed": plan.seed,
        },
        "prompts": forward,
        "other_rounds": others,
        "self": self_agreement(
            first_verdicts.repeat_counts(study, clustering.by), judged.study, plan
        ),
    }


def agreement_in(
    judged: Judged, prompts: Sequence[ReportPrompt], round: Round, clustering: Clustering
) -> list[PromptAgreement]:
    """Agreement for each prompt within one round."""
    parts = _Parts.of_judged(judged, clustering)
    return [parts.entry(prompt, round) for prompt in prompts]


def _not_measured(study: Study) -> str:
    if not study.is_judged:
        return NOT_JUDGED
    if study.is_imported:
        return NOT_MEASURED_IMPORTED
    alone = study.judges_per_response == 1 and not study.double_percent
    all_of_them = "all" if study.judges_per_response > 2 else "both"
    if study.state == StudyState.CLOSED and not alone:
        return NOT_MEASURED
    return NOT_MEASURED_ALONE if alone else NOT_MEASURED_YET.format(all_of_them)


@dataclass(frozen=True)
class _Parts:
    """A study's first verdicts by prompt and round, and how many final verdicts each of these gives."""

    study: Study
    pairs: Mapping[PromptRound, JudgePairs]
    responses: Mapping[PromptRound, Responses]
    finals: Mapping[PromptRound, int]
    plan: ResamplePlan

    @classmethod
    def of_judged(cls, judged: Judged, clustering: Clustering) -> "_Parts":
        pairs = first_verdicts.pairs(judged, clustering.by)
        responses = first_verdicts.responses(judged, clustering.by)
        finals = final_verdicts.by_round(judged.items)
        return cls(judged.study, pairs, responses, finals, clustering.plan(judged.study))

    def by_round(
        self, prompts: Sequence[ReportPrompt], rounds: Sequence[Round]
    ) -> tuple[list[PromptAgreement], list[PromptAgreement]]:
        """The entries of rounds that give final verdicts (of all rounds while none does), and those of the others.

        A round gives some or none for the whole study: otherwise a prompt on which judges disagree everywhere would be
        left out. Verdicts of two rounds are never taken together.
        """
        giving = {n for _, n in self.finals} or {round.n for round in rounds}
        forward, others = [], []
        for prompt in prompts:
            mine = [round for round in rounds if self._speaks(prompt["name"], round)]
            shown = [round for round in mine if round.n in giving]
            forward += [self.entry(prompt, round, len(rounds) > 1) for round in shown]
            if not shown:
                forward.append(self.entry(prompt, rounds[0] if rounds else None))
            others += [self.entry(prompt, round, True) for round in mine if round.n not in giving]
        return forward, others

    def _speaks(self, prompt: str, round: Round) -> bool:
        """Whether the round has responses to the prompt with two first verdicts, or gives final verdicts on it."""
        place = prompt, round.n
        return place in self.finals or len(self._responses(place).paired.parts) > 0

    def _responses(self, place: PromptRound) -> Responses:
        return self.responses.get(place) or no_responses(len(self.study.judged_by.scale.keys))

    def entry(
        self, prompt: ReportPrompt, round: Round | None, named: bool = False
    ) -> PromptAgreement:
        """Agreement on the responses to one prompt in one round, which is `named` where there are others."""
        place = prompt["name"], round.n if round else 0
        mine, cells = self._responses(place), self.pairs.get(place, {})
        version = round.rubric if round else self.study.judged_by
        scale = version.scale.keys
        labels = proposed_or_used(version, prompt["name"], _used(mine, scale))
        # The columns of these verdicts, in the order of the scale.
        places = [scale.index(label) for label in labels]
        mine = mine._replace(verdicts=mine.verdicts.take(places, axis=1))
        paired, how = mine.paired, how_compared(version.scale)
        of_pair = partial(pair_entry, plan=self.plan, places=places, **how)
        over_all = partial(all_entries, plan=self.plan, places=places, **how)
        return {
            "prompt": prompt["label"],
            "round": round.n if round and named else None,
            "final": self.finals.get(place, 0),
            "labels": labels,
            **_extent(paired),
            "reason": "" if cells else _not_measured(self.study),
            "pairs": [
                {"judges": list(both), **of_pair(both, labels, of_both)}
                for both, of_both in cells.items()
            ],
            "all": over_all(labels, _by_response(mine)),
            "over_time": [
                {"part": n, **_extent(part), "coefficients": over_all(labels, _by_response(part))}
                for n, part in (paired.thirds if cells else ())
            ],
        }


class _Compared(TypedDict):
    is_ordered: bool
    headline: str


def how_compared(scale: VerdictScale) -> _Compared:
    """Which coefficients there are of verdicts on this scale, and the weights of the kappa that is put forward."""
    return {"is_ordered": scale.is_ordered, "headline": scale.weights}


class _Extent(TypedDict):
    since: str | None
    until: str | None
    n: int


def _extent(part: Responses) -> _Extent:
    """The days on which the last verdicts were given on these responses, and how many they are."""
    if not len(part.days):
        return {"since": None, "until": None, "n": 0}
    return {"since": str(part.days.min()), "until": str(part.days.max()), "n": len(part.days)}


def _used(responses: Responses, scale: Sequence[str]) -> set[str]:
    counts = responses.verdicts.sum(axis=0)
    return {verdict for verdict, count in zip(scale, counts, strict=True) if count}


def _by_response(responses: Responses) -> Groups:
    rows = responses.verdicts
    return Groups(rows, np.ones(len(rows), dtype=np.int64), responses.clusters)


def proposed_or_used(version: Rubric, prompt: str, used: Iterable[str]) -> list[str]:
    """The verdicts of a prompt in the scale's order: those that the rubric proposes, and others that were used."""
    criteria, scale = rubric.parse(version.body).prompts.get(prompt), version.scale.keys
    shown = {*(criteria.proposed if criteria else scale), *used}
    return [verdict for verdict in scale if verdict in shown]


def self_agreement(
    repeats: Sequence[RepeatCount], study: Study, plan: ResamplePlan
) -> SelfAgreement:
    """How far each judge agrees with their own earlier verdicts, over all prompts."""
    judges = sorted({repeat.judge for repeat in repeats})
    return {
        "population": TWO_VERDICTS_OF_ONE,
        "n": sum(repeat.count for repeat in repeats),
        "reason": "" if repeats else NOT_REPEATED,
        "judges": [
            _own_pair(judge, [r for r in repeats if r.judge == judge], study.judged_by.scale, plan)
            for judge in judges
        ],
    }


def _own_pair(
    judge: str, repeats: Sequence[RepeatCount], scale: VerdictScale, plan: ResamplePlan
) -> JudgeRepeats:
    cells = [(r.cluster, r.verdict_1, r.verdict_2, r.count) for r in repeats]
    entry = pair_entry((judge, judge), scale.keys, cells, plan, **how_compared(scale))
    return {"judge": judge, "n": sum(repeat.count for repeat in repeats), **entry}
