"""Writes values.json: random ratings, and what other people's programs make of them.

    python -m venv oracles && oracles/bin/pip install krippendorff irrCAC statsmodels
    oracles/bin/python tests/evaluation/statistics/oracles/make.py

These packages are not the app's: two have licences or pins that it could not live with. The file names the
versions it was made with. A value that a program does not give, or gives as NaN or infinite, is null.
"""

import json
import math
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from statsmodels.stats import inter_rater

OUT = Path(__file__).parent / "values.json"
TABLES = 50
MISSING = -1


def main() -> None:
    warnings.simplefilter("ignore")
    chance = np.random.Generator(np.random.PCG64(20240226))
    cases = [case(number, chance) for number in range(TABLES)]
    packages = ("krippendorff", "irrCAC", "statsmodels", "numpy")
    made_with = {name: version(name) for name in packages}
    lines = ",\n  ".join(json.dumps(result) for result in cases)
    head = json.dumps(made_with)
    OUT.write_text(f'{{"made_with": {head},\n "cases": [\n  {lines}\n]}}\n', encoding="utf-8")


def case(number: int, chance: np.random.Generator) -> dict[str, object]:
    """Ratings items x raters, and their values. Every fifth uses one category, every second has gaps."""
    k, raters = int(chance.integers(2, 6)), 2 if number % 3 else int(chance.integers(3, 6))
    truth = chance.integers(0, k, int(chance.integers(8, 60)))
    strays = chance.integers(0, k, (len(truth), raters))
    ratings = np.where(
        chance.random(strays.shape) < chance.uniform(0.3, 0.95), truth[:, None], strays
    )
    if number % 5 == 4:
        ratings[:] = k - 1
    if number % 2:
        ratings[chance.random(ratings.shape) < 0.2] = MISSING
    return {"k": k, "ratings": ratings.tolist(), "values": values(ratings, k)}


def values(ratings: np.ndarray, k: int) -> dict[str, object]:
    known = {name: alpha(ratings, k, name) for name in ("nominal", "ordinal", "interval")}
    result = {f"krippendorff_alpha_{name}": value for name, value in known.items()}
    result["gwet_ac1"] = ac1(ratings, k)
    counted = np.array([[(row == label).sum() for label in range(k)] for row in ratings])
    whole = counted[counted.sum(axis=1) == ratings.shape[1]]
    result["fleiss_kappa"] = plain(lambda: inter_rater.fleiss_kappa(whole))
    result["fleiss_items"] = len(whole)
    return result | (of_two(ratings, k) if ratings.shape[1] == 2 else {})


def alpha(ratings: np.ndarray, k: int, level: str) -> float | None:
    seen = np.where(ratings == MISSING, np.nan, ratings.astype(float)).T
    return plain(
        lambda: krippendorff.alpha(seen, level_of_measurement=level, value_domain=range(k))
    )


def ac1(ratings: np.ndarray, k: int) -> float | None:
    seen = pd.DataFrame(np.where(ratings == MISSING, np.nan, ratings.astype(float)))
    raw = CAC(seen, weights="identity", categories=[float(label) for label in range(k)], digits=12)
    return plain(lambda: raw.gwet()["est"]["coefficient_value"])


def of_two(ratings: np.ndarray, k: int) -> dict[str, object]:
    table = np.zeros((k, k))
    for first, second in ratings[(ratings != MISSING).all(axis=1)]:
        table[first, second] += 1
    found: dict[str, object] = {}
    for weights, name in ((None, "none"), ("linear", "linear"), ("quadratic", "quadratic")):
        result = inter_rater.cohens_kappa(table, wt=weights)
        found[f"cohen_kappa {name}"] = plain(partial(getattr, result, "kappa"))
        found[f"cohen_kappa {name} se"] = plain(partial(getattr, result, "std_kappa"))
    both = pd.DataFrame(ratings[(ratings != MISSING).all(axis=1)].astype(float))
    categories = [float(label) for label in range(k)]
    raw = CAC(both, weights="identity", categories=categories, digits=12)
    found["scott_pi"] = plain(lambda: raw.fleiss()["est"]["coefficient_value"])
    return found


def plain(compute: Callable[[], float]) -> float | None:
    """The number, or None where the program has none."""
    try:
        value = float(compute())
    except (ValueError, ZeroDivisionError, AssertionError):
        return None
    return value if math.isfinite(value) else None


main()
