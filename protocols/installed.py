"""The protocols that there are as rows: installed from a file, used by collections, removed."""

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from leases.refusal import Conflict, Refusal
from leases.rows import first_of
from protocols.checking import all_problems
from protocols.declaration import WIKICONTRADICT, Declaration, ProtocolError
from protocols.models import Protocol
from protocols.reading import read_protocol


def declared(data: bytes, file: str) -> Declaration:
    """The protocol in these bytes; raises Refusal that names the file, with all problems as its details."""
    try:
        return read_protocol(data, all_problems)
    except ProtocolError as error:
        problems = list(map(str, error.problems))
        raise Refusal(f"{file} is no protocol. Nothing was installed.", details=problems) from None


@transaction.atomic
def install(data: bytes, file: str, by: Person | None = None) -> tuple[Protocol, bool]:
    """The row of this file, and whether it is new or changed.

    Raises Refusal for a file that is no protocol, Conflict where a collection uses another text of this version.
    """
    given = declared(data, file)
    if given.name == WIKICONTRADICT:
        raise Refusal(
            f"{file}: WikiContradict comes with the program. Give your protocol another name."
        )
    rows = Protocol.objects.select_for_update().filter(name=given.name)
    row = rows.filter(version=given.version).first()
    if row and row.sha256 == given.sha256:
        return row, False
    if same := rows.filter(sha256=given.sha256).first():
        return same, False
    if row and row.used_at:
        raise Conflict(
            f"A collection uses {row}, and {file} has another text. Write version = {_next(rows)} in it, and install "
            "it again."
        )
    row = row or Protocol(name=given.name, version=given.version)
    row.title, row.text, row.sha256 = given.title, data.decode("utf-8"), given.sha256
    row.installed_by = by
    row.save()
    record(AuditKind.IMPORT, by, f"protocol {row}, sha256 {row.sha256}")
    return row, True


def _next(rows: QuerySet[Protocol]) -> int:
    return max(row.version for row in rows) + 1


@transaction.atomic
def remove(protocol: Protocol, by: Person) -> None:
    """Remove a protocol that no collection uses. Raises Conflict for another."""
    mine = Protocol.objects.select_for_update().filter(pk=protocol.pk, used_at=None)
    if not mine.delete()[0]:
        raise Conflict(f"{protocol} stays: a collection uses it.")
    record(AuditKind.IMPORT, by, f"protocol {protocol} removed")


def use(protocol: Protocol) -> None:
    """A collection uses it: from now on it never changes."""
    Protocol.objects.filter(pk=protocol.pk, used_at=None).update(used_at=Now())


def numbered(key: int) -> Protocol:
    """Raises NotFoundHere."""
    return first_of(Protocol.objects.filter(pk=key), "There is no such protocol.")


def later_versions(protocol: Protocol) -> list[Protocol]:
    """Those to which a collection of this protocol may be moved: fields, file and item are the same."""
    rows = Protocol.objects.filter(name=protocol.name, version__gt=protocol.version)
    return [row for row in rows if row.declaration.fixed == protocol.declaration.fixed]
