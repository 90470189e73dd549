"""How much two different labels of an ordered scale still agree, for weighted kappas. Pure."""

from collections.abc import Sequence

import numpy as np

from .chance import Floats

UNWEIGHTED, LINEAR, QUADRATIC = ("none", "linear", "quadratic")
WEIGHTED = (LINEAR, QUADRATIC)


def kappas_of(labels: int, headline: str = UNWEIGHTED, *, is_ordered: bool) -> tuple[str, ...]:
    """The weights of the kappas of so many labels, first those of the one that is put forward (`headline`).

    Two labels have one distance: weights repeat the same number, which is left out unless it is put forward.
    """
    has_distances = (is_ordered and labels > 2) or headline != UNWEIGHTED
    every = (UNWEIGHTED, *WEIGHTED) if has_distances else (UNWEIGHTED,)
    return tuple(dict.fromkeys((headline, *every)))


def agreement_weights(places: Sequence[int], kind: str = UNWEIGHTED) -> Floats:
    """How much two labels at these places of an ordered scale agree, 1 for equal ones: k x k.

    none: 0 unless equal; linear: 1 - |i - j| / m; quadratic: 1 - (i - j)^2 / m^2, with m from the first place to the
    last.
    """
    power = {UNWEIGHTED: 0, LINEAR: 1, QUADRATIC: 2}.get(kind)
    if power is None:
        raise ValueError(f"{kind!r} is none of the weights none, linear, quadratic.")
    if power == 0 or len(places) == 1:
        return np.eye(len(places))
    apart = np.abs(np.subtract.outer(places, places)) / (max(places) - min(places))
    return np.asarray(1 - apart**power)
