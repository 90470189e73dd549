"""The record that an entry makes: the next version of the one shown, or a new one of the same base."""

from typing import Any

from datasets.declared.records import in_order, parse_declared
from datasets.identity import external_id
from datasets.models import Contradiction
from datasets.records import Draft, add_contradiction, read_draft, returning, supersede
from datasets.schema import RecordRefused
from leases.refusal import Conflict, Refusal
from writing.declared.language import NOTHING, VERSION
from writing.models import Entry
from writing.targets import is_there

SAME_RECORD = "The collection has a record with exactly this content already."
THERE_ALREADY = "Somebody has added a record of this base and combination since. Give this entry up: it is kept."


def record_of(entry: Entry) -> dict[str, Any] | None:
    """The record that the entry makes; None where it makes none, or would change nothing."""
    declaration, shown = entry.writing.protocol.declaration, entry.record.fields or {}
    if entry.form.makes == NOTHING or entry.is_rejection:
        return None
    made = entry.form.filled(declaration, shown, tuple(entry.combination), entry.values)
    return None if made == shown else in_order(declaration, made)


def check_makes(entry: Entry) -> None:
    """Raise Refusal where the record that it makes cannot be stored or is there already."""
    record = record_of(entry)
    if record is not None:
        _draft(entry, record)
        _check_lacking(entry)
        if entry.form.makes != VERSION:
            same = entry.record.collection.contradictions.filter(external_id=external_id(record))
            if same.exists():
                raise Conflict(SAME_RECORD)


def make(entry: Entry) -> Contradiction | None:
    """Store the record that the entry makes, by the entry's author. Raises Refusal, and Conflict if it is there."""
    record, author = record_of(entry), entry.author
    if record is None:
        return None
    collection, draft = entry.record.collection, _draft(entry, record)
    _check_lacking(entry)
    if entry.form.makes == VERSION:
        draft = returning(collection, draft)
        return supersede(contradiction=entry.record, draft=draft, author=author)
    added = add_contradiction(collection=collection, draft=draft, author=author)
    if not added.is_new:
        raise Conflict(SAME_RECORD)
    return added.contradiction


def _check_lacking(entry: Entry) -> None:
    if entry.form.complete and is_there(entry):
        raise Conflict(THERE_ALREADY)


def _draft(entry: Entry, record: dict[str, Any]) -> Draft:
    try:
        return read_draft(parse_declared(entry.writing.protocol.declaration, record))
    except RecordRefused as refused:
        raise Refusal(f"This makes no record of the protocol: {refused}.") from None
