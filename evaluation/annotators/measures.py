"""What is compared between annotations of one tag: validity, options, dimensions, passages, spans. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from operator import attrgetter

from datasets.taxonomy import DIMENSIONS, Dimension
from evaluation.annotators.overlap import Pair, is_turned, overlap

VALID, INVALID = "Valid", "Invalid"
CHOSEN, NOT_CHOSEN = "chosen", "not chosen"
VALIDITY, OPTION, DIMENSION, OVERLAP = "validity", "option", "dimension", "overlap"
# Between the options of one dimension, in the label of a set.
AND = " + "


@dataclass(frozen=True)
class Entered:
    """One annotation of a tag: `tag` is the tag's place in the draw, `tag_id` its row; intervals resample `article`s.

    `types` has the options chosen in each dimension, in the form's order; `after_seeing` says whether its author had
    seen other annotations of the tag before. An invalid tag has no types, passages or spans.
    """

    tag_id: int
    round: int
    tag: int
    article: str
    title: str
    annotator: str
    validity: str
    types: tuple[tuple[str, ...], ...] = ((), (), (), ())
    passages: Pair = ("", "")
    spans: Pair = ("", "")
    after_seeing: bool = False

    @property
    def is_valid(self) -> bool:
        return self.validity == VALID


@dataclass(frozen=True)
class Measure:
    """One thing that is compared: `label_of` gives an annotation's label, None where the measure does not apply to it.

    `labels` are the labels in order; a dimension has those that occur.
    """

    key: str
    kind: str
    label_of: Callable[[Entered], str | None]
    labels: tuple[str, ...] = ()


def _option(place: int, value: str, entered: Entered) -> str | None:
    if not entered.is_valid:
        return None
    return CHOSEN if value in entered.types[place] else NOT_CHOSEN


def _set(place: int, entered: Entered) -> str | None:
    return AND.join(entered.types[place]) if entered.is_valid else None


def _of_dimension(place: int, dimension: Dimension) -> list[Measure]:
    whole = Measure(f"type {dimension.short}", DIMENSION, partial(_set, place))
    options = [
        Measure(value, OPTION, partial(_option, place, value), (CHOSEN, NOT_CHOSEN))
        for value in dimension.values
    ]
    return [whole, *options]


LABELLED: tuple[Measure, ...] = (
    Measure("validity", VALIDITY, attrgetter("validity"), (VALID, INVALID)),
    *(
        measure
        for place, dimension in enumerate(DIMENSIONS)
        for measure in _of_dimension(place, dimension)
    ),
)
MEASURES = {measure.key: measure for measure in LABELLED}
OVERLAPS = ("passage 1", "passage 2", "span 1", "span 2")


def labels_of(measure: Measure, items: Sequence[Sequence[Entered]]) -> tuple[str, ...]:
    """The measure's labels; of a dimension the sets that occur in items with two or more labels, sorted.

    The others are in no coefficient, and AC1's chance depends on the number of labels.
    """
    if measure.labels:
        return measure.labels
    return tuple(sorted({label for item in items for label in given_to(measure, item)}))


def given_to(measure: Measure, item: Sequence[Entered]) -> list[str]:
    """The labels of one item; none if there are fewer than two to compare."""
    labels = [label for label in map(measure.label_of, item) if label is not None]
    return labels if len(labels) > 1 else []


@dataclass(frozen=True)
class TagComparison:
    """Two annotations of one tag, in the order of the annotators' names.

    `overlaps` has a number from 0 to 1 for each of OVERLAPS, None where one annotation says invalid or both leave the
    text empty.
    """

    first: Entered
    second: Entered
    overlaps: tuple[float | None, ...]

    @property
    def after_seeing(self) -> bool:
        return self.first.after_seeing or self.second.after_seeing


def compared(first: Entered, second: Entered) -> TagComparison:
    """The comparison, with the second one's passages and spans in the order that fits the first one's better."""
    if not (first.is_valid and second.is_valid):
        return TagComparison(first, second, (None,) * len(OVERLAPS))
    turn = -1 if is_turned(first.passages, second.passages) else 1
    pairs = [
        *zip(first.passages, second.passages[::turn], strict=True),
        *zip(first.spans, second.spans[::turn], strict=True),
    ]
    return TagComparison(first, second, tuple(overlap(a, b) for a, b in pairs))


def by_tag(annotations: Sequence[Entered]) -> list[list[Entered]]:
    """The annotations of each tag that has two or more, in the order of the draw and of the annotators' names."""
    items: dict[tuple[int, int], list[Entered]] = {}
    for entered in sorted(
        annotations, key=lambda entered: (entered.round, entered.tag, entered.annotator)
    ):
        items.setdefault((entered.round, entered.tag), []).append(entered)
    return [item for item in items.values() if len(item) > 1]


def comparisons(annotations: Sequence[Entered]) -> list[TagComparison]:
    """Each two annotations of each tag."""
    return [compared(*both) for item in by_tag(annotations) for both in combinations(item, 2)]
