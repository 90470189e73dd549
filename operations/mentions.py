"""Texts in which a person is named: where they are, who may see them, and how the name is replaced.

Every table with texts is either searched, or in NOT_SEARCHED with the reason; a test fails for a new one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from itertools import chain, count
from operator import or_
from typing import Any

from django.apps import apps
from django.db import IntegrityError, transaction
from django.db.models import CharField, F, Field, ForeignKey, JSONField, Model, Q, TextField
from django.db.models.functions import Cast

from accounts.models import Person
from annotation.blinding import seeing
from annotation.blinding.hiding import hidden_from, is_blind
from annotation.models import Annotation
from datasets.blinding import keep_listed, shown_to
from datasets.models import Collection as CollectionRow
from datasets.models import ImportJob
from datasets.releasing.names_found import COLUMNS as COMMENTS
from evaluation.models import ReportSnapshot
from judging.blinding import hidden_results
from judging.models import Study
from judging.states import StudyState
from leases.refusal import Conflict
from operations import in_words
from operations.fixed_columns import FIXED, RELEASED, RENAMED, REPORTED
from operations.serialization import tables
from pages.name_words import (
    ExcerptPiece,
    NameWords,
    addresses_in,
    as_text,
    excerpt,
    replaced,
    words_of,
)
from wikifetch.models import FetchRun
from writing.blinding import hidden_from as hidden_entries
from writing.models import Entry

# Tables whose texts nobody typed about a colleague, by the reason.
NOBODY_TYPED = {
    "names people itself; the person's own row is emptied": ("accounts.person",),
    "goes with the person": ("accounts.identity", "accounts.session", "accounts.secondfactor"),
    "no text": ("accounts.rolegrant",),
    "names of forms, from a protocol's file": ("writing.writing",),
    "names that the program gives to files": ("datasets.releasefile",),
    "hashes": ("accounts.recoverycode", "accounts.allowance"),
    "texts of a wiki": (
        "wikifetch.wiki", "wikifetch.article", "wikifetch.namedarticle", "wikifetch.talkpage", "wikifetch.revision",
        "wikifetch.revisionhtml", "wikifetch.tag", "wikifetch.sighting", "wikifetch.fetchproblem",
    ),
    "answers of models": (
        "generation.response", "generation.firstreply", "generation.rejectedreply", "generation.attempt",
        "generation.optionscore", "judging.judgecall", "judging.machineverdict",
    ),
    "what runs now": ("generation.servicestatus", "operations.heartbeat"),
}  # fmt: skip
NOT_SEARCHED = {table for tables in NOBODY_TYPED.values() for table in tables}
# Columns of records and annotations with what was copied from an article, or came with a file of a protocol.
COPIED = ("title", "url", "tag", "paragraph", "article_", "passage_", "span_", "fields")
COPIED_IN = {"datasets.contradiction", "datasets.revisedpassage", "annotation.annotation"}
# Columns with a key of the rubric, and with a process of the program.
PROGRAMS = {"verdict", "first_verdict", "lease_holder"}
# Rows whose JSON has keys from people's files. Other keys are the program's: a setting max_tokens is not of Max.
KEYS_OF_FILES = {"judging.importedrow"}
# Whose work a row is: the path to the study, annotation or record, whose rules decide who may read it.
OF_STUDY = {
    "judging.judgingslot": "round__study",
    "judging.judgment": "slot__round__study",
    "judging.judgmentevent": "slot__round__study",
    "judging.discussion": "round__study",
    "judging.remark": "discussion__round__study",
    "judging.resolution": "round__study",
    "judging.golditem": "study",
    "judging.importedrow": "study",
    "evaluation.reportsnapshot": "study",
    "evaluation.withdrawnreport": "snapshot__study",
}
OF_ANNOTATION = {
    "annotation.annotation": "pk",
    "annotation.question": "annotation",
    "annotation.draftrevision": "annotation",
    "annotation.askedarticle": "annotation",
    "annotation.review": "annotation",
}
OF_RECORD = {
    "datasets.contradiction": "",
    "datasets.instance": "contradiction__",
    "datasets.revisedpassage": "instance__contradiction__",
    "datasets.exclusion": "instance__contradiction__",
    "datasets.pastexclusion": "instance__contradiction__",
    "writing.entry": "record__",
}
OF_TAG = {"annotation.assignment", "annotation.tagreview"}
# A part of a name that is in more texts than this is a common word, and is not listed.
MOST = 200
# Of one statement: SQLite takes expressions of a depth of 1,000, and a name may have dozens of words.
MOST_CONDITIONS = 500


@dataclass(frozen=True)
class Mention:
    """A column of a row that names the person. `fixed`: why it cannot be changed; `is_hidden`: `by` may not see it."""

    model: type[Model]
    pk: int
    field: Field
    value: Any
    pieces: list[ExcerptPiece]
    is_certain: bool
    fixed: str = ""
    is_hidden: bool = False

    @property
    def where(self) -> str:
        label, column = self.model._meta.label_lower, self.field.attname
        table = in_words.TABLES.get(label, self.model._meta.verbose_name)
        return f"{table} {self.pk}, {in_words.COLUMNS.get(column, self.field.verbose_name)}"

    @property
    def can_be_renamed(self) -> bool:
        column = f"{self.model._meta.label_lower}.{self.field.attname}"
        return column in RENAMED and self.fixed != REPORTED

    @property
    def is_released_comment(self) -> bool:
        """Whether releases with it can be withheld: it is a comment, which names people by chance."""
        return self.fixed == RELEASED and self.field.attname in COMMENTS

    @property
    def key(self) -> str:
        """Of this place with this text: a tick for a text that was changed since counts for nothing."""
        digest = sha256(as_text(self.value).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"{self.model._meta.label_lower}.{self.field.attname}.{self.pk}.{digest}"


@dataclass(frozen=True)
class Mentions:
    """Those that can be replaced, those that cannot, how many are hidden, and words that are not listed."""

    open: list[Mention]
    fixed: list[Mention]
    hidden: int
    common: list[str]
    words: NameWords


def words_for(person: Person) -> NameWords:
    """The words that name the person, with the addresses that are noted of them."""
    invitation = getattr(person, "invitation", None)
    contacts = FetchRun.objects.filter(started_by=person).values_list("contact", flat=True)
    noted = [invitation.note if invitation else "", *contacts.distinct()]
    return words_of(
        person.name, person.username, {address for text in noted for address in addresses_in(text)}
    )


def mentions(person: Person, by: Person | None = None) -> Mentions:
    """The texts that name the person; without `by`, as on the command line, no annotation or record is hidden."""
    words = words_for(person)
    found = [mention for model in searched() for mention in _in_table(model, words, person)]
    counts = Counter(word for mention in found for word in words.found(as_text(mention.value)))
    common = {word for word, count in counts.items() if count > MOST} & {
        word.lower() for word in words.likely
    }
    words = words.without(common)
    kept = [
        _judged(mention, words) for mention in found if words.pattern.search(as_text(mention.value))
    ]
    hidden_ones = _hidden(kept, by)
    shown = [mention for mention in kept if (mention.model, mention.pk) not in hidden_ones]
    return Mentions(
        [mention for mention in shown if not mention.fixed],
        [mention for mention in shown if mention.fixed],
        len(kept) - len(shown),
        sorted(common),
        words,
    )


def keep_seen(by: Person, shown: Iterable[Mention], opened: str) -> None:
    """Record that the person was shown others' annotations and records, at the address `opened`."""
    for model, keys in _keys(shown).items():
        label, rows = model._meta.label_lower, model._base_manager.filter(pk__in=keys)
        if label in OF_ANNOTATION:
            of = rows.order_by().values(OF_ANNOTATION[label])
            seeing.keep_views(by, Annotation.objects.filter(pk__in=of), opened)
        if label in OF_RECORD:
            keep_listed(by, rows.values_list(f"{OF_RECORD[label]}pk", flat=True), opened)


def replace(chosen: Iterable[Mention], words: NameWords, pseudonym: str) -> None:
    """Put the pseudonym in place of the words. Raises Conflict, naming a row that does not take it."""
    for mention in chosen:
        text = replaced(
            mention.value, words, pseudonym, keys=mention.model._meta.label_lower in KEYS_OF_FILES
        )
        if isinstance(text, str) and mention.field.max_length:
            text = text[: mention.field.max_length]
        changes: dict[str, Any] = {mention.field.attname: text}
        if mention.model in (Annotation, Entry):
            changes["version"] = F("version") + 1  # or an open page would write the name again
        try:
            with transaction.atomic():
                mention.model._base_manager.filter(pk=mention.pk).update(**changes)
        except IntegrityError:
            raise Conflict(
                f"{mention.where.capitalize()} cannot have the pseudonym: another row has it already. Nothing was "
                "done. Change that text by hand, or do not tick it."
            ) from None


def offered_name(mention: Mention, words: NameWords, pseudonym: str) -> str:
    """A name that the program takes and no row has, with the pseudonym in place of the words."""
    stem = replaced(mention.value, words, pseudonym.lower()).lower()[:70]
    rows = mention.model._base_manager
    names = chain([stem], (f"{stem}-{n}" for n in count(2)))
    return next(name for name in names if not rows.filter(**{mention.field.attname: name}).exists())


def rename(chosen: Iterable[Mention], words: NameWords, pseudonym: str) -> None:
    """Give the rows the names that are offered for them. For use in a transaction."""
    for mention in chosen:
        name = offered_name(mention, words, pseudonym)
        mention.model._base_manager.filter(pk=mention.pk).update(**{mention.field.attname: name})
        if mention.model is CollectionRow:
            ImportJob.objects.filter(collection=mention.value).update(collection=name)


# ------------------------------------------------------------ where


def searched() -> list[type[Model]]:
    models = (table.model for table in tables(apps, passing=True))
    return [
        model for model in models if model._meta.label_lower not in NOT_SEARCHED and columns(model)
    ]


def columns(model: type[Model]) -> list[Field]:
    """Those with texts that people may have typed."""
    label = model._meta.label_lower
    return [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, CharField | TextField | JSONField)
        and not isinstance(field, ForeignKey)
        and not field.choices
        and field.attname not in PROGRAMS
        and not (label in COPIED_IN and field.attname.startswith(COPIED))
    ]


def _in_table(model: type[Model], words: NameWords, person: Person) -> Iterator[Mention]:
    fields = columns(model)
    conditions, casts = [], {}
    for field in fields:
        name = field.attname
        if isinstance(field, JSONField):
            name = f"_{field.attname}_as_text"
            casts[name] = Cast(field.attname, TextField())
        for form in _forms(words, is_json=isinstance(field, JSONField)):
            conditions.append(Q(**{f"{name}__icontains": form}))
    rows = model._base_manager.annotate(**casts).exclude(_emptied(model, person))
    found = {}
    for start in range(0, len(conditions), MOST_CONDITIONS):
        some = rows.filter(reduce(or_, conditions[start : start + MOST_CONDITIONS]))
        found.update({row["pk"]: row for row in some.values("pk", *(f.attname for f in fields))})
    for pk, values in sorted(found.items()):
        for field in fields:
            value = values[field.attname]
            if value is not None and words.pattern.search(as_text(value)):
                yield Mention(model, pk, field, value, [], is_certain=False)


def _forms(words: NameWords, *, is_json: bool) -> Collection[str]:
    """The words as a database may hold them: SQLite ignores the case of A to Z alone, and JSON has escapes."""
    forms = {
        form for word in words.all for form in (word, word.lower(), word.upper(), word.title())
    }
    if is_json:
        forms |= {form.encode("ascii", "backslashreplace").decode() for form in forms}
    return forms


def _emptied(model: type[Model], person: Person) -> Q:
    """Rows that forgetting empties anyway."""
    if model._meta.label_lower == "accounts.invitation":
        return Q(used_by=person)
    return Q(pk__in=[])


def _judged(found: Mention, words: NameWords) -> Mention:
    text, label = as_text(found.value), found.model._meta.label_lower
    fixed = FIXED.get(label) or FIXED.get(f"{label}.{found.field.attname}", "")
    if not fixed and _is_released(label, found.pk):
        fixed = RELEASED
    if f"{label}.{found.field.attname}" in RENAMED and _is_reported(label, found.pk):
        fixed = REPORTED
    return Mention(
        found.model,
        found.pk,
        found.field,
        found.value,
        excerpt(text, words),
        words.is_certain(text),
        fixed,
    )


def _is_released(label: str, pk: int) -> bool:
    releases = apps.get_model("datasets", "ReleaseRow").objects
    if label == "datasets.contradiction":
        return releases.filter(contradiction=pk).exists()
    if label == "datasets.instance":
        return releases.filter(contradiction__instances=pk).exists()
    return False


def _is_reported(label: str, pk: int) -> bool:
    """Whether a frozen report is over it: its study is found by name, its rows are hashed with the collection's."""
    of = {
        "judging.study": "study",
        "datasets.collection": "study__items__response__instance__contradiction__collection",
    }
    return ReportSnapshot.objects.filter(**{of[label]: pk}).exists()


# ------------------------------------------------------------ who may see it


def _keys(found: Iterable[Mention]) -> dict[type[Model], set[int]]:
    keys: dict[type[Model], set[int]] = {}
    for mention in found:
        keys.setdefault(mention.model, set()).add(mention.pk)
    return keys


def hidden_studies(keys: set[int], by: Person | None) -> set[int]:
    """Those of the studies that are not closed, or whose results are hidden from `by`."""
    studies = list(Study.objects.filter(pk__in=keys))
    unfinished = {study.pk for study in studies if study.state != StudyState.CLOSED}
    return unfinished | (hidden_results(by, studies) if by else set())


def _hidden(found: Iterable[Mention], by: Person | None) -> set[tuple[type[Model], int]]:
    """The rows that `by` may not see: of studies that are open or hidden from them, and of what they may annotate."""
    return {
        (model, pk) for model, keys in _keys(found).items() for pk in _hidden_in(model, keys, by)
    }


def _hidden_in(model: type[Model], keys: set[int], by: Person | None) -> set[int]:
    label, rows = model._meta.label_lower, model._base_manager.filter(pk__in=keys)
    if label in OF_STUDY:
        of = dict(rows.values_list("pk", OF_STUDY[label]))
        closed = hidden_studies(set(of.values()), by)
        return {pk for pk, study in of.items() if study in closed}
    if by is None:
        return set()
    if label in OF_ANNOTATION:
        of = dict(rows.values_list("pk", OF_ANNOTATION[label]))
        closed = {
            *hidden_from(by, Annotation.objects.filter(pk__in=of.values())).values_list(
                "pk", flat=True
            )
        }
        return {pk for pk, annotation in of.items() if annotation in closed}
    if label in OF_RECORD:
        shown = shown_to(by, rows, OF_RECORD[label])
        unread = hidden_entries(by, Entry.objects.filter(pk__in=keys if model is Entry else []))
        return keys - {*shown.values_list("pk", flat=True)} | {*unread.values_list("pk", flat=True)}
    return keys if label in OF_TAG and is_blind(by) else set()
