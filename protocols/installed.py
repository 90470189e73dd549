"""The protocols that there are as rows: installed from a file, used by collections, removed."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from leases.extension import ExtensionPoint
from leases.refusal import Conflict, NotFoundHere, Refusal
from protocols.checking import all_problems, part_keys
from protocols.declaration import WIKICONTRADICT, Declaration, DeclarationProblem, ProtocolError
from protocols.models import Protocol
from protocols.reading import read_protocol
from protocols.shipped import declaration_of, file_of, shipped
from protocols.uses import in_words, uses_of

# What of an installed protocol cannot be used, in sentences.
unusable: ExtensionPoint[[Protocol], list[str]] = ExtensionPoint("protocols.installed.unusable")

# More of them help nobody.
MOST_PROBLEMS = 50


class NoProtocol(Refusal):
    """A file that is no protocol: all of its `faults`, and the first of them as sentences."""

    def __init__(self, file: str, faults: list[DeclarationProblem]) -> None:
        self.faults, more = faults, len(faults) - MOST_PROBLEMS
        self.problems = [str(problem) for problem in faults[:MOST_PROBLEMS]]
        self.problems += [f"And {more} more."] if more > 0 else []
        super().__init__(f"{file} is no protocol. Nothing was installed.", details=self.problems)


def declared(data: bytes, file: str) -> Declaration:
    """The protocol in these bytes. Raises NoProtocol, which names the file."""
    try:
        return read_protocol(data, all_problems, part_keys())
    except ProtocolError as error:
        raise NoProtocol(file, error.problems) from None


@transaction.atomic
def install(data: bytes, file: str, by: Person | None = None) -> tuple[Protocol, bool]:
    """The row of this file, and whether it is new or changed.

    Raises NoProtocol, Refusal for the name of WikiContradict, Conflict where a collection uses another text of this
    version.
    """
    given = declared(data, file)
    if given.name == WIKICONTRADICT:
        raise Refusal(
            f"{file}: WikiContradict comes with the program. Give your protocol another name."
        )
    columns = {
        "title": given.title,
        "text": data.decode("utf-8"),
        "sha256": given.sha256,
        "installed_by": by,
    }
    key = {"name": given.name, "version": given.version}
    is_new = Protocol.objects.get_or_create(**key, defaults=columns)[1]
    row = Protocol.objects.select_for_update().get(**key)
    if not is_new and row.sha256 == given.sha256:
        return row, False
    if row.used_at:
        raise Conflict(
            f"{row} is in use, and {file} has another text. Write version = {_latest(given.name) + 1} in it, and "
            "install it again."
        )
    if not is_new:
        Protocol.objects.filter(pk=row.pk).update(**columns, installed_at=Now())
        row.refresh_from_db()
    record(AuditKind.IMPORT, by, f"protocol {row}, sha256 {row.sha256}")
    return row, True


def warnings_of(protocol: Protocol) -> list[str]:
    """What of it cannot be used, for those who have installed it."""
    return [why for reasons in unusable(protocol) for why in reasons]


@transaction.atomic
def remove(protocol: Protocol, by: Person) -> None:
    """Remove a protocol that no collection has used. Raises Conflict for another, with what uses it."""
    unused = Protocol.objects.select_for_update().filter(pk=protocol.pk, used_at=None).first()
    if unused is None:
        found = uses_of([protocol.pk], by)[protocol.pk]
        why = f"it is used by {in_words(found)}." if found else "a collection has used it."
        raise Conflict(f"{protocol} stays: {why}")
    unused.delete()
    record(AuditKind.IMPORT, by, f"protocol {protocol} removed")


def standing(given: Declaration) -> tuple[str, bool]:
    """What installing this would do to what is installed, and whether it can be."""
    if given.name == WIKICONTRADICT:
        return "WikiContradict comes with the program. Give your protocol another name.", False
    rows = {row.version: row for row in Protocol.objects.filter(name=given.name).defer("text")}
    latest = max(rows, default=0)
    lower = _lower(given.version, latest)
    row = rows.get(given.version)
    if row is None:
        return f"{given} is not installed yet.{lower}", True
    if row.sha256 == given.sha256:
        return f"This very file is installed as {given}.{lower}", False
    if row.used_at:
        return (
            f"{given} is in use, with another text. Write version = {latest + 1} in the file.",
            False,
        )
    return (
        f"{given} is installed with another text, which nothing uses: this file would replace it.{lower}",
        True,
    )


def higher_than(protocol: Protocol) -> str:
    """A sentence where a higher version is installed; else ""."""
    return _lower(protocol.version, _latest(protocol.name))


def _lower(version: int, latest: int) -> str:
    return f" Version {latest} is installed, which is higher." if latest > version else ""


def _latest(name: str) -> int:
    return Protocol.objects.filter(name=name).aggregate(at=Max("version"))["at"] or 0


def use(protocol: Protocol) -> None:
    """A collection uses it as it was read: from now on it never changes. Raises Conflict if it has changed."""
    same = Protocol.objects.filter(pk=protocol.pk, sha256=protocol.sha256)
    if not same.filter(used_at=None).update(used_at=Now()) and not same.exists():
        raise Conflict(f"{protocol} was changed in the meantime. Nothing was done: try again.")


def later_versions(protocol: Protocol) -> list[Protocol]:
    """Those to which a collection of this protocol may be moved: fields, file and item are the same."""
    rows = Protocol.objects.filter(name=protocol.name, version__gt=protocol.version)
    return [row for row in rows if row.declaration.fixed == protocol.declaration.fixed]


@dataclass(frozen=True)
class FoundProtocol:
    """A protocol with the bytes of its file; `row` is None for one that comes with the program and has no row."""

    declaration: Declaration
    data: bytes
    row: Protocol | None

    @property
    def is_offered(self) -> bool:
        """Whether it comes with the program and can be installed."""
        return self.row is None and self.declaration.name != WIKICONTRADICT


def found(name: str, version: int) -> FoundProtocol:
    """An installed one, or else one that comes with the program. Raises NotFoundHere."""
    rows = Protocol.objects.select_related("installed_by")
    if row := rows.filter(name=name, version=version).first():
        return FoundProtocol(row.declaration, row.text.encode("utf-8"), row)
    if name in (WIKICONTRADICT, *shipped()) and declaration_of(name).version == version:
        return FoundProtocol(declaration_of(name), file_of(name), None)
    raise NotFoundHere(f"There is no protocol {name} version {version}.")


def offered() -> list[Declaration]:
    """Those that come with the program and are not installed."""
    have = set(Protocol.objects.values_list("name", "version"))
    named = map(declaration_of, shipped())
    return [known for known in named if (known.name, known.version) not in have]
