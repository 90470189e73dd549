"""Invitation links, the first administrator, roles, and links for a new password."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta
from itertools import chain

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.encoding import force_bytes, force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from accounts import institution, sessions
from accounts.audit import AuditKind, record
from accounts.invited_lines import InvitedPerson
from accounts.models import Invitation, Person, RoleGrant
from accounts.roles import Role
from accounts.tokens import issuing as tokens
from leases.clock import in_seconds
from leases.refusal import Conflict, NotFoundHere, Refusal

VALID_FOR = timedelta(days=7)


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invite(
    *, roles: Iterable[Role], by: Person | None, note: str = "", valid_for: timedelta = VALID_FOR
) -> str:
    """Make an invitation; returns its token, of which only the hash is stored."""
    chosen = sorted(set(roles))
    if not chosen:
        raise Refusal("Choose at least one role for the new person.")
    token = secrets.token_urlsafe(24)
    Invitation.objects.create(
        token_hash=hashed(token),
        roles=[str(role) for role in chosen],
        note=note,
        created_by=by,
        expires_at=in_seconds(valid_for.total_seconds()),
    )
    record(AuditKind.LINK, by, f"invitation as {', '.join(chosen)}")
    return token


@transaction.atomic
def invite_all(people: Iterable[InvitedPerson], *, by: Person) -> list[tuple[InvitedPerson, str]]:
    """Each with the token of an invitation of their own, or nobody is invited."""
    return [(each, invite(roles=each.roles, by=by, note=each.name)) for each in people]


def open_ones() -> QuerySet[Invitation]:
    """The invitations whose link still lets somebody in."""
    return Invitation.objects.filter(used_by=None, withdrawn_at=None, expires_at__gt=Now())


def names_taken() -> set[str]:
    """The names and usernames of people, and whom open invitations are for, casefolded."""
    people = Person.objects.values_list("name", "username")
    notes = open_ones().values_list("note", flat=True)
    return {name.casefold() for name in chain(*people, notes) if name}


def has_admin() -> bool:
    """Whether there is an admin who can sign in; people of the demonstration cannot."""
    admins = RoleGrant.objects.filter(role=Role.ADMIN, person__is_active=True)
    return admins.filter(person__is_demonstration=False).exists()


def first_admin_token() -> str | None:
    """A new one-time token for the first administrator; None when there is an admin already.

    Withdraws earlier unused tokens of this kind, so that only the one last shown works.
    """
    if has_admin():
        return None
    unused = Invitation.objects.filter(created_by=None, used_by=None, withdrawn_at=None)
    unused.update(withdrawn_at=Now())
    return invite(roles=Role, by=None, note="First administrator")


def open_invitation(token: str) -> Invitation:
    """The invitation of a token that can still be used. Raises NotFoundHere with the reason."""
    invitation = Invitation.objects.filter(token_hash=hashed(token)).first()
    if invitation is None:
        raise NotFoundHere(
            "This invitation link is not known here. Check that you copied the whole link."
        )
    if invitation.used_by_id:
        raise NotFoundHere(
            "This invitation has been used. Sign in, or ask an admin for a new link.", status=410
        )
    usable = Invitation.objects.filter(pk=invitation.pk, withdrawn_at=None, expires_at__gt=Now())
    # Only the link of the first administrator has no maker; it ends once there is an admin.
    obsolete = invitation.created_by_id is None and has_admin()
    if obsolete or not usable.exists():
        raise NotFoundHere("This invitation has expired. Ask an admin for a new link.", status=410)
    return invitation


def accept(
    token: str, *, username: str, name: str, password: str | None = None, subject: str = ""
) -> Person:
    """Create the invited person; a second click on the same link is refused.

    The person signs in by a password, or by the identity `subject` at the institution.
    """
    # Before the transaction: it takes long, and SQLite has one writer.
    password_hash = make_password(password)
    return _accept(token, username, name, password_hash, subject)


@transaction.atomic
def _accept(token: str, username: str, name: str, password_hash: str, subject: str) -> Person:
    invitation = open_invitation(token)
    try:
        with transaction.atomic():
            person = Person.objects.create_person(username, name=name, password_hash=password_hash)
    except IntegrityError as error:
        raise Conflict("This name was taken a moment ago. Go back and choose another.") from error
    open_still = Invitation.objects.filter(pk=invitation.pk, used_by=None, withdrawn_at=None)
    claimed = open_still.update(used_by=person, used_at=Now())
    if not claimed:
        raise Conflict(
            "This invitation was used or withdrawn a moment ago. Sign in, or ask an admin for a new link."
        )
    record(AuditKind.LINK, invitation.created_by, "invitation used", person=person)
    grant(person, roles=[Role(role) for role in invitation.roles], by=invitation.created_by)
    if subject:
        institution.link(person, subject)
    return person


@transaction.atomic
def grant(person: Person, *, roles: Iterable[Role], by: Person | None) -> None:
    """Give `person` exactly these roles. Raises Refusal if no admin would be left."""
    wanted = {str(role) for role in roles}
    if wanted:
        check_not_forgotten(person)
    held = set(person.grants.values_list("role", flat=True))
    if Role.ADMIN in held - wanted:
        check_not_last_admin(person)
        withdraw_invitations_of(person)
    person.grants.filter(role__in=held - wanted).delete()
    RoleGrant.objects.bulk_create(
        [RoleGrant(person=person, role=role, granted_by=by) for role in sorted(wanted - held)],
        ignore_conflicts=True,  # another click may have just made them
    )
    person.__dict__.pop("_roles", None)
    if wanted != held:
        record(AuditKind.ROLE, by, ", ".join(sorted(wanted)) or "no role", person=person)


def check_not_last_admin(person: Person) -> None:
    """Raise Refusal unless there is another admin; call inside the transaction that removes this one."""
    # Lock the grants: two admins who remove each other at once would otherwise both see the other.
    admins = RoleGrant.objects.filter(role=Role.ADMIN)
    list(admins.select_for_update().order_by("pk"))
    others = admins.filter(person__is_active=True).exclude(person=person)
    others = others.filter(person__is_demonstration=False)
    if not others.exists():
        raise Refusal("This is the last admin. Make somebody else an admin first.", status=409)


def check_not_forgotten(person: Person) -> None:
    if person.forgotten_at:
        raise Refusal(
            "This person has been forgotten. To let them in again, invite them as a new person.",
            status=409,
        )


@transaction.atomic
def set_active(person: Person, *, active: bool, by: Person | None = None) -> None:
    """Allow or forbid signing in; the person's work stays. Sessions and tokens end at once."""
    if active:
        check_not_forgotten(person)
    elif person.has_role(Role.ADMIN):
        check_not_last_admin(person)
    person.is_active = active
    person.save(update_fields=["is_active"])
    if not active:
        # Or the sessions would work again if the person is allowed back.
        sessions.end_all(person)
        tokens.end_all(person)
        withdraw_invitations_of(person)
    record(AuditKind.ROLE, by, "may sign in" if active else "may not sign in", person=person)


@transaction.atomic
def withdraw(key: int, *, by: Person) -> None:
    """Withdraw an invitation, unless it is used or withdrawn already."""
    unused = Invitation.objects.filter(pk=key, used_by=None, withdrawn_at=None)
    if unused.update(withdrawn_at=Now()):
        record(AuditKind.LINK, by, "invitation withdrawn")


def set_password(person: Person, password: str) -> None:
    """For somebody who gave the password that `person` was read with. Raises Conflict where it is another one now."""
    password_hash = make_password(password)  # before the transaction, as in accept()
    with transaction.atomic():
        if not _replaced(person, password_hash):
            raise Conflict(
                "Your password was changed in another place a moment ago, so it was not changed here."
            )
        record(AuditKind.PASSWORD, person)


def set_password_by_link(key: str, token: str, password: str) -> Person:
    """The person of the link, whose password this is now. Raises NotFoundHere for all but the first use of a link."""
    password_hash = make_password(password)
    with transaction.atomic():
        person = person_of_link(key, token)
        # The token covers the last sign-in too.
        if not _replaced(person, password_hash, last_login=person.last_login):
            raise _useless_link()
        record(AuditKind.PASSWORD, person, "by a link")
    return person


def _replaced(person: Person, password_hash: str, **as_read: object) -> bool:
    """One UPDATE decides who was first, of several who start from the same password."""
    unchanged = Person.objects.filter(pk=person.pk, password=person.password, is_active=True)
    if not unchanged.filter(**as_read).update(password=password_hash):
        return False
    tokens.end_all(person)
    person.password = password_hash
    return True


def withdraw_invitations_of(admin: Person) -> None:
    """Withdraw a former admin's invitations: by their own link they could come back as a new admin."""
    unused = Invitation.objects.filter(created_by=admin, used_by=None, withdrawn_at=None)
    unused.update(withdrawn_at=Now())


def password_path(person: Person, *, by: Person | None = None) -> str:
    """Path of a link by which `person` sets a new password; works once, for three days.

    It stops working when its maker is no longer an admin. `by` is None for the command line.
    """
    record(AuditKind.LINK, by, "new password", person=person)
    maker = by.pk if by else 0
    key = urlsafe_base64_encode(force_bytes(f"{person.pk}.{maker}"))
    return reverse("accounts:new_password", args=[key, _PasswordLinks(maker).make_token(person)])


class _PasswordLinks(PasswordResetTokenGenerator):
    """Django's tokens, which end when the person signs in or gets a password; the signature covers the maker."""

    def __init__(self, maker: int) -> None:
        super().__init__()
        self.key_salt = f"accounts.password_link.{maker}"


def person_of_link(key: str, token: str) -> Person:
    """The person of a password link. Raises NotFoundHere when it is wrong, used or too old."""
    try:
        owner, maker = (int(part) for part in force_str(urlsafe_base64_decode(key)).split("."))
        person = Person.objects.filter(pk=owner, is_active=True).first()
        admins = RoleGrant.objects.filter(role=Role.ADMIN, person__is_active=True)
        made_by_admin = maker == 0 or admins.filter(person=maker).exists()
    except (ValueError, OverflowError):
        person = None
    if person is None or not made_by_admin or not _PasswordLinks(maker).check_token(person, token):
        raise _useless_link()
    return person


def _useless_link() -> NotFoundHere:
    return NotFoundHere(
        "This link has been used or has expired. Ask an admin for a new one.", status=410
    )


def invitation_path(token: str) -> str:
    return reverse("accounts:join", args=[token])


def full_address(path: str) -> str:
    """The address that people use for a path from reverse(); both it and BASE_URL contain the sub-path."""
    return settings.BASE_URL + path.removeprefix(settings.FORCE_SCRIPT_NAME or "")
