"""How often 95 % intervals of agreement contain the true value, in simulated studies of the paper's shape.

    bin/bench coverage [STUDIES [RESAMPLES [ARTICLES [TRUTH]]]]

48 questions from 40 articles, five models, two judges; kappa as published for prompts 1 to 5. Within an article
verdicts correlate by 0.4, and so does whether the judges agree, in one of two ways: a response takes its
article's value with probability sqrt(0.4), or each article draws its own share of agreement (beta). The true
value is that of TRUTH articles, 1,000,000 unless given. The product's interval is compared with the closed form and
Wilson's, which treat responses as independent, and with the plain percentile interval of the same draws.

Then, at the kappas of prompts 1 and 4, a round with a model that was added later and a quarter of the others' responses
as anchors; the agreement of the two rounds on those anchors alone, which come from fewer articles; and a pool, in which
two of four judges, who differ in how often they agree, draw each response: Fleiss' kappa and pairwise agreement.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics import two_raters
from evaluation.statistics.bootstrap import FEWEST_CLUSTERS, METHOD, ResamplePlan, draws, intervals
from evaluation.statistics.many_raters import Sums, features
from evaluation.statistics.two_raters import cohen_kappa, percent_agreement

KAPPAS = {"1": 0.84, "2": 0.88, "3": 0.85, "4": 0.58, "5": 0.67}
SHARES = np.array([0.2, 0.3, 0.5])
WITHIN = 0.4
ARTICLES, QUESTIONS, MODELS = 40, 48, 5
ROUNDS = {"1": 0.84, "4": 0.58}
ANCHORS = 0.25
JUDGES = np.array([0.9, 1.0, 1.0, 1.1])  # how often each agrees, as a part of the others
SEED = 20240226
Floats = NDArray[np.float64]
Ends = tuple[float | None, float | None]
Part = Callable[[np.random.Generator, int], NDArray[np.bool_]]
NAMES = ("kappa", "agreement")


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    sizes = given + [2_000, 2_000, ARTICLES, 1_000_000][len(given) :]
    studies, resamples, articles, _ = given_sizes = (sizes[0], sizes[1], sizes[2], sizes[3])
    print(
        f"{studies} studies of {articles} articles for each line, {resamples} resamples: share of 95 % intervals "
        "that contain the true value"
    )
    print(f"(missed: true value below | above the interval). Bootstrap: {METHOD}.")
    began = time.perf_counter()
    for way in ("article", "beta"):
        for prompt, kappa in KAPPAS.items():
            design = Design(partial(study, kappa=kappa, way=way), pairs, closed_form)
            measure(f"{way:8} prompt {prompt}", design, int(prompt), given_sizes)
    for prompt, kappa in ROUNDS.items():
        for name, design in further(kappa).items():
            measure(f"{name:8} prompt {prompt}", design, int(prompt), given_sizes)
    print(f"{time.perf_counter() - began:.0f} s")


@dataclass(frozen=True)
class Design:
    """How a study's verdicts come about, and what is computed from them.

    `drawn(rng, articles=)` gives articles x features, `statistic` the numbers of sums of them, `independent` the ends
    of intervals that treat responses as independent, where there are any.
    """

    drawn: Callable[..., Floats]
    statistic: Callable[[Floats], Floats]
    independent: Callable[[Floats], list[Ends]] | None = None


def measure(line: str, design: Design, prompt: int, sizes: tuple[int, int, int, int]) -> None:
    studies, resamples, articles, true = sizes
    rng = np.random.Generator(np.random.PCG64([SEED, prompt]))
    sums = design.drawn(rng, articles=true).sum(axis=0)
    truth = dict(zip(NAMES, map(float, design.statistic(sums)), strict=True))
    counted: dict[tuple[str, str], Counter[str]] = {}
    for number in range(studies):
        drawn = design.drawn(rng, articles=articles)
        for name, method, (low, high) in intervals_of(
            design, drawn, ResamplePlan(number, resamples)
        ):
            where = "held"
            if low is None or high is None:
                where = "none"
            elif not low <= truth[name] <= high:
                where = "below" if truth[name] < low else "above"
            counted.setdefault((name, method), Counter())[where] += 1
    for name, true_value in truth.items():
        parts = []
        for method in (method for of, method in counted if of == name):
            share = {where: 100 * n / studies for where, n in counted[name, method].items()}
            held, below, above, none = (
                share.get(where, 0) for where in ("held", "below", "above", "none")
            )
            missing = f" none {none:.1f}" if none else ""
            parts.append(f"{method} {held:5.1f} % ({below:.1f} | {above:.1f}{missing})")
        print(f"{line} {name:9} true {true_value:.3f}: {'; '.join(parts)}", flush=True)


def further(kappa: float) -> dict[str, Design]:
    """The designs of later steps."""
    in_round = partial(study, kappa=kappa, way="article", part=added_with_anchors)
    on_anchors = partial(study, kappa=kappa, way="article", part=anchors)
    return {
        "round": Design(in_round, pairs, closed_form),
        "anchors": Design(on_anchors, pairs, closed_form),
        "pool": Design(partial(pool, kappa=kappa), many),
    }


def everything(rng: np.random.Generator, responses: int) -> NDArray[np.bool_]:
    return np.ones(responses, dtype=bool)


def anchors(rng: np.random.Generator, responses: int) -> NDArray[np.bool_]:
    """A share of the responses of all models but the first, which was added later."""
    return (np.arange(responses) % MODELS > 0) & (rng.random(responses) < ANCHORS)


def added_with_anchors(rng: np.random.Generator, responses: int) -> NDArray[np.bool_]:
    return (np.arange(responses) % MODELS == 0) | anchors(rng, responses)


def article_of_responses(articles: int) -> NDArray[np.int64]:
    """The article of each response. Later articles have one question, the first ones two."""
    twice = articles * (QUESTIONS - ARTICLES) // ARTICLES
    return np.repeat(np.concatenate([np.arange(articles), np.arange(twice)]), MODELS)


def study(
    rng: np.random.Generator, *, kappa: float, way: str, articles: int, part: Part = everything
) -> Floats:
    """Articles x 9: counts of the pairs of verdicts of the two judges, in a part of the responses."""
    article = article_of_responses(articles)
    verdict = own_verdicts(rng, article, articles)
    other = rng.choice(3, len(article), p=SHARES)
    cells = verdict * 3 + np.where(agrees(rng, article, articles, kappa, way), verdict, other)
    judged = part(rng, len(article))
    counted = np.bincount((article * 9 + cells)[judged], minlength=articles * 9)
    return counted.reshape(articles, 9).astype(float)


def pool(rng: np.random.Generator, *, kappa: float, articles: int) -> Floats:
    """Articles x features of many raters: two of four judges for each response.

    Each gives the response's verdict as often as they agree, and else draws one at random.
    """
    article = article_of_responses(articles)
    verdict = own_verdicts(rng, article, articles)
    first = rng.integers(len(JUDGES), size=len(article))
    second = (first + rng.integers(1, len(JUDGES), size=len(article))) % len(JUDGES)
    hard = (rng.random(articles) < WITHIN)[article]
    items = np.zeros((len(article), 3), dtype=np.int64)
    for judge in (first, second):
        strength = np.minimum(sqrt(kappa) * JUDGES[judge] * np.where(hard, 0.85, 1), 1)
        keeps = rng.random(len(article)) < strength
        given = np.where(keeps, verdict, rng.choice(3, len(article), p=SHARES))
        items[np.arange(len(article)), given] += 1
    columns = features(items).T
    return np.stack([np.bincount(article, column, articles) for column in columns], 1)


def own_verdicts(
    rng: np.random.Generator, article: NDArray[np.int64], articles: int
) -> NDArray[np.int64]:
    """The verdict that each response deserves."""
    of_article = rng.choice(3, articles, p=SHARES)[article]
    return np.where(adopts(rng, article), of_article, rng.choice(3, len(article), p=SHARES))


def adopts(rng: np.random.Generator, article: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which responses take their article's value; two of one article both do with probability 0.4."""
    return rng.random(len(article)) < sqrt(WITHIN)


def agrees(
    rng: np.random.Generator, article: NDArray[np.int64], articles: int, kappa: float, way: str
) -> NDArray[np.bool_]:
    """Where the second judge gives the same verdict; elsewhere theirs is drawn at random."""
    if way == "beta":
        strength = (1 - WITHIN) / WITHIN
        share = rng.beta(kappa * strength, (1 - kappa) * strength, articles)
        return rng.random(len(article)) < share[article]
    of_article = (rng.random(articles) < kappa)[article]
    return np.where(adopts(rng, article), of_article, rng.random(len(article)) < kappa)


def pairs(sums: Floats) -> Floats:
    tables = sums.reshape(3, 3, *sums.shape[1:])
    return np.stack([two_raters.kappa(tables), two_raters.observed(tables)])


def many(sums: Floats) -> Floats:
    part = Sums.unpacked(sums, 3)
    return np.stack([part.fleiss(), part.agreement])


def closed_form(sums: Floats) -> list[Ends]:
    table = sums.reshape(3, 3).astype(int)
    return [(made["low"], made["high"]) for made in (cohen_kappa(table), percent_agreement(table))]


def intervals_of(
    design: Design, counts: Floats, plan: ResamplePlan
) -> Iterator[tuple[str, str, Ends]]:
    """(coefficient, method, ends) of one study. Articles without a response of it are none of its clusters."""
    counts = counts[counts.any(axis=1)]
    if design.independent:
        for name, ends in zip(NAMES, design.independent(counts.sum(axis=0)), strict=True):
            yield name, "independent", ends
    rows, sizes = np.unique(counts, axis=0, return_counts=True)
    if len(counts) >= FEWEST_CLUSTERS:
        drawn = [design.statistic(rows.T @ weights.T) for weights in draws(sizes, plan)]
        for name, values_of in zip(NAMES, np.concatenate(drawn, axis=1), strict=True):
            low, high = np.nanquantile(values_of, [0.025, 0.975])
            yield name, "percentile", (float(low), float(high))
    for name, made in zip(NAMES, intervals(counts, design.statistic, plan), strict=True):
        yield name, "product", (made["low"], made["high"])


if __name__ == "__main__":
    main()
