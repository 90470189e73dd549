"""Publish accepted annotations as records of the campaign's collection.

A record is made from columns in the shape of the published dataset (WikiContradict, Appendix E); invalid tags
are kept too. Publishing again adds nothing: only accepted annotations are published, each once, and a record
that the collection holds already is pointed at, not added.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.audit import Kind, record
from accounts.models import Person
from annotation.evidence.provenance import origin_in
from annotation.fields.checks import context
from annotation.fields.entries import entries_of
from annotation.fields.spans import ranges_at
from annotation.models import Annotation, Campaign
from annotation.states import ANNOTATION, AnnotationState
from datasets.records import add_contradiction
from datasets.schema import Slot
from wikifetch.models import Sighting
from wikifetch.source.wikis import words_of
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.readable import readable

# Replaces the tag while the block is made readable; a private-use character, which wikitext does not contain.
PLACEHOLDER = "\ue000"

# Columns that a record lacks if nothing was entered.
OPTIONAL = (
    "valid_comment",
    "article_1",
    "passage_1_copied",
    "passage_1_standalone",
    "article_2",
    "passage_2_copied",
    "passage_2_standalone",
    "same_passage",
    "statement_1",
    "statement_2",
    "span_1",
    "span_2",
    "contradict_comment",
    "qa_comment",
)


@dataclass(frozen=True)
class Published:
    """The numbers of published annotations and of new records."""

    annotations: int
    records: int


def publish_campaign(campaign: Campaign, by: Person | None = None) -> Published:
    """Publish every accepted annotation of the campaign, in the order of the draw, each in its own transaction."""
    accepted = Annotation.objects.filter(
        assignment__campaign=campaign, state=AnnotationState.ACCEPTED
    ).order_by("assignment__round", "assignment__order", "assignment__slot")
    results = [
        publish(annotation) for annotation in accepted.select_related("assignment__campaign")
    ]
    done = [is_new for is_new in results if is_new is not None]
    if done:
        record(Kind.PUBLISH, by, f"{len(done)} annotations of campaign {campaign.pk}")
    return Published(len(done), sum(done))


@transaction.atomic
def publish(annotation: Annotation) -> bool | None:
    """Publish one; True if it added a record, None if it was published meanwhile."""
    assert annotation.assignment is not None
    fresh = (
        Annotation.objects.select_for_update()
        .filter(pk=annotation.pk, state=AnnotationState.ACCEPTED)
        .first()
    )
    if fresh is None:
        return None
    added = add_contradiction(
        collection=annotation.assignment.campaign.collection,
        columns=record_columns(fresh),
        questions=slots_of(fresh),
        author=fresh.author,
        extra={
            "oldid": fresh.sighting.revision.revid,
            "modality_1": fresh.modality_1,
            "modality_2": fresh.modality_2,
            **origin_in(entries_of(fresh), fresh.provenance, fresh.filled),
            # Only those that the annotator selected; others are searched for where the passage is shown.
            "span_1_ranges": ranges_at(context(vars(fresh), 1), fresh.span_1, fresh.span_1_at),
            "span_2_ranges": ranges_at(context(vars(fresh), 2), fresh.span_2, fresh.span_2_at),
        },
    )
    ANNOTATION.require(fresh, "publish", contradiction=added.contradiction)
    return added.is_new


def record_columns(annotation: Annotation) -> dict[str, Any]:
    """The record's columns, from the sighting and the annotation."""
    sighting = annotation.sighting
    with_tag, without_tag = paragraphs(sighting)
    columns: dict[str, Any] = {
        "title": sighting.revision.article.title,
        "url": sighting.revision.article.url,
        "paragraph": with_tag,
        "paragraph_clean": without_tag,
        "tag": tag_text(sighting),
        "tag_date": sighting.date,
        "tag_reason": sighting.reason,
        "validity": annotation.validity,
    }
    columns |= {name: getattr(annotation, name) or None for name in OPTIONAL}
    columns["taxonomy"] = annotation.taxonomy or None
    columns["confidence"] = str(annotation.confidence) if annotation.confidence else None
    return columns


def slots_of(annotation: Annotation) -> list[Slot]:
    return [
        Slot(each.n, each.question, each.answer_1, each.answer_2, each.derived_1, each.derived_2)
        for each in annotation.questions.all()
    ]


def tag_text(sighting: Sighting) -> str:
    """The tag as written, without its braces."""
    return sighting.raw.removeprefix("{{").removesuffix("}}")


def paragraphs(sighting: Sighting) -> tuple[str, str]:
    """The readable block with the tag as wikitext, and without it.

    As in the published records (paragraph_A, paragraph_A_clean). Both are "" if the wiki has hidden the text.
    """
    if not sighting.raw:
        return "", ""
    block = sighting.block.replace(sighting.raw, PLACEHOLDER)
    with speaking(words_of(sighting.revision.article.wiki)):
        text = readable(block, sighting.block_kind or "paragraph").text
    if PLACEHOLDER not in text:
        text = PLACEHOLDER + text
    tag = "{{" + tag_text(sighting) + "}}"
    return text.replace(PLACEHOLDER, tag), text.replace(PLACEHOLDER, "")
