"""The annotations of a campaign that agreement compares: as first submitted, and as they are after review."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    When,
)
from django.db.models.fields.json import KeyTextTransform

from annotation.fields.entries import COLUMNS, DIMENSION_OF, entries_in
from annotation.models import Annotation, Assignment, Campaign, Review, Seen
from annotation.states import AnnotationState
from datasets.models import Validity
from datasets.taxonomy import order
from evaluation.annotators.measures import VALID, Entered
from evaluation.annotators.stage_agreement import AFTER, BEFORE, BLIND

NOT_REVIEWED = (AnnotationState.DRAFT, AnnotationState.SUBMITTED, AnnotationState.SENT_BACK)

RELATED = ("assignment", "first_assignment", "author", "sighting__tag__article__wiki")
PLACE = ("campaign", "round", "order", "tag")
# The columns that Entered is made from, and no others: annotations have long texts.
NEEDED = (
    *COLUMNS, "taxonomy", "state", "first_entries", "author__pseudonym",
    *(f"assignment__{name}" for name in PLACE), *(f"first_assignment__{name}" for name in PLACE),
    "sighting__tag__article__title", "sighting__tag__article__pageid",
    "sighting__tag__article__wiki__base_url",
)  # fmt: skip


class Called(NamedTuple):
    """A tag of a round that `n` people annotated, of whom `valid` call it valid.

    `first` and `last` of its annotators by key, `says_valid` the first of those who call it valid.
    """

    round: int
    n: int
    valid: int
    first: int
    last: int
    says_valid: int | None


def submitted_in(campaign: Campaign) -> QuerySet[Annotation]:
    """The annotations that were first submitted in the campaign, or were submitted and have an assignment in it.

    One that was sent back can lose its assignment and be continued in another campaign.
    """
    is_here = Q(first_assignment__campaign=campaign) | Q(assignment__campaign=campaign)
    return Annotation.objects.filter(is_here, first_entries__isnull=False)


def handed_in(campaign: Campaign) -> QuerySet[Annotation]:
    """Those of submitted_in, with what an Entered needs."""
    seen = Seen.objects.filter(
        person=OuterRef("author"),
        tag=OuterRef("sighting__tag"),
        at__lt=OuterRef("first_submitted_at"),
    )
    rows = submitted_in(campaign).annotate(after_seeing=Exists(seen))
    return rows.select_related(*RELATED).only(*NEEDED).order_by("pk")


def called(campaign: Campaign) -> Iterator[Called]:
    """What several people called each tag before review, counted by the database.

    An annotation that was never sent back still says what it said first, so few first entries are read.
    """
    sent_back = Exists(
        Review.objects.filter(annotation=OuterRef("pk"), decision=Review.Decision.SEND_BACK)
    )
    first = KeyTextTransform("validity", "first_entries")
    says = Case(When(sent_back, then=first), default=F("validity"), output_field=CharField())
    rows = Annotation.objects.filter(
        first_entries__isnull=False, first_assignment__campaign=campaign
    )
    tags = rows.order_by().values("first_assignment__round", "first_assignment__tag")
    is_valid = Q(says=Validity.VALID)
    counted = (
        tags.alias(says=says)
        .annotate(
            n=Count("pk"),
            valid=Count("pk", filter=is_valid),
            first=Min("author"),
            last=Max("author"),
            says_valid=Min("author", filter=is_valid),
        )
        .filter(n__gt=1)
    )
    columns = ("first_assignment__round", "n", "valid", "first", "last", "says_valid")
    for row in counted.values_list(*columns).iterator(chunk_size=5_000):
        yield Called(*row)


def populations(campaign: Campaign) -> dict[int, dict[str, list[Entered]]]:
    """Round -> stage -> annotations. The stage "blind" is there only if it leaves something out."""
    rounds: dict[int, dict[str, list[Entered]]] = {}
    for annotation in handed_in(campaign).iterator(chunk_size=500):
        for stage, place, entries in _at_stages(annotation):
            if place and place.campaign_id == campaign.pk:
                stages = rounds.setdefault(place.round, {BEFORE: [], AFTER: []})
                stages[stage].append(_entered(annotation, place, entries))
    for stages in rounds.values():
        blind = [entered for entered in stages[BEFORE] if not entered.after_seeing]
        if len(blind) < len(stages[BEFORE]):
            stages[BLIND] = blind
    return rounds


def _at_stages(
    annotation: Annotation,
) -> Iterator[tuple[str, Assignment | None, Mapping[str, Any]]]:
    """Its assignment and entries at the first submission, and after review if the tag was not ambiguous."""
    now = entries_in(vars(annotation), ())  # questions are not compared
    assert annotation.first_entries is not None, "submitted_in gives those that have them."
    yield BEFORE, annotation.first_assignment, annotation.first_entries
    if annotation.state not in (*NOT_REVIEWED, AnnotationState.AMBIGUOUS):
        yield AFTER, annotation.assignment, now


def _entered(annotation: Annotation, place: Assignment, entries: Mapping[str, Any]) -> Entered:
    article = annotation.sighting.tag.article
    is_valid = entries["validity"] == VALID
    texts: dict[str, Any] = {}
    if is_valid:
        texts = {
            "types": tuple(tuple(order(entries[name])) for name in DIMENSION_OF),
            "passages": (entries["passage_1_copied"], entries["passage_2_copied"]),
            "spans": (entries["span_1"], entries["span_2"]),
        }
    return Entered(
        tag_id=place.tag_id,
        round=place.round,
        tag=place.order,
        article=f"{article.wiki.base_url}{article.pageid}",
        title=article.title,
        annotator=annotation.author.pseudonym,
        validity=entries["validity"],
        after_seeing=annotation.after_seeing,  # type: ignore[attr-defined]
        **texts,
    )
