"""Take out of annotations what the app copied from revisions whose text a wiki has hidden since.

That is what a draft began with and nobody touched, and the words of provenance. What a person chose, typed or confirmed
stays.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.evidence.headstart import passage_of, pieces_at_start
from annotation.evidence.provenance import without_words
from annotation.fields.entries import COLUMNS
from annotation.fields.suggesting import of_the_block
from annotation.models import Annotation, AskedArticle, DraftRevision
from annotation.states import EDITABLE
from datasets.models import Contradiction
from datasets.releasing.withholding import HIDDEN, withhold
from wikifetch.models import Revision, Sighting
from wikifetch.otherarticles import naming, titles_in
from wikifetch.purging import TEXT_HIDDEN

BATCH = 100
WORDED = ("passage_1_copied", "passage_1_standalone", "article_2")  # with words of the wiki
OF_A_RECORD = ("pk", "url", "title", "oldid", "provenance")
CHANGED = (*WORDED, "modality_1", "filled", "provenance", "checked_warnings")


@transaction.atomic
def remove_copies(hidden: QuerySet[Revision]) -> None:
    """Remove them from annotations whose pages show these revisions, from their saves, and from published records.

    Records with words of them are withheld: no file of a release that holds one is served.

    A changed draft gets a new version, so that no open page writes the words back.
    """
    revisions = set(hidden.values_list("pk", flat=True))
    annotations = _showing(hidden)
    words = {row.pk: _words(row) for row in annotations if row.sighting.revision_id in revisions}
    changed = [row for row in annotations if _clear(row, revisions, words.get(row.pk, set()))]
    Annotation.objects.bulk_update(changed, [*CHANGED, "version"], batch_size=BATCH)
    _clear_saves({row.pk: row for row in annotations}, words)
    _clear_records([row.contradiction_id for row in annotations if row.contradiction_id], revisions)
    withhold(_records_of(hidden), HIDDEN, by=None)


def withhold_late(rows: QuerySet[Contradiction]) -> None:
    """Withhold those of these records with words of a revision that was hidden before they came.

    For use in their transaction.
    """
    withhold(_hidden_before(rows), HIDDEN, by=None)


def _hidden_before(rows: QuerySet[Contradiction]) -> Iterator[Contradiction]:
    """Only revisions of the articles that they name: no index leads from a revision's id alone to its row."""
    known = _from_revisions(rows)
    while batch := list(islice(known, BATCH)):
        titles = {title for record in batch for title in record.titles}
        revids = {revid for record in batch for revid in record.revids}
        hidden = Revision.objects.filter(set_aside=TEXT_HIDDEN, article__title__in=titles)
        yield from _with_words_of(hidden.filter(revid__in=revids), batch)


def _records_of(hidden: QuerySet[Revision]) -> Iterator[Contradiction]:
    """The records with words of these revisions: of a tag in them, or copied from them; imported ones too."""
    return _with_words_of(hidden, _from_revisions(Contradiction.objects.all()))


class _FromRevisions(NamedTuple):
    """A record that says which revisions its texts are from, and which articles."""

    pk: int
    url: str
    revids: Set[int]
    titles: Set[str]


def _from_revisions(rows: QuerySet[Contradiction]) -> Iterator[_FromRevisions]:
    said = rows.exclude(oldid=None, provenance={}).order_by().values_list(*OF_A_RECORD)
    for pk, url, title, oldid, provenance in said.iterator():
        pieces = [piece for pieces in provenance.values() for piece in pieces]
        revids = {oldid, *(piece.get("revid") for piece in pieces)} - {None}
        titles = {title.strip(), *(piece.get("title") for piece in pieces)} - {None}
        yield _FromRevisions(pk, url, revids, titles)


def _with_words_of(
    hidden: QuerySet[Revision], records: Iterable[_FromRevisions]
) -> Iterator[Contradiction]:
    known = defaultdict(set)
    for wiki, revid in hidden.values_list("article__wiki__base_url", "revid"):
        known[wiki].add(revid)
    for record in records:
        if any(record.url.startswith(wiki) and ids & record.revids for wiki, ids in known.items()):
            yield Contradiction.objects.get(pk=record.pk)


def _showing(hidden: QuerySet[Revision]) -> list[Annotation]:
    """The annotations whose pages may show one of these revisions; they wait for saves, and later saves for them."""
    sightings = Sighting.objects.filter(revision__in=hidden)
    asked = AskedArticle.objects.filter(revision__in=hidden)
    shows = Q(pk__in=asked.values("annotation")) | Q(sighting__in=naming(hidden))
    rows = Annotation.objects.filter(Q(sighting__in=sightings) | shows).order_by("pk")
    locked = rows.select_for_update(of=("self",), no_key=True)
    return list(
        locked.select_related("sighting__revision__article__wiki", "sighting__revision__html")
    )


def _words(annotation: Annotation) -> set[str]:
    """What the tagged block and its tag may have put into a field: also once a sighting has lost its words."""
    sighting = annotation.sighting
    pieces = [piece for pieces in annotation.provenance.values() for piece in pieces]
    words = {p["text"] for p in pieces if p["revision"] == sighting.revision_id}
    words |= {getattr(annotation, name) for name in _of_the_block(annotation) if name in WORDED}
    words |= {passage_of(pieces_at_start(sighting)), *titles_in([sighting.other_article])}
    return words - {"", sighting.revision.article.title}


def _of_the_block(annotation: Annotation) -> list[str]:
    """The fields of a draft to be blanked; none of what was submitted."""
    if annotation.state not in EDITABLE:
        return []
    title = annotation.sighting.revision.article.title
    entries = {name: getattr(annotation, name) for name in COLUMNS}
    return of_the_block(annotation.filled, entries, title, annotation.provenance)


def _clear(annotation: Annotation, revisions: Set[int], words: Set[str]) -> bool:
    """Change the row in memory; returns whether it has changed."""
    before = _state(annotation)
    is_open = annotation.state in EDITABLE
    if annotation.sighting.revision_id in revisions:
        gone = _of_the_block(annotation)
        for name in gone:
            setattr(annotation, name, "")
        annotation.filled = [name for name in annotation.filled if name not in gone]
    annotation.provenance = without_words(annotation.provenance, revisions, whole=is_open)
    if is_open:  # a ticked warning holds the value that was looked at
        gone_words = words - {str(getattr(annotation, name)) for name in COLUMNS}
        ticked = annotation.checked_warnings
        annotation.checked_warnings = [pair for pair in ticked if not _is_in(pair[1], gone_words)]
    is_changed = _state(annotation) != before
    annotation.version += is_changed and is_open
    return is_changed


def _clear_saves(annotations: Mapping[int, Annotation], words: Mapping[int, Set[str]]) -> None:
    """Which fields were filled then is unknown: one that repeats the block's text, and whose annotation does not."""
    changed = []
    for save in DraftRevision.objects.filter(annotation__in=words):
        now = annotations[save.annotation_id]
        if gone := _gone(save.entries, now, words[now.pk]):
            save.entries |= dict.fromkeys(gone, "")
            changed.append(save)
    DraftRevision.objects.bulk_update(changed, ["entries"], batch_size=BATCH)
    first = []
    for now in (annotations[key] for key in words):
        kept = now.first_entries or {}
        if gone := _gone(kept, now, words[now.pk]):
            now.first_entries = kept | dict.fromkeys(gone, "")
            first.append(now)
    Annotation.objects.bulk_update(first, ["first_entries"], batch_size=BATCH)


def _gone(entries: Mapping[str, Any], now: Annotation, words: Set[str]) -> list[str]:
    kept = {name: entries.get(name) for name in WORDED}
    return [
        name for name, value in kept.items() if _is_in(value, words) and value != getattr(now, name)
    ]


def _clear_records(published: Sequence[int], revisions: Set[int]) -> None:
    changed = []
    for record in Contradiction.objects.filter(pk__in=published):
        kept = without_words(record.provenance, revisions, whole=False)
        if kept != record.provenance:
            record.provenance = kept
            changed.append(record)
    Contradiction.objects.bulk_update(changed, ["provenance"], batch_size=BATCH)


def _state(annotation: Annotation) -> dict[str, Any]:
    return {name: getattr(annotation, name) for name in CHANGED}


def _is_in(value: object, words: Set[str]) -> bool:
    return isinstance(value, str) and value in words
