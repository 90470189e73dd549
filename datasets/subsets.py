"""Subsets: named choices of a collection's questions, drawn once by a seed and never changed.

They point at questions of the contradictions as they were. What was superseded since is counted where a subset is used.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.models import Person
from datasets.contexts import is_same, reasoning
from datasets.counts import current_instances, narrowed
from datasets.drawing import ALL, Framed, SubsetPlan, draw, frame
from datasets.facets import EMPTY, FACETS, SLICE, chosen_facets, facets_of, slice_text
from datasets.models import Collection, Contradiction, Instance, Subset
from datasets.records import locked
from datasets.taxonomy import DIMENSIONS
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

NONE = "none"


@dataclass(frozen=True)
class Slice:
    """A way to part questions into strata: its title, the value of a question, and the labels of the values."""

    title: str
    value: Callable[[Instance], str]
    labels: Mapping[str, str]


def _column(name: str) -> Callable[[Instance], str]:
    return lambda asked: getattr(asked.contradiction, name) or NONE


def _labels(parameter: str) -> dict[str, str]:
    return {facet.value: facet.label for facet in FACETS if facet.parameter == parameter}


SLICES = {
    "reasoning": Slice(
        "Reasoning (type IV)",
        lambda asked: reasoning(asked.contradiction.type_4),
        _labels("reasoning"),
    ),
    "passages": Slice(
        "Same or different passages",
        lambda asked: "same" if is_same(asked.contradiction) else "different",
        _labels("passages"),
    ),
    "kind": Slice("Kind of question", lambda asked: asked.kind.replace("/", "-"), _labels("kind")),
} | {
    f"type-{n}": Slice(
        f"Type {dimension.short}: {dimension.title}",
        _column(f"type_{n}"),
        {choice.value: choice.label for choice in dimension.options}
        | {NONE: f"No type {dimension.short}"},
    )
    for n, dimension in enumerate(DIMENSIONS[:3], start=1)
}


def slices_of(collection: Collection) -> dict[str, Slice]:
    """The slices that can make strata: those of the filters where a protocol declares them."""
    if not collection.is_declared:
        return SLICES
    titles = {facet.parameter: facet.title for facet in facets_of(collection)}
    return {
        name: Slice(title, lambda asked: getattr(asked, PART) or EMPTY, {})
        for name, title in titles.items()
    }


# The name of a declared slice's value in a statement.
PART = "declared_part"
# What drawing reads of a question: not the texts, which are large.
OF_TAG = ("external_id", "position", "same_passage", "type_1", "type_2", "type_3", "type_4")
READ = ("n", "kind", *(f"contradiction__{name}" for name in OF_TAG))


@dataclass(frozen=True)
class Query:
    """Which questions may be drawn, and how they are parted.

    `facets` are values of the collection's facets by parameter; `by` is a name of slices_of, empty for no strata.
    """

    facets: Mapping[str, str] = field(default_factory=dict)
    by: str = ""

    def label(self, stratum: str) -> str:
        if not self.by:
            return "All questions"
        return SLICES[self.by].labels.get(stratum, stratum) if self.by in SLICES else stratum


def framed(collection: Collection, query: Query, plan: SubsetPlan) -> list[Framed]:
    """The newest questions that match and are not excluded, in the order in which they are drawn."""
    chosen = chosen_facets(collection, query.facets)
    rows = narrowed(current_instances(collection), chosen).select_related("contradiction")
    rows = rows.only(*READ).exclude(exclusion__excluded_by__isnull=False)
    if query.by.startswith(SLICE):
        rows = rows.annotate(**{PART: slice_text(query.by.removeprefix(SLICE))})
    tags = _tags(collection)
    value = slices_of(collection)[query.by].value if query.by else None
    questions = (
        Framed(
            asked.pk,
            f"{asked.contradiction.external_id}/{asked.n}",
            tags.get(asked.contradiction.position, asked.contradiction.position),
            value(asked) if value else ALL,
        )
        for asked in rows
    )
    return frame(questions, plan)


def _tags(collection: Collection) -> dict[int, int]:
    """For each contradiction whose tag has several, by its place: the lowest place in the tag.

    Places, not keys: links name the versions that they were made between.
    """
    links = collection.contradictions.filter(same_tag_as__isnull=False)
    lower: dict[int, int] = {}

    def lowest(place: int) -> int:
        return lowest(lower[place]) if place in lower else place

    for pair in links.order_by("pk").values_list("position", "same_tag_as__position"):
        low, high = sorted(map(lowest, pair))
        if low != high:
            lower[high] = low
    return {place: lowest(place) for place in lower}


def strata(questions: list[Framed]) -> dict[str, int]:
    """How many questions each stratum has, in alphabetical order."""
    return dict(sorted(Counter(question.stratum for question in questions).items()))


@transaction.atomic
def freeze(
    name: str, collection: Collection, query: Query, plan: SubsetPlan, *, by: Person | None
) -> Subset:
    """Draw a subset and store it with how it was drawn; raises Refusal with what to change, Conflict for its name."""
    locked(collection)
    questions = framed(collection, query, plan)
    drawn = draw(questions, plan)
    if not drawn:
        raise Refusal("Nothing would be drawn. Give a number above 0.")
    sizes, taken = strata(questions), strata(drawn)
    try:
        with transaction.atomic():
            subset = Subset.objects.create(
                collection=collection,
                name=name,
                query=dict(query.facets),
                by=query.by,
                seed=plan.seed,
                one_per_tag=plan.one_per_tag,
                frame=len(questions),
                strata=[
                    [query.label(stratum), size, taken.get(stratum, 0)]
                    for stratum, size in sizes.items()
                ],
                created_by=by,
            )
    except IntegrityError as error:
        raise Conflict(
            f"This collection has a subset named {name!r} already. Choose another name."
        ) from error
    subset.instances.set([question.key for question in drawn])
    return subset


def subset_of(collection: Collection, pk: int) -> Subset:
    """Raises NotFoundHere."""
    rows = collection.subsets.select_related("created_by", "collection")
    return first_of(rows.filter(pk=pk), "There is no such subset.")


def contradictions_of(subset: Subset) -> QuerySet[Contradiction]:
    return Contradiction.objects.filter(instances__subsets=subset).distinct()


def superseded_in(subset: Subset) -> QuerySet[Contradiction]:
    """The subset's contradictions that have a newer version now: the subset keeps the older one."""
    return contradictions_of(subset).filter(superseded_by__isnull=False).order_by("position")


def described(subset: Subset) -> str:
    """What the questions that could be drawn have in common, in words."""
    chosen = [facet.label for facet in FACETS if subset.query.get(facet.parameter) == facet.value]
    declared = [
        f"{slice_title(subset, name)}: {value}"
        for name, value in sorted(subset.query.items())
        if name.startswith(SLICE)
    ]
    return ", ".join([*chosen, *declared]) or "All questions"


def slice_title(subset: Subset, name: str) -> str:
    """The title of a slice that is in the subset's query, or makes its strata."""
    if name.startswith(SLICE):
        return subset.collection.declaration.slices[name.removeprefix(SLICE)].title
    return SLICES[name].title
