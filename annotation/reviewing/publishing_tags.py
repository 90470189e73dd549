"""Publish what reviews accepted as records of the campaign's collection.

Records have the shape of the published dataset (WikiContradict, Appendix E); invalid tags are kept too. One tag gives
one record, or two that name each other where a review found two contradictions. A record that an earlier round
published gets a new version. Publishing again adds nothing.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.audit import AuditKind, record
from accounts.models import Person
from annotation.evidence.hidden_text import withhold_late
from annotation.evidence.paragraphs import paragraphs, tag_text
from annotation.evidence.provenance import origin_in
from annotation.fields.checks import passage_for_models
from annotation.fields.entries import entries_of
from annotation.fields.span_ranges import ranges_at
from annotation.models import Annotation, Campaign, Review, TagReview
from annotation.reviewing.tags_in_round import InRound
from annotation.states import ANNOTATION, ASSIGNMENT, AnnotationState, AssignmentState
from datasets.models import Collection, Contradiction
from datasets.records import (
    Draft,
    add_contradiction,
    checked,
    current,
    identity_of,
    link_same_tag,
    locked,
    returning,
    supersede,
)
from datasets.schema import Slot
from wikifetch.models import Sighting

# Columns that a record lacks if nothing was entered.
OPTIONAL = (
    "valid_comment", "article_1", "passage_1_copied", "passage_1_standalone", "article_2", "passage_2_copied",
    "passage_2_standalone", "same_passage", "statement_1", "statement_2", "span_1", "span_2", "contradict_comment",
    "qa_comment",
)  # fmt: skip


@dataclass(frozen=True)
class PublishedCounts:
    """The numbers of published tags and of new records; a new version of a record is none."""

    tags: int
    records: int


def unpublished() -> QuerySet[TagReview]:
    """The decisions with something to publish, of all campaigns."""
    accepted = Review.objects.filter(
        of_tag__isnull=False,
        decision=Review.Decision.ACCEPT,
        annotation__state=AnnotationState.ACCEPTED,
    )
    kept = accepted.order_by().values("of_tag")
    return TagReview.objects.filter(pk__in=kept, taken_back_at=None).order_by()


def to_publish(campaign: Campaign) -> list[TagReview]:
    """Those of one campaign, in the order of the draw."""
    rows = unpublished().filter(campaign=campaign)
    assignments = campaign.assignments.order_by("round", "order", "slot")
    order = {at: n for n, at in enumerate(assignments.values_list("round", "tag"))}
    return sorted(rows, key=lambda row: order.get((row.round, row.tag_id), len(order)))


def publish_campaign(campaign: Campaign, by: Person | None = None) -> PublishedCounts:
    """Publish every reviewed tag of the campaign, in the order of the draw, each in its own transaction."""
    results = [publish(kept) for kept in to_publish(campaign)]
    done = [new for new in results if new is not None]
    if done:
        record(AuditKind.PUBLISH, by, f"{len(done)} tags of campaign {campaign.pk}")
    return PublishedCounts(len(done), sum(done))


@transaction.atomic
def publish(kept: TagReview) -> int | None:
    """Publish what one decision accepted; the number of new records; None if it is published or taken back already."""
    kept = TagReview.objects.select_for_update().get(pk=kept.pk)
    if kept.taken_back_at:
        return None
    accepted = Annotation.objects.filter(
        reviews__of_tag=kept,
        reviews__decision=Review.Decision.ACCEPT,
        state=AnnotationState.ACCEPTED,
    )
    rows = list(accepted.order_by("assignment__slot"))
    if not rows:
        return None
    collection = kept.campaign.collection
    locked(collection)
    drafts = [checked(draft_of(row)) for row in rows]
    published = {identity_of(row): row for row in _published_of(collection, kept)}
    again = {draft.identity for draft in drafts}
    before = [row for identity, row in published.items() if identity not in again]
    results = [
        _put_in(published.get(draft.identity), collection, row, draft, before)
        for row, draft in zip(rows, drafts, strict=True)
    ]
    # Nobody takes this decision back any more.
    left_out = InRound.of_review(kept).assignments.filter(state=AssignmentState.UNNEEDED)
    ASSIGNMENT.move(left_out, "withdraw")
    published_now = _published_of(collection, kept)
    for pair in combinations(published_now, 2):
        link_same_tag(*pair)
    withhold_late(Contradiction.objects.filter(pk__in=[row.pk for row in published_now]))
    return sum(results)


def _published_of(collection: Collection, kept: TagReview) -> list[Contradiction]:
    """The newest versions of the records that were published of this tag, by any round or campaign."""
    published = Contradiction.objects.filter(
        annotations__sighting__tag=kept.tag, collection=collection
    )
    places = published.order_by().values("position")
    return list(current(collection).filter(position__in=places))


def _put_in(
    same: Contradiction | None,
    collection: Collection,
    row: Annotation,
    draft: Draft,
    before: list[Contradiction],
) -> bool:
    """Publish one annotation; returns whether its record is new.

    Its record is `same`, the tag's record with the same content; else a new version of the first of `before`, the tag's
    records whose content is not published again, which is taken from the list; else a new one.
    """
    found, is_new = same, False
    if found is None:
        draft = returning(collection, draft)
        is_known = collection.contradictions.filter(external_id=draft.identity).exists()
        if before and not is_known:
            found = supersede(contradiction=before.pop(0), draft=draft, author=row.author)
        else:
            found, is_new = add_contradiction(collection=collection, draft=draft, author=row.author)
    ANNOTATION.require(row, "publish", contradiction=found)
    row.merged_from.update(contradiction=found)
    return is_new


def draft_of(row: Annotation) -> Draft:
    """The record that the annotation is published as."""
    return Draft(record_columns(row), slots_of(row), extra_of(row), authors=authors_of(row))


def record_columns(annotation: Annotation) -> dict[str, Any]:
    return {**tag_columns(annotation.sighting), **entered_columns(annotation)}


def tag_columns(sighting: Sighting) -> dict[str, Any]:
    """The record's columns that say of which tag it is."""
    with_tag, without_tag = paragraphs(sighting)
    return {
        "title": sighting.revision.article.title,
        "url": sighting.revision.article.url,
        "paragraph": with_tag,
        "paragraph_clean": without_tag,
        "tag": tag_text(sighting),
        "tag_date": sighting.date,
        "tag_reason": sighting.reason,
    }


def entered_columns(annotation: Annotation) -> dict[str, Any]:
    """Those that hold what was entered."""
    return {
        "validity": annotation.validity,
        **{name: getattr(annotation, name) or None for name in OPTIONAL},
        "taxonomy": annotation.taxonomy or None,
        "confidence": str(annotation.confidence) if annotation.confidence else None,
    }


def extra_of(annotation: Annotation) -> dict[str, Any]:
    """The columns that the published record has no key for."""
    return {
        "oldid": annotation.sighting.revision.revid,
        "modality_1": annotation.modality_1,
        "modality_2": annotation.modality_2,
        **origin_in(entries_of(annotation), annotation.provenance, annotation.filled),
        # Only those that the annotator selected; others are searched for where the passage is shown.
        "span_1_ranges": ranges_at(
            passage_for_models(vars(annotation), 1), annotation.span_1, annotation.span_1_at
        ),
        "span_2_ranges": ranges_at(
            passage_for_models(vars(annotation), 2), annotation.span_2, annotation.span_2_at
        ),
    }


def authors_of(annotation: Annotation) -> dict[int, Person]:
    """Who wrote each question, by its number; of doubles, the one whose words were taken."""
    authors = {}
    for question in annotation.questions.all():
        sources = list(question.joined_from.order_by("annotation__assignment__slot"))
        first = next((row for row in sources if row.words == question.words), question)
        authors[question.n] = first.annotation.author
    return authors


def slots_of(annotation: Annotation) -> list[Slot]:
    return [
        Slot(
            asked.n,
            asked.question,
            asked.answer_1,
            asked.answer_2,
            asked.derived_1,
            asked.derived_2,
        )
        for asked in annotation.questions.all()
    ]
