"""Which comparisons belong together, and what each of them comes to. Pure.

A family is what one question asks of the data, and p-values are corrected over it. The families below are the
questions of WikiContradict (Hou et al. 2024, sections 4.1 and 4.2); a report shows those that its study can
answer, and researchers ask their own on the page of comparisons.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.columns import Column, Mask, Places
from evaluation.statistics.differences import (
    Difference,
    GainDifference,
    equivalence,
    gain_difference,
    holm,
    paired,
    unpaired,
)
from evaluation.statistics.tables import EXPLICIT, IMPLICIT, Tallies

PROMPTS, MODELS, REASONING, GAINS = KINDS = ("prompts", "models", "reasoning", "gains")
MARGIN = 0.10
# With more, correction leaves hardly any p-value below 1.
MOST_COMPARISONS = 45
_NONE = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Answered(Tallies):
    """Responses with final verdicts. `unit` is the question and sample, the same for every model and prompt."""

    unit: Column


@dataclass(frozen=True)
class Family:
    """A question asked of the data: its kind, and the prompts it is about.

    prompts: from the first to the second of each pair, within each model (paired). models: each two models
    on one prompt (paired). reasoning: explicit against implicit questions, within model and prompt. gains:
    whether the step between two prompts differs between explicit and implicit questions. A `margin` (a
    share) asks whether the difference lies within it.
    """

    key: str
    title: str
    kind: str
    prompts: tuple[tuple[str, ...], ...]
    margin: float | None = None


ALONE, BOTH = "internal-knowledge", "both-passages"
ASKED, SWAPPED = "both-passages-comprehensive", "both-passages-swapped"
FAMILIES = (
    Family("asking", "What asking for the contradiction changes", PROMPTS, ((BOTH, ASKED),)),
    Family("passages", "What the passages change", PROMPTS, ((ALONE, BOTH), (ALONE, ASKED))),
    Family("order", "What the order of the passages changes", PROMPTS, ((ASKED, SWAPPED),), MARGIN),
    Family("models", "Models on prompt 5", MODELS, ((ASKED,),)),
    Family("reasoning", "Explicit against implicit contradictions", REASONING, ((BOTH,), (ASKED,))),
    Family("gains", "Whether asking helps explicit contradictions more", GAINS, ((BOTH, ASKED),)),
)


@dataclass(frozen=True)
class ComputedComparison:
    """One comparison of a family: what is compared with what, and the result."""

    model: str
    prompt: str
    first: str
    second: str
    difference: Difference | GainDifference
    p_exact_corrected: float | None = None
    p_clustered_corrected: float | None = None
    within: str = ""


class Answers:
    """Responses by (model, prompt) and unit, ready to be paired; methods take and give their places.

    `one_passage` names prompts that give one of two passages: on them, questions whose passages are the same
    are left out, as in the tables.
    """

    def __init__(self, answered: Answered, *, verdict: str, one_passage: Collection[str]) -> None:
        self.verdict = verdict
        self._hits = answered.verdict.among({verdict})
        self._articles, self._units = answered.article.at, answered.unit.at
        self._reasoning = answered.reasoning
        kept = ~(answered.prompt.among(one_passage) & answered.same_passage.among({True}))
        self._of: dict[tuple[str, str], Places] = {}
        for n, model in enumerate(answered.model.values):
            for m, prompt in enumerate(answered.prompt.values):
                rows = kept & (answered.model.at == n) & (answered.prompt.at == m)
                if rows.any():
                    self._of[model, prompt] = np.flatnonzero(rows)
        self.models = sorted({m for m, _ in self._of}, key=lambda name: (name.casefold(), name))

    def has(self, prompts: Iterable[str]) -> bool:
        """Whether there are verdicts on all these prompts, of any model."""
        return set(prompts) <= {prompt for _, prompt in self._of}

    def pairs(self, first: tuple[str, str], second: tuple[str, str]) -> tuple[Places, Places]:
        """The responses of two (model, prompt) to the same questions, one by one."""
        mine, other = self._of.get(first, _NONE), self._of.get(second, _NONE)
        units = self._units[mine], self._units[other]
        _, at, at_other = np.intersect1d(*units, assume_unique=True, return_indices=True)
        return mine[at], other[at_other]

    def with_reasoning(self, model: str, prompt: str, reasoning: str) -> Places:
        rows = self._of.get((model, prompt), _NONE)
        return rows[self.has_reasoning(rows, {reasoning})]

    def has_reasoning(self, rows: Places, reasoning: Collection[str]) -> Mask:
        return self._reasoning[rows].among(reasoning)

    def hits(self, rows: Places) -> Mask:
        return self._hits[rows]

    def clusters(self, rows: Places) -> Places:
        return self._articles[rows]


def answerable(answers: Answers, families: Iterable[Family] = FAMILIES) -> list[Family]:
    """The families whose prompts the answers hold; of models, where there are two to compare."""
    return [
        family
        for family in families
        if any(answers.has(prompts) for prompts in family.prompts)
        and (family.kind != MODELS or len(answers.models) > 1)
    ]


def size(family: Family, models: int) -> int:
    """How many comparisons the family is at most, with so many models."""
    times = models * (models - 1) // 2 if family.kind == MODELS else models
    return times * len(family.prompts)


def compared(family: Family, answers: Answers, plan: ResamplePlan) -> list[ComputedComparison]:
    """Every comparison of the family, with p corrected over those that have one."""
    prompt_pairs = [prompts for prompts in family.prompts if answers.has(prompts)]
    made = (_MAKERS[family.kind](answers, prompts, plan) for prompts in prompt_pairs)
    differences = [comparison for of_prompts in made for comparison in of_prompts]
    exact = holm([getattr(comparison.difference, "p_exact", None) for comparison in differences])
    clustered = holm([comparison.difference.p_clustered for comparison in differences])
    return [
        replace(
            comparison,
            p_exact_corrected=p,
            p_clustered_corrected=q,
            within=_within(comparison, family.margin),
        )
        for comparison, p, q in zip(differences, exact, clustered, strict=True)
    ]


def _within(comparison: ComputedComparison, margin: float | None) -> str:
    interval = comparison.difference.interval
    if margin is None or interval is None:
        return ""
    return equivalence(interval["low"], interval["high"], margin)


def _prompt_steps(
    answers: Answers, prompts: tuple[str, ...], plan: ResamplePlan
) -> Iterator[ComputedComparison]:
    first, second = prompts
    for model in answers.models:
        pairs = answers.pairs((model, first), (model, second))
        if len(pairs[0]):
            yield ComputedComparison(model, "", first, second, _paired(answers, *pairs, plan))


def _model_pairs(
    answers: Answers, prompts: tuple[str, ...], plan: ResamplePlan
) -> Iterator[ComputedComparison]:
    (prompt,) = prompts
    for first, second in combinations(answers.models, 2):
        pairs = answers.pairs((first, prompt), (second, prompt))
        if len(pairs[0]):
            yield ComputedComparison("", prompt, first, second, _paired(answers, *pairs, plan))


def _reasonings(
    answers: Answers, prompts: tuple[str, ...], plan: ResamplePlan
) -> Iterator[ComputedComparison]:
    (prompt,) = prompts
    for model in answers.models:
        sides = [answers.with_reasoning(model, prompt, part) for part in (IMPLICIT, EXPLICIT)]
        if any(map(len, sides)):
            implicit, explicit = ((answers.hits(side), answers.clusters(side)) for side in sides)
            difference = unpaired(*implicit, *explicit, plan)
            yield ComputedComparison(model, prompt, IMPLICIT, EXPLICIT, difference)


def _gains(
    answers: Answers, prompts: tuple[str, ...], plan: ResamplePlan
) -> Iterator[ComputedComparison]:
    first, second = prompts
    for model in answers.models:
        pairs = answers.pairs((model, first), (model, second))
        typed = answers.has_reasoning(pairs[0], {EXPLICIT, IMPLICIT})
        before, other = (rows[typed] for rows in pairs)
        if len(before):
            implicit = answers.has_reasoning(before, {IMPLICIT})
            hits = answers.hits(before), answers.hits(other)
            difference = gain_difference(*hits, answers.clusters(before), implicit, plan)
            yield ComputedComparison(model, "", first, second, difference)


def _paired(answers: Answers, first: Places, other: Places, plan: ResamplePlan) -> Difference:
    return paired(answers.hits(first), answers.hits(other), answers.clusters(first), plan)


_MAKERS: Mapping[
    str, Callable[[Answers, tuple[str, ...], ResamplePlan], Iterator[ComputedComparison]]
] = {PROMPTS: _prompt_steps, MODELS: _model_pairs, REASONING: _reasonings, GAINS: _gains}
