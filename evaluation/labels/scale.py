"""The scale of labels from elsewhere: their order and their numbers, declared or read off them. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.labels.spelling import some
from judging.rules.verdict_scale import headline_weights
from leases.refusal import Refusal

NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")

NO_ORDER = "The labels have no order. Declare one, from lowest to highest, or use numbers."
NO_NUMBERS = "The labels are no numbers."
ONE_NUMBER = "Two labels are one number written in two ways: {labels}. Write it in one."


@dataclass(frozen=True)
class LabelScale:
    """Labels from lowest to highest; `unordered` and `unnumbered` say why they have no order or no numbers."""

    labels: tuple[str, ...]
    values: tuple[float, ...] | None
    unordered: str = ""
    unnumbered: str = ""

    @property
    def weights(self) -> str:
        """Those of the kappa that is put forward, by the rule of rubrics."""
        return headline_weights(len(self.labels), is_ordered=not self.unordered)


def scale_of(used: Iterable[str], order: Sequence[str] = ()) -> LabelScale:
    """The scale of the labels that were used; raises Refusal for an order that lacks one, or names one twice.

    A declared order is the scale, with labels that nobody used. Without one, numbers are in their own order; other
    labels have none and are sorted by their letters.
    """
    used = list(used)
    if twice := [label for label, count in Counter(order).items() if count > 1]:
        raise Refusal(f"The order names a label twice: {', '.join(twice)}.")
    if order and (strange := sorted(set(used) - set(order))):
        raise Refusal(
            f"Labels that the order lacks: {some(strange)}. The order is {', '.join(order)}."
        )
    labels = tuple(order) or tuple(sorted(used))
    if not labels or not all(NUMBER.fullmatch(label) for label in labels):
        return LabelScale(labels, None, "" if order else NO_ORDER, NO_NUMBERS)
    if not order:
        labels = tuple(sorted(labels, key=lambda label: (float(label), label)))
    values = tuple(map(float, labels))
    twins = [label for label in labels if values.count(float(label)) > 1]
    if twins:
        why = ONE_NUMBER.format(labels=", ".join(twins))
        return LabelScale(labels, None, "" if order else why, why)
    return LabelScale(labels, values)
