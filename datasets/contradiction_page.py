"""Template contexts of a contradiction's pages."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.db.models import QuerySet
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.models import Person
from datasets import taxonomy
from datasets.blinding import show
from datasets.contexts import context_1, context_2, ranges_in, segments
from datasets.declared.deviations import declared_deviations
from datasets.declared.shown import FieldShown, shown_fields
from datasets.deviations import Deviation, DeviationKind, deviations
from datasets.exclusions import Standing, standings
from datasets.models import Collection, Contradiction, RevisedPassage
from datasets.records import BATCH, deviations_of, same_tag
from datasets.states import RevisionState as State
from datasets.streaming import streamed
from leases.rows import first_of


class Typed(NamedTuple):
    """A dimension of the taxonomy with its chosen options; an unknown option is shown as given."""

    title: str
    chosen: list[str]


# What names a row of the table of deviations.
NAMING = ("pk", "position", "title")


class DeviationLine(NamedTuple):
    """A deviation with its row: its NAMING."""

    contradiction: dict[str, Any]
    deviation: Deviation


def opened_record(person: Person, key: int, opened: str) -> Contradiction:
    """The record, of any version, which the person is shown at this address. Raises NotFoundHere, or what hides it."""
    rows = Contradiction.objects.select_related("collection__protocol", "author", "supersedes")
    seen = rows.prefetch_related("instances").filter(collection__arriving_until=None)
    row = first_of(seen.filter(pk=key), "There is no such contradiction.")
    show(person, Contradiction.objects.filter(pk=key), opened)
    return row


def described(contradiction: Contradiction, person: Person) -> dict[str, Any]:
    """The context of the page of a contradiction or of a protocol's record, for this person."""
    questions = standings(sorted(contradiction.instances.all(), key=lambda row: row.n), person)
    versions = contradiction.collection.contradictions.filter(position=contradiction.position)
    return {
        "contradiction": contradiction,
        "collection": contradiction.collection,
        "newer": Contradiction.objects.filter(supersedes=contradiction).first(),
        "deviations": deviations_of(contradiction),
        "versions": versions.order_by("-version").defer("fields"),
        **(
            {"questions": questions, "fields": fields_of(contradiction)}
            if contradiction.collection.is_declared
            else _annotated(contradiction, questions)
        ),
    }


def fields_of(contradiction: Contradiction) -> list[FieldShown]:
    """The declared fields of a protocol's record."""
    return shown_fields(contradiction.collection.declaration, contradiction.fields or {})


def _annotated(contradiction: Contradiction, questions: list[Standing]) -> dict[str, Any]:
    """What only WikiContradict's records have."""
    states = RevisedPassage.objects.filter(instance__contradiction=contradiction)
    revised = dict(
        # If one is checked and another waits to replace it, show the one that waits.
        states.filter(state__in=[State.CHECKED, State.PROPOSED])
        .order_by("state")
        .values_list("instance_id", "state")
    )
    ranges_1, ranges_2 = contradiction.span_1_ranges, contradiction.span_2_ranges
    return {
        "same_tag": _others_of_tag(contradiction),
        "title_1": _passage_title(1, contradiction.article_1),
        "title_2": _passage_title(2, contradiction.article_2),
        "source": source_link(contradiction.url, contradiction.oldid),
        "passage_1": marked(context_1(contradiction), contradiction.span_1, ranges_1),
        "passage_2": marked(context_2(contradiction), contradiction.span_2, ranges_2),
        # The stored ranges refer to the passage above; in its other form the span is searched for.
        "copied_1": marked(contradiction.passage_1_copied or "", contradiction.span_1, []),
        "copied_2": marked(contradiction.passage_2_copied or "", contradiction.span_2, []),
        "rewritten": bool(contradiction.passage_1_standalone or contradiction.passage_2_standalone),
        "types": types_of(contradiction.taxonomy or []),
        "questions": [(row, revised.get(row.instance.pk, "")) for row in questions],
        "none_left": bool(questions) and all(standing.excluded for standing in questions),
    }


def _others_of_tag(contradiction: Contradiction) -> list[Contradiction]:
    """The other contradictions of its tag, of each the newest version that it was linked with."""
    versions = sorted(same_tag(contradiction).values(), key=lambda row: row.version)
    return list({row.position: row for row in versions}.values())


def _passage_title(n: int, article: str | None) -> str:
    return f"Passage {n}, from {article}" if article else f"Passage {n}"


def deviation_table(
    collection: Collection, rows: QuerySet[Contradiction]
) -> tuple[list[tuple[DeviationKind, int]], list[DeviationLine]]:
    """The number of deviations of each kind, and all of them with what names their rows."""
    found = _declared_deviations(collection, rows) if collection.is_declared else _deviations(rows)
    lines = [DeviationLine(named, deviation) for named, all in found for deviation in all]
    counts = Counter(line.deviation.kind for line in lines)
    return [(kind, counts[kind]) for kind in DeviationKind if counts[kind]], lines


def _declared_deviations(
    collection: Collection, rows: QuerySet[Contradiction]
) -> Iterator[tuple[dict[str, Any], list[Deviation]]]:
    """By row: what names it, and its deviations. Only the record is read: there may be many, and long ones."""
    declaration = collection.declaration
    for row in rows.values(*NAMING, "fields").iterator(chunk_size=BATCH):
        yield row, declared_deviations(declaration, row.pop("fields"))


def _deviations(
    rows: QuerySet[Contradiction],
) -> Iterator[tuple[dict[str, Any], list[Deviation]]]:
    """The same of WikiContradict's records."""
    for row in streamed(rows):
        yield {name: row.columns[name] for name in NAMING}, deviations(row.columns, row.questions)


def marked(passage: str, span: str | None, kept: list[list[int]]) -> SafeString:
    """The passage with its contradicted span marked, everything escaped."""
    tags = {True: ("<mark>", "</mark>"), False: ("", "")}
    pieces = segments(passage, ranges_in(passage, span, kept))
    return format_html_join(
        "",
        "{}{}{}",
        (
            (SafeString(tags[is_span][0]), text, SafeString(tags[is_span][1]))
            for text, is_span in pieces
        ),
    )


def types_of(entries: list[list[str]]) -> list[Typed]:
    """All four dimensions in the form's order with their chosen options; unknown dimensions last."""
    chosen: dict[str, list[str]] = {dimension.key: [] for dimension in taxonomy.DIMENSIONS}
    for key, *values in entries:
        chosen.setdefault(key, []).extend(values)
    return [
        Typed(
            dimension.title if (dimension := taxonomy.dimension(key)) else key,
            [known.label if (known := taxonomy.option(value)) else value for value in values],
        )
        for key, values in chosen.items()
    ]


def titles_of(collection: Collection) -> dict[str, Any]:
    """`titles`: what those of its records are, of articles or of a declared field. `is_titled`: besides questions."""
    declaration, item = collection.declaration, collection.declaration.item
    titles = declaration.fields[item.title].title if collection.is_declared else "Article"
    return {"titles": titles, "is_titled": item.title != item.question}


def source_link(url: str, oldid: int | None) -> str:
    """The article's URL, at the pinned revision if there is one.

    "" unless it is http(s): records come from files, and a link must not run a script.
    """
    try:
        if urlsplit(url).scheme.lower() not in {"http", "https"}:
            return ""
    except ValueError:
        return ""
    return f"{url}?oldid={oldid}" if oldid and "?" not in url and "#" not in url else url
