"""How often 95 % intervals of agreement contain the true value, in simulated studies of the paper's shape.

    bin/bench coverage [STUDIES [RESAMPLES [ARTICLES [TRUTH]]]]

48 questions from 40 articles, five models, two judges; kappa as published for prompts 1 to 5. Within an article
verdicts correlate by 0.4, and so does whether the judges agree, in one of two ways: a response takes its
article's value with probability sqrt(0.4), or each article draws its own share of agreement (beta). The true
value is that of TRUTH articles, 1,000,000 unless given. The product's interval is compared with the closed form and
Wilson's, which treat responses as independent, and with the plain percentile interval of the same draws.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics import two_raters
from evaluation.statistics.bootstrap import METHOD, Plan, draws, intervals
from evaluation.statistics.two_raters import cohen_kappa, percent_agreement

KAPPAS = {"1": 0.84, "2": 0.88, "3": 0.85, "4": 0.58, "5": 0.67}
SHARES = np.array([0.2, 0.3, 0.5])
WITHIN = 0.4
ARTICLES, QUESTIONS, MODELS = 40, 48, 5
SEED = 20240226
Floats = NDArray[np.float64]
Ends = tuple[float | None, float | None]


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    studies, resamples, articles, true = given + [2_000, 2_000, ARTICLES, 1_000_000][len(given) :]
    print(
        f"{studies} studies of {articles} articles for each line, {resamples} resamples: share of 95 % intervals "
        "that contain the true value"
    )
    print(f"(missed: true value below | above the interval). Bootstrap: {METHOD}.")
    began = time.perf_counter()
    for way in ("article", "beta"):
        for prompt, kappa in KAPPAS.items():
            rng = np.random.Generator(np.random.PCG64([SEED, int(prompt)]))
            truth = values(study(rng, kappa, way, true).sum(axis=0))
            intervals_of_all = [
                one
                for number in range(studies)
                for one in of_study(study(rng, kappa, way, articles), Plan(number, resamples))
            ]
            print_coverage(f"{way:8} prompt {prompt}", truth, intervals_of_all, studies)
    print(f"{time.perf_counter() - began:.0f} s")


def study(rng: np.random.Generator, kappa: float, way: str, articles: int = ARTICLES) -> Floats:
    """Articles x 9: counts of the pairs of verdicts of the two judges. Later articles have one question."""
    twice = articles * (QUESTIONS - ARTICLES) // ARTICLES
    questions = np.concatenate([np.arange(articles), np.arange(twice)])
    article = np.repeat(questions, MODELS)
    of_article = rng.choice(3, articles, p=SHARES)[article]
    verdict = np.where(adopts(rng, article), of_article, rng.choice(3, len(article), p=SHARES))
    other = rng.choice(3, len(article), p=SHARES)
    cells = verdict * 3 + np.where(agrees(rng, article, articles, kappa, way), verdict, other)
    counted = np.bincount(article * 9 + cells, minlength=articles * 9)
    return counted.reshape(articles, 9).astype(float)


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


def statistic(sums: Floats) -> Floats:
    tables = sums.reshape(3, 3, *sums.shape[1:])
    return np.stack([two_raters.kappa(tables), two_raters.observed(tables)])


def values(sums: Floats) -> dict[str, float]:
    return dict(zip(("kappa", "agreement"), map(float, statistic(sums)), strict=True))


def of_study(counts: Floats, plan: Plan) -> Iterator[tuple[str, str, Ends]]:
    """(coefficient, method, ends) of one study."""
    table = counts.sum(axis=0).reshape(3, 3).astype(int)
    for name, one in (("kappa", cohen_kappa(table)), ("agreement", percent_agreement(table))):
        yield name, "independent", (one["low"], one["high"])
    rows, sizes = np.unique(counts, axis=0, return_counts=True)
    drawn = np.concatenate([statistic(rows.T @ one.T) for one in draws(sizes, plan)], axis=1)
    for name, values_of in zip(("kappa", "agreement"), drawn, strict=True):
        low, high = np.nanquantile(values_of, [0.025, 0.975])
        yield name, "percentile", (float(low), float(high))
    for name, made in zip(("kappa", "agreement"), intervals(counts, statistic, plan), strict=True):
        yield name, "product", (made["low"], made["high"])


def print_coverage(
    line: str, truth: dict[str, float], results: list[tuple[str, str, Ends]], studies: int
) -> None:
    counted: Counter[tuple[str, str, str]] = Counter()
    for name, method, (low, high) in results:
        if low is None or high is None:
            counted[name, method, "none"] += 1
            continue
        where = "below" if truth[name] < low else "above" if truth[name] > high else "held"
        counted[name, method, where] += 1
    for name in truth:
        parts = []
        for method in ("independent", "percentile", "product"):
            held, below, above, none = (
                100 * counted[name, method, where] / studies
                for where in ("held", "below", "above", "none")
            )
            missing = f" none {none:.1f}" if none else ""
            parts.append(f"{method} {held:5.1f} % ({below:.1f} | {above:.1f}{missing})")
        print(f"{line} {name:9} true {truth[name]:.3f}: {'; '.join(parts)}", flush=True)


if __name__ == "__main__":
    main()
