"""An annotation as one JSON object: every field, where it is from, what was decided on it, and when.

People are named by their pseudonyms, as in every export.
"""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from annotation.fields.entries import entries_of
from annotation.models import Annotation, Campaign, Review
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
    """The annotations first submitted in the campaign, in the order of the draw, also those that lost their place."""
    rows = Annotation.objects.filter(first_assignment__campaign=campaign)
    at = (f"first_assignment__{column}" for column in ("round", "order", "slot"))
    return rows.order_by(*at, "pk")


def json_lines(annotations: QuerySet[Annotation]) -> Iterator[bytes]:
    """A line of UTF-8 JSON for each annotation, a batch in memory at a time."""
    related = (
        "first_assignment", "author", "guideline", "contradiction", "sighting__revision__article__wiki",
        "sighting__tag",
    )  # fmt: skip
    rows = annotations.select_related(*related).prefetch_related(
        "questions", "reviews__reviewer", "reviews__of_tag"
    )
    rows = rows.defer(*(f"sighting__{column}" for column in LONG))
    for annotation in rows.iterator(chunk_size=BATCH):
        yield json.dumps(record_of(annotation), ensure_ascii=False).encode() + b"\n"


def record_of(annotation: Annotation) -> dict[str, Any]:
    """The annotation as data. `round`, `tag.order` (place in the draw) and `tag.slot` are the first submission's."""
    place = annotation.first_assignment
    return {
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
