"""Agreement on validity in a sentence, from how many people called each tag valid."""

from collections.abc import Iterable

import numpy as np

from annotation.models import Campaign
from evaluation.annotators.campaign import NOBODY_TWICE
from evaluation.annotators.entered import Called, called
from evaluation.annotators.stage_agreement import BEFORE
from evaluation.statistics.coefficient import Coefficient
from evaluation.statistics.many_raters import fleiss_kappa, pairwise_agreement
from evaluation.statistics.two_raters import cohen_kappa
from evaluation.tables import sentences
from evaluation.tables.annotators import STAGES


def so_far(campaign: Campaign) -> list[str]:
    """The agreement on validity before review, a sentence for each round, without intervals."""
    return in_short(called(campaign)) or [NOBODY_TWICE]


def in_short(called: Iterable[Called]) -> list[str]:
    """A sentence for each round, with the numbers that stage_agreement gives."""
    rounds: dict[int, list[Called]] = {}
    for tag in called:
        rounds.setdefault(tag.round, []).append(tag)
    return [_sentence(n, rounds[n]) for n in sorted(rounds)]


def _sentence(n: int, tags: list[Called]) -> str:
    counts = np.array([(tag.valid, tag.n - tag.valid) for tag in tags])
    share = pairwise_agreement(counts)
    are_two = {(tag.n, tag.first, tag.last) for tag in tags} == {(2, tags[0].first, tags[0].last)}
    kappa = _of_two(tags) if are_two else fleiss_kappa(counts)
    shown = sentences.number(kappa["value"]) if kappa["value"] is not None else "undefined"
    return (
        f"Round {n}, {STAGES[BEFORE]}: {sentences.percent(share['value'])} agreement on valid or invalid over "
        f"{sentences.counted(share['n'], 'tag')}; {sentences.name_of(kappa)} {shown}."
    )


def _of_two(tags: Iterable[Called]) -> Coefficient:
    """Cohen's kappa of two people who annotated all of them."""
    table = np.zeros((2, 2), dtype=np.int64)
    for tag in tags:
        first = tag.valid == 2 or (tag.valid == 1 and tag.says_valid == tag.first)
        second = tag.valid == 2 or (tag.valid == 1 and tag.says_valid == tag.last)
        table[int(not first), int(not second)] += 1
    return cohen_kappa(table)
