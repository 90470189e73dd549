"""A collection in numbers, counted by the database: WikiContradict's table 1, and the types in full."""

from collections import Counter

from django.db.models import Count

from datasets.counts import counts_of, current_instances, options_chosen
from datasets.models import Collection
from datasets.records import check_not_declared
from datasets.taxonomy import DIMENSIONS
from evaluation.shapes.collection_table import TAGS, CollectionEntry, CollectionTable, entry

QUESTIONS_OF = "questions of the newest records, excluded ones among them"
TAGS_OF = "newest records of tags, invalid ones among them"


def collection_table(collection: Collection) -> CollectionTable:
    """The whole table, ready for JSON. Raises Refusal for records that a protocol declares."""
    check_not_declared(collection, "These tables")
    counts = counts_of(collection)
    excluded = current_instances(collection).filter(exclusion__excluded_by__isnull=False).count()
    tags, questions = counts.contradictions, counts.questions
    rows = [
        entry(TAGS, "tags", tags, tags, TAGS_OF),
        entry(TAGS, "valid tags", tags - counts.invalid, tags, TAGS_OF, validity="Valid"),
        entry("questions", "all", questions, questions, QUESTIONS_OF),
        entry("questions", "excluded", excluded, questions, QUESTIONS_OF),
        *(
            entry(facet.parameter, facet.value, count, questions, QUESTIONS_OF, facet.parameter)
            for facet, count in counts.facets
        ),
        *_types(collection, questions),
    ]
    return {
        "collection": collection.name,
        "title": str(collection),
        "articles": current_instances(collection)
        .order_by()
        .values("contradiction__title")
        .distinct()
        .count(),
        "rows": rows,
    }


def _types(collection: Collection, questions: int) -> list[CollectionEntry]:
    """A row for each option of the four dimensions that is used, and one for no option at all.

    A question whose contradiction has two options of a dimension is counted under both.
    """
    grouped = (
        current_instances(collection)
        .order_by()
        .values_list("contradiction_id", "contradiction__taxonomy")
        .annotate(count=Count("pk"))
    )
    used: Counter[tuple[str, str]] = Counter()
    for _, taxonomy, count in grouped:
        chosen = options_chosen(taxonomy)
        for kind in DIMENSIONS:
            mine = [value for value in kind.values if value in chosen]
            for value in mine or [""]:
                used[kind.short, value] += count
    return [
        entry(
            f"type {kind.short}", value, used[kind.short, value], questions, QUESTIONS_OF, "option"
        )
        for kind in DIMENSIONS
        for value in (*kind.values, "")
        if used[kind.short, value]
    ]
