"""The judge models of a study's report, as data: how well they match people, and what they say of everything."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from evaluation.counts import machine_verdicts
from evaluation.counts.machine_verdicts import MachineCount
from evaluation.sections.verdict_table import table_of
from evaluation.shapes.judge_models import (
    CountedScores,
    JudgeModel,
    ModelVerdicts,
    PromptScores,
    ReportHalves,
)
from evaluation.shapes.study_report import ReportPrompt
from evaluation.statistics import bootstrap, entries, wilson
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.score_intervals import Both
from evaluation.statistics.tables import UNPARSED, Tallies
from generation.models import LanguageModel
from judging.machine import control
from judging.machine.scope import halves_of
from judging.models import Holds, Judge, Study
from judging.rules.halves import HALVES, Halves
from judging.states import MachineState
from pages.memory import FIGURES

AGAINST_PEOPLE = "responses with both a final verdict and the judge model's reply, after exclusions"
ALL_REPLIES = "the judge model's replies, after exclusions"


@FIGURES.remembers
def scores_entry(both: Sequence[Both], scale: Sequence[str], plan: ResamplePlan) -> CountedScores:
    """The table of both verdicts, and the scores that follow from it."""
    return cast(CountedScores, entries.scores_entry(both, scale, plan))


@FIGURES.remembers
def models_entry(
    both: Sequence[Both], scale: Sequence[str], plan: ResamplePlan
) -> list[ModelVerdicts]:
    """Each model's verdicts from people and from the judge model, over the same responses."""
    return cast(list[ModelVerdicts], entries.models_entry(both, scale, plan))


def judge_models(
    study: Study, prompts: Sequence[ReportPrompt], names: Mapping[int, str], plan: ResamplePlan
) -> list[JudgeModel]:
    """One entry a judge model, by name; none where no model judged."""
    judges = list(control.judges_of(study))
    if not judges:
        return []
    counts = machine_verdicts.machine_counts(study, names)
    spelt = machine_verdicts.spellings(study)
    uncounted = machine_verdicts.uncounted(study)
    halves = halves_of(study)
    return [
        {
            **_judge_entry(
                judge,
                [tally for tally in counts if tally.judge == judge.pk],
                prompts,
                names,
                plan,
                halves,
                study.judged_by.scale.keys,
            ),
            "spellings": spelt.get(judge.pk, {}),
            "other_versions": uncounted.get(judge.pk, 0),
        }
        for judge in judges
    ]


def halves_entry(study: Study) -> ReportHalves:
    """How the study's clusters are split, and on how many judge models the held-out half was used."""
    halves = halves_of(study)
    return {
        "development": len(halves.development),
        "held_out": len(halves.held_out),
        "tried": machine_verdicts.compared(study, halves.held_out),
        "seed": study.seed,
    }


def _itself(judge: Judge, names: Mapping[int, str]) -> list[str]:
    """The shown names of the study's models that are this judge model; options and service may differ."""
    if judge.model is None:
        return []
    same = LanguageModel.objects.filter(pk__in=names, model_id=judge.model.model_id)
    return sorted(names[pk] for pk in same.values_list("pk", flat=True))


def _tallied(counts: Iterable[MachineCount], by: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for tally in counts:
        found[getattr(tally, by)] += tally.count
    return found


def _judge_entry(
    judge: Judge,
    counts: Sequence[MachineCount],
    prompts: Sequence[ReportPrompt],
    names: Mapping[int, str],
    plan: ResamplePlan,
    halves: Halves,
    scale: Sequence[str],
) -> JudgeModel:
    states = _tallied(counts, "state")
    replied = [tally for tally in counts if tally.holds]
    holds = _tallied(replied, "holds")
    own = _itself(judge, names)
    of_prompts = {tally.prompt for tally in counts}
    asked = [prompt for prompt in prompts if prompt["name"] in of_prompts]
    replies = [*scale, UNPARSED]
    return {
        "id": judge.pk,
        "judge": judge.pseudonym,
        "from_file": bool(judge.external),
        "prompt_sha256": judge.prompt.sha256 if judge.prompt else "",
        "judge_prompt": str(judge.prompt) if judge.prompt else "",
        "states": {str(state): states[state] for state in MachineState if states[state]},
        "spellings": {},
        "replies": {str(kind): holds[kind] for kind in Holds},
        "versions": dict(sorted(_tallied(replied, "rubric").items())),
        "other_versions": 0,
        "own_models": own,
        "itself": sum(tally.count for tally in replied if tally.model in own)
        if judge.model
        else None,
        "population": AGAINST_PEOPLE,
        "method": wilson.METHOD,
        "cluster_method": bootstrap.METHOD,
        "prompts": [_prompt_entry(prompt, counts, plan, halves, scale) for prompt in asked],
        # Table 6: like the table of final verdicts, with replies without a verdict as one more.
        "table": table_of(
            "judge model", ALL_REPLIES, Tallies.of_rows(counts), asked, names, replies, plan
        ),
    }


def _prompt_entry(
    prompt: ReportPrompt,
    counts: Iterable[MachineCount],
    plan: ResamplePlan,
    halves: Halves,
    scale: Sequence[str],
) -> PromptScores:
    """Tables 4 and 5 for the responses to one prompt."""
    judged = [
        tally
        for tally in counts
        if tally.prompt == prompt["name"]
        and tally.verdict is not None
        and not (prompt["one_passage"] and tally.same_passage)
    ]
    both = [
        Both(tally.article, tally.model, tally.people, tally.verdict, tally.count)
        for tally in judged
        if tally.people is not None and tally.verdict is not None
    ]
    return {
        "prompt": prompt["label"],
        "without_final_verdict": sum(tally.count for tally in judged)
        - sum(tally.count for tally in both),
        **scores_entry(both, scale, plan),
        "models": models_entry(both, scale, plan),
        "halves": [
            {
                "half": half,
                **scores_entry(
                    [tally for tally in both if tally.article in halves.of(half)],
                    scale,
                    plan,
                ),
            }
            for half in HALVES
        ],
    }
