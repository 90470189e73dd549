"""An annotation as one JSON object: every field, where it is from, what was decided on it, and when.

People are named by their pseudonyms, as in every export. In the file of all annotations, those of a tag that several
people annotate and that is not decided have the letters of the review instead, and no slot or time that tells whose
they are.
"""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.fields.entries import entries_of
from annotation.models import Annotation, Assignment, Campaign, Review, TagReview
from annotation.reviewing.letters import letter
from annotation.reviewing.tags_in_round import InRound
from annotation.states import AnnotationState
from wikifetch.states import TagState

BATCH = 100
AS_THEY_ARE = (
    "state", "version", "touched", "filled", "provenance", "checked_warnings", "flagged", "flag_note",
    "seconds_active", "first_entries",
)  # fmt: skip
# Of a sighting: long, and not exported.
LONG = ("revision__wikitext", "block", "block_clean", "block_text")
TIMES = ("created_at", "first_submitted_at", "submitted_at", "saved_at")


def submitted_once(campaign: Campaign) -> QuerySet[Annotation]:
    """The annotations first submitted in the campaign, also those that lost their place."""
    return Annotation.objects.filter(first_assignment__campaign=campaign)


# The draw; then undecided annotations of a tag by their letters, the others by slot.
IN_ORDER = ("first_assignment__round", "first_assignment__order", "place", "pk")


def exported(campaign: Campaign) -> QuerySet[Any]:
    """Those of submitted_once with `is_undecided`, `letter_place` and `place`, IN_ORDER."""
    in_round = Assignment.objects.filter(**_place()).order_by()
    own = OuterRef("first_assignment__lot")
    before = in_round.filter(lot__lt=own).values("tag").annotate(n=Count("lot", distinct=True))
    rows = submitted_once(campaign).annotate(
        is_undecided=_undecided(), letter_place=Coalesce(Subquery(before.values("n")), 0)
    )
    by_letter, slot = When(is_undecided=True, then=F("letter_place")), F("first_assignment__slot")
    place = Case(by_letter, default=slot, output_field=IntegerField())
    return rows.annotate(place=place).order_by(*IN_ORDER)


def named(campaign: Campaign) -> QuerySet[Any]:
    """Those of submitted_once with their pseudonyms, decided or not, in the order of the draw."""
    rows = submitted_once(campaign).annotate(is_undecided=Value(value=False))
    return rows.order_by(
        *(f"first_assignment__{name}" for name in ("round", "order", "slot")), "pk"
    )


def _undecided() -> Q:
    """On annotations: the tag waits for review in the round of the first submission, and is not one person's alone.

    Where nothing waits, or there is one letter, no reviewer has to tell annotators apart.
    """
    in_round = Assignment.objects.filter(**_place())
    waiting = (AnnotationState.SUBMITTED, AnnotationState.SENT_BACK)
    return Q(
        Exists(in_round.exclude(lot=OuterRef("first_assignment__lot"))),
        Exists(in_round.filter(annotation__state__in=waiting)),
        ~Exists(TagReview.objects.filter(**_place(), taken_back_at=None)),
    )


def _place() -> dict[str, OuterRef]:
    return {name: OuterRef(f"first_assignment__{name}") for name in InRound._fields}


def json_lines(annotations: QuerySet[Any]) -> Iterator[bytes]:
    """A line of UTF-8 JSON for each annotation of `exported`, a batch in memory at a time."""
    for annotation in with_related(annotations).iterator(chunk_size=BATCH):
        yield json.dumps(record_of(annotation), ensure_ascii=False).encode() + b"\n"


def with_related(annotations: QuerySet[Any]) -> QuerySet[Any]:
    """With the rows that record_of reads."""
    related = (
        "first_assignment", "author", "guideline", "contradiction", "sighting__revision__article__wiki",
        "sighting__tag",
    )  # fmt: skip
    rows = annotations.select_related(*related).prefetch_related(
        "questions", "reviews__reviewer", "reviews__of_tag"
    )
    return rows.defer(*(f"sighting__{column}" for column in LONG))


def record_of(annotation: Any) -> dict[str, Any]:
    """The annotation as data. `round`, `tag.order` (place in the draw) and `tag.slot` are the first submission's."""
    place = annotation.first_assignment
    record = {
        "round": place and place.round,
        "tag": {"order": place and place.order, "slot": place and place.slot, **_tag(annotation)},
        "annotator": annotation.author.pseudonym,
        "guideline": annotation.guideline and annotation.guideline.version,
        "entries": entries_of(annotation),
        **{name: getattr(annotation, name) for name in AS_THEY_ARE},
        **{name: (at := getattr(annotation, name)) and at.isoformat() for name in TIMES},
        "reviews": [_review(review) for review in reversed(annotation.reviews.all())],
        "record": annotation.contradiction and annotation.contradiction.external_id,
    }
    return _by_letter(record, annotation.letter_place) if annotation.is_undecided else record


def _by_letter(record: dict[str, Any], place: int) -> dict[str, Any]:
    """The record of an undecided tag: slot and times would say who came first."""
    return {
        **record,
        "tag": {**record["tag"], "slot": None},
        "annotator": letter(place),
        **dict.fromkeys(TIMES),
        "reviews": [{**review, "at": None} for review in record["reviews"]],
    }


def _tag(annotation: Annotation) -> dict[str, Any]:
    sighting = annotation.sighting
    article = sighting.revision.article
    return {
        "wiki": article.wiki.base_url,
        "title": article.title,
        "pageid": article.pageid,
        "revid": sighting.revision.revid,
        "url": article.url,
        "kind": sighting.kind,
        "wikitext": sighting.raw,
        "date": sighting.date,
        "reason": sighting.reason,
        "section": sighting.section,
        "is_live": sighting.tag.state == TagState.LIVE,
    }


def _review(review: Review) -> dict[str, Any]:
    return {
        "decision": review.decision,
        "version": review.annotation_version,
        "reviewer": review.reviewer.pseudonym,
        "reason": review.of_tag.reason if review.of_tag else "",
        "note": review.note,
        "notes_by_field": review.notes_by_field,
        "answer": review.answer,
        "at": review.created_at.isoformat(),
    }
