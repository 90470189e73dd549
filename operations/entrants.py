"""Whom a backup lets in: what a person confirms before a backup with another key is restored."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.hashers import is_password_usable
from django.db.models import Model
from django.utils import timezone

from accounts.models import Identity, Invitation, Person, RoleGrant, SecondFactor
from accounts.roles import Role
from operations.bundle import BadBundle, Bundle, printable
from operations.serialization import WRONG_KIND

Row = dict[str, Any]


@dataclass(frozen=True)
class Entrants:
    """A line for each person who can sign in, admins first, and one for each invitation that is open."""

    people: list[str]
    admins: int
    invitations: list[str]


def entrants(bundle: Bundle) -> Entrants:
    """Those whom the rows of a verified backup let in. Raises BadBundle for rows that cannot be read."""
    people = {row["id"]: row for row in _rows(bundle, Person) if row["is_active"] is not False}
    roles: dict[Any, list[str]] = {}
    for grant in _rows(bundle, RoleGrant):
        roles.setdefault(grant["person_id"], []).append(str(grant["role"]))
    factors = {row["person_id"] for row in _rows(bundle, SecondFactor)}
    identities = {row["person_id"]: row for row in _rows(bundle, Identity)}
    admins = [key for key in people if Role.ADMIN in roles.get(key, [])]
    in_order = [*admins, *(key for key in people if key not in admins)]
    return Entrants(
        [
            _person(people[key], roles.get(key, []), key in factors, identities.get(key))
            for key in in_order
        ],
        len(admins),
        [_invitation(row) for row in _rows(bundle, Invitation) if _is_open(row)],
    )


def _rows(bundle: Bundle, model: type[Model]) -> Iterator[Row]:
    """The rows of one table, each value as the restore would write it; columns that are gone are left out."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    for part in bundle.tables:
        if part.table != model._meta.label_lower:
            continue
        try:
            for row in bundle.rows(part):
                named = zip(part.columns, row, strict=True)
                yield dict.fromkeys(fields) | {
                    name: fields[name].to_python(value) for name, value in named if name in fields
                }
        except WRONG_KIND:
            raise BadBundle(
                f"{part.table} in {bundle.path} holds a value that its column does not take. Take another."
            ) from None


def _person(row: Row, roles: list[str], has_factor: bool, identity: Row | None) -> str:
    ways = ["password"] if is_password_usable(row["password"]) else ["no password"]
    if has_factor:
        ways.append("second factor")
    if identity:
        ways.append(f"institution {identity['issuer']} as {identity['subject']}")
    if row["is_demonstration"]:
        ways.append("of the demonstration")
    return printable(
        f"{row['name']} ({row['username']}): {', '.join(sorted(roles)) or 'no role'}; {', '.join(ways)}"
    )


def _is_open(row: Row) -> bool:
    until = row["expires_at"]
    if row["used_by_id"] is not None or row["withdrawn_at"] is not None or until is None:
        return False
    return until > (timezone.now() if timezone.is_aware(until) else datetime.now())  # noqa: DTZ005


def _invitation(row: Row) -> str:
    roles = row["roles"] if isinstance(row["roles"], list) else [row["roles"]]
    named = ", ".join(map(str, roles))
    return printable(f"{row['note'] or 'no note'}: {named}, until {row['expires_at']:%Y-%m-%d}")
