"""Opening and closing a form for a collection."""

from django.db import IntegrityError, transaction

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.models import Collection, Subset
from leases.refusal import Conflict, Refusal
from protocols.models import Protocol
from writing.models import Writing
from writing.states import WRITING

OPEN_ALREADY = "This form is open for this collection already."


@transaction.atomic
def open_form(*, collection: Collection, name: str, subset: Subset | None, by: Person) -> Writing:
    """Open a form of the collection's protocol. Raises Refusal for an unknown form, Conflict if it is open already."""
    protocol = collection.protocol
    if protocol is None or name not in protocol.declaration.named("form"):
        raise Refusal(f"The protocol of {collection.name} declares no form {name!r}.")
    try:
        with transaction.atomic():
            made = Writing.objects.create(
                collection=collection,
                subset=subset,
                protocol=protocol,
                form_name=name,
                opened_by=by,
            )
    except IntegrityError:
        raise Conflict(OPEN_ALREADY) from None
    record(AuditKind.WRITING, by, f"opened: {_about(made, protocol)}")
    return made


@transaction.atomic
def close(writing: Writing, by: Person) -> None:
    """Nobody takes a further record; what is in hand can be finished and checked."""
    WRITING.require(writing, "close")
    record(AuditKind.WRITING, by, f"closed: {_about(writing, writing.protocol)}")


@transaction.atomic
def reopen(writing: Writing, by: Person) -> None:
    try:
        with transaction.atomic():
            WRITING.require(writing, "reopen")
    except IntegrityError:
        raise Conflict(OPEN_ALREADY) from None
    record(AuditKind.WRITING, by, f"opened again: {_about(writing, writing.protocol)}")


def _about(writing: Writing, protocol: Protocol) -> str:
    return f"form {writing.form_name} of {protocol}, for {writing.collection.name}"
