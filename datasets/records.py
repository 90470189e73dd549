"""Contradictions as rows: added once, never changed; an edit is a new version that supersedes the old one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from accounts.models import Person
from datasets import schema
from datasets.contexts import question_kind
from datasets.declared.deviations import declared_deviations
from datasets.declared.records import in_order
from datasets.deviations import Deviation, deviations
from datasets.identity import external_id, repeated
from datasets.models import Collection, Contradiction, Instance
from datasets.schema import Slot
from leases.bulk import insert_values
from leases.refusal import Conflict, NotFoundHere, Refusal
from leases.rows import first_of

BATCH = 500
# Columns without a key in the published record; they are not part of a record's identity.
EXTRA = (
    "oldid", "modality_1", "modality_2", "span_1_ranges", "span_2_ranges", "filled", "provenance", "left_out",
)  # fmt: skip


@dataclass(frozen=True)
class Draft:
    """A contradiction to be added.

    columns: by schema.COLUMNS; missing ones are absent (None), types are taken from the taxonomy.
    slots: questions with their answers, those without a question included.
    extra: any of EXTRA; `version`, if it is not the first; `fields`, where a protocol declares the record.
    authors: who wrote each question, by its number; of those missing it is the record's author.
    identity: the record's external id, of a checked draft or one that was read from a record.
    """

    columns: Mapping[str, Any]
    slots: Sequence[Slot]
    extra: Mapping[str, Any] = field(default_factory=dict)
    authors: Mapping[int, Person] = field(default_factory=dict)
    identity: str = ""

    @property
    def length(self) -> int:
        """The characters of its texts."""
        texts = [text for text in self.columns.values() if isinstance(text, str)]
        # A list's texts are joined; a text stays itself.
        declared = ["".join(value) for value in self.extra.get("fields", {}).values()]
        return sum(map(len, [*texts, *declared]))


class Added(NamedTuple):
    """`is_new` is False if the collection had the same record already."""

    contradiction: Contradiction
    is_new: bool


def add_contradiction(
    *, collection: Collection, draft: Draft, author: Person | None = None
) -> Added:
    """Add one record to the end of the collection, unless it has it. Raises Refusal for text that no file can hold."""
    ((key, is_new),) = add_contradictions(collection=collection, drafts=[draft], author=author)
    return Added(Contradiction.objects.get(pk=key), is_new)


def checked(draft: Draft) -> Draft:
    """The draft with all columns and its identity. Raises Refusal for text that no file can hold."""
    if unknown := (draft.columns.keys() - set(schema.COLUMNS)) | (draft.extra.keys() - set(EXTRA)):
        raise TypeError(f"a contradiction has no columns {sorted(unknown)}")
    columns = dict.fromkeys(schema.COLUMNS) | {key.column: "" for key in schema.RECORD_KEYS}
    columns |= schema.types_of(draft.columns.get("taxonomy") or [])
    columns |= draft.columns
    record = schema.build(columns, draft.slots)
    try:
        schema.parse(record)
    except schema.RecordRefused as refused:
        raise Refusal(f"This record cannot be stored: {refused}.") from None
    return Draft(columns, draft.slots, draft.extra, draft.authors, external_id(record))


def read_draft(parsed: schema.Parsed) -> Draft:
    """The draft of a record that was read from a file: it is checked, and what `build` would give."""
    extra = parsed.extra if parsed.fields is None else {**parsed.extra, "fields": parsed.fields}
    slots = parsed.slots + parsed.unused
    identity = parsed.identity or external_id(parsed.record)
    return Draft(parsed.columns, slots, extra, identity=identity)


@transaction.atomic
def add_contradictions(
    *, collection: Collection, drafts: Iterable[Draft], author: Person | None = None
) -> list[tuple[int, bool]]:
    """Add records in order, each once; none of them if one is refused. Returns their keys, and which are new."""
    locked(collection)
    last = collection.contradictions.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    results: list[tuple[int, bool]] = []
    waiting = iter(drafts)
    while batch := list(islice(waiting, BATCH)):
        added = _add_batch(collection, batch, position, author)
        position += sum(is_new for _, is_new in added)
        results += added
    return results


@transaction.atomic
def supersede(
    *, contradiction: Contradiction, draft: Draft, author: Person | None = None
) -> Contradiction:
    """Replace a row by a new version. Raises Conflict if it is not the newest, or if nothing has changed."""
    collection = contradiction.collection
    locked(collection)
    if Contradiction.objects.filter(supersedes=contradiction).exists():
        raise Conflict("A newer version of this contradiction exists; open it and edit that one.")
    draft = draft if draft.identity else checked(draft)
    if collection.contradictions.filter(external_id=draft.identity).exists():
        raise Conflict("The collection already has a record with exactly this content.")
    values = _values(collection, draft, contradiction.position, author)
    values |= {"version": contradiction.version + 1, "supersedes_id": contradiction.pk}
    (key,) = insert_values(Contradiction, [values])
    insert_values(Instance, _asked(key, draft, author))
    return Contradiction.objects.get(pk=key)


def returning(collection: Collection, draft: Draft) -> Draft:
    """The checked draft, with an identity of its own if a superseded version says the same: rows are never changed."""
    older = collection.contradictions.filter(superseded_by__isnull=False)
    if not older.filter(external_id=draft.identity).exists():
        return draft
    identities = (repeated(draft.identity, time) for time in count(2))
    taken = collection.contradictions
    free = next(key for key in identities if not taken.filter(external_id=key).exists())
    return replace(draft, identity=free)


def identity_of(contradiction: Contradiction) -> str:
    """The identity of the row's content, which an earlier version may have had too."""
    return external_id(record_of(contradiction))


def link_same_tag(first: Contradiction, second: Contradiction) -> None:
    """Let each of the two name the other: they were found in the same tag. Links of older versions stay."""
    older, newer = sorted((first, second), key=lambda row: row.pk)
    if newer.pk not in same_tag(older):
        Contradiction.objects.filter(pk=newer.pk).update(same_tag_as=older)


def same_tag(contradiction: Contradiction) -> dict[int, Contradiction]:
    """The other contradictions of its tag, by their ids, older versions too; uses prefetched rows."""
    other = contradiction.same_tag_as
    return {row.pk: row for row in [*([other] if other else []), *contradiction.same_tag.all()]}


def locked(collection: Collection) -> None:
    """Lock the collection for this transaction, so that positions are assigned by one writer at a time.

    Raises NotFoundHere for one that is gone.
    """
    first_of(
        Collection.everything.select_for_update().filter(pk=collection.pk).order_by(),
        f"The collection {collection.name} is no longer here: the import that made it was undone.",
    )


def hold(record: int) -> None:
    """Keep a record where it is until the end of the transaction: the import that brought it is not undone meanwhile.

    Raises NotFoundHere for one that was.
    """
    holding = Collection.objects.filter(contradictions=record).order_by()
    for collection in holding:
        # Undoing takes a stronger lock, and moves the record elsewhere.
        Collection.objects.select_for_update(no_key=True).filter(pk=collection.pk).first()
        if holding.filter(pk=collection.pk).exists():
            return
    raise NotFoundHere("This record is no longer here: the import that brought it was undone.")


def collection_named(name: str) -> Collection:
    """The collection of that name. Raises NotFoundHere."""
    return first_of(Collection.objects.filter(name=name), f"There is no collection {name!r}.")


def newest(path: str = "") -> Q:
    """The condition on rows that they are of the newest version of a contradiction.

    `path` leads from the row to its contradiction, ending in "__"; it is empty for contradictions. Not
    `superseded_by=None`: of its outer join PostgreSQL expects one row, and then reads all contradictions to find it.
    """
    return ~Q(Exists(Contradiction.objects.filter(supersedes=OuterRef(f"{path}pk"))))


def current(collection: Collection) -> QuerySet[Contradiction]:
    """The newest version of each contradiction, in the collection's order, without declared fields: they are long."""
    return collection.contradictions.filter(newest()).order_by("position").defer("fields")


def without_questions(collection: Collection, excluded: QuerySet[Any]) -> QuerySet[Contradiction]:
    """The newest contradictions all of whose questions are in these exclusions."""
    asked = Instance.objects.filter(contradiction=OuterRef("pk"))
    left = asked.exclude(pk__in=excluded.order_by().values("instance"))
    return current(collection).filter(Exists(asked), ~Exists(left))


def columns_of(contradiction: Contradiction) -> schema.Columns:
    """The columns that the published record is built from."""
    return {column: getattr(contradiction, column) for column in schema.COLUMNS}


def questions_of(contradiction: Contradiction) -> list[Slot]:
    """The contradiction's questions in order; uses prefetched instances."""
    rows = sorted(contradiction.instances.all(), key=lambda row: row.n)
    return [
        Slot(row.n, row.question, row.answer_1, row.answer_2, row.derived_1, row.derived_2)
        for row in rows
    ]


def record_of(contradiction: Contradiction) -> dict[str, Any]:
    """The published record of a row, built from its columns, or as its protocol declares it."""
    if contradiction.fields is not None:
        return in_order(contradiction.collection.declaration, contradiction.fields)
    return record_from(
        columns_of(contradiction), questions_of(contradiction), contradiction.unused_answers
    )


def deviations_of(contradiction: Contradiction) -> list[Deviation]:
    """Where the row's record differs from what the form, or its protocol, asks for."""
    if contradiction.fields is not None:
        return declared_deviations(contradiction.collection.declaration, contradiction.fields)
    return deviations(columns_of(contradiction), questions_of(contradiction))


def check_not_declared(collection: Collection, what: str) -> None:
    """Raise Refusal where a protocol declares the collection's records: `what` is for WikiContradict's alone."""
    if collection.is_declared:
        raise Refusal(
            f"{what} are for records of WikiContradict. Those of {collection.name} are of {collection.declaration}."
        )


def record_from(
    columns: schema.Columns, questions: Sequence[Slot], unused: Mapping[str, list[str | None]]
) -> dict[str, Any]:
    """The published record of these columns, questions, and answers without a question (as the column has them)."""
    slots = [Slot(int(n), *_padded(texts)) for n, texts in unused.items()]
    return schema.build(columns, [*questions, *slots])


def _add_batch(
    collection: Collection, batch: list[Draft], position: int, author: Person | None
) -> list[tuple[int, bool]]:
    drafts = [draft if draft.identity else checked(draft) for draft in batch]
    held = collection.contradictions.filter(external_id__in={draft.identity for draft in drafts})
    keys = dict(held.order_by().values_list("external_id", "pk"))
    fresh: dict[str, Draft] = {}
    for draft in drafts:
        if draft.identity not in keys:
            fresh.setdefault(draft.identity, draft)
    rows = [
        _values(collection, draft, place, author)
        for place, draft in enumerate(fresh.values(), position)
    ]
    keys |= zip(fresh, insert_values(Contradiction, rows), strict=True)
    questions = [_asked(keys[identity], draft, author) for identity, draft in fresh.items()]
    insert_values(Instance, list(chain.from_iterable(questions)))
    return [(keys[draft.identity], fresh.pop(draft.identity, None) is not None) for draft in drafts]


def _values(
    collection: Collection, draft: Draft, position: int, author: Person | None
) -> dict[str, Any]:
    return {
        "collection_id": collection.pk,
        "position": position,
        "external_id": draft.identity,
        "unused_answers": {
            str(slot.n): _trimmed(slot) for slot in draft.slots if not slot.is_question
        },
        "author_id": author and author.pk,
        **draft.columns,
        **draft.extra,
    }


def _asked(key: int, draft: Draft, author: Person | None) -> list[dict[str, Any]]:
    """The questions of the contradiction with this key."""
    return [
        {
            "contradiction_id": key,
            "n": slot.n,
            "question": slot.question,
            "kind": question_kind(slot.question or ""),
            "answer_1": slot.answer_1,
            "answer_2": slot.answer_2,
            "derived_1": slot.derived_1,
            "derived_2": slot.derived_2,
            "author_id": (who := draft.authors.get(slot.n, author)) and who.pk,
        }
        for slot in draft.slots
        if slot.is_question
    ]


def _trimmed(slot: Slot) -> list[str | None]:
    """[answer 1, answer 2], and the blank question if the record has its key."""
    answers = [slot.answer_1, slot.answer_2]
    return answers if slot.question is None else [*answers, slot.question]


def _padded(texts: list[str | None]) -> tuple[str | None, str | None, str | None]:
    """The inverse of _trimmed: (question, answer 1, answer 2)."""
    return (texts[2] if len(texts) > 2 else None, texts[0], texts[1])
