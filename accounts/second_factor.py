"""A second factor for passwords: codes by RFC 6238 (TOTP), and recovery codes for a lost phone."""

import secrets
from urllib.parse import urlsplit

import pyotp
import segno
from django.conf import settings
from django.db import IntegrityError, transaction
from pyotp.utils import strings_equal

from accounts import sessions
from accounts.audit import AuditKind, record
from accounts.hashing import keyed_hash
from accounts.models import ALPHABET, Person, RecoveryCode, SecondFactor
from accounts.sealing import sealed, unsealed
from accounts.tokens import issuing as tokens
from leases.clock import now
from leases.refusal import Conflict, NotFoundHere

RECOVERY_CODES = 10
DIGITS = 6  # of a code of an app


def factor_of(person: Person) -> SecondFactor | None:
    return SecondFactor.objects.filter(person=person).first()


def new_secret() -> str:
    """160 random bits in base 32."""
    return pyotp.random_base32()


def qr_code(person: Person, secret: str) -> str:
    """The address of an image (data:) that an app scans."""
    host = urlsplit(settings.BASE_URL).hostname
    uri = pyotp.TOTP(secret).provisioning_uri(
        name=person.username, issuer_name=f"Sic et Non ({host})"
    )
    return segno.make(uri).svg_data_uri(scale=4, border=4, dark="#000", light="#fff")


@transaction.atomic
def turn_on(person: Person, secret: str, code: str) -> list[str] | None:
    """Store the secret if the code is right; returns the recovery codes, which are not shown again."""
    step = _step_of(secret, code)
    if step is None:
        return None
    try:
        with transaction.atomic():
            factor = SecondFactor.objects.create(
                person=person, secret=sealed(secret), last_step=step
            )
    except IntegrityError:
        raise Conflict("Your second factor is on already.") from None
    codes = [_new_recovery_code() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(factor=factor, code_hash=_hashed(factor, code)) for code in codes
    )
    record(AuditKind.SECOND_FACTOR, person, "on")
    return codes


def accepts(factor: SecondFactor, code: str) -> bool:
    """Whether the code is right, from the app or a recovery code. Each is accepted once."""
    if len(_plain(code)) != DIGITS:
        used = RecoveryCode.objects.filter(factor=factor, code_hash=_hashed(factor, code))
        return used.delete()[0] == 1
    step = _step_of(_secret_of(factor), code)
    if step is None:
        return False
    # One UPDATE: of two requests with one code at the same time, only the first changes the row.
    unused = SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step)
    return unused.update(last_step=step) == 1


@transaction.atomic
def turn_off(person: Person) -> None:
    _delete(person)
    record(AuditKind.SECOND_FACTOR, person, "off")


@transaction.atomic
def take_away(person: Person, *, by: Person | None) -> None:
    """Remove the second factor of a person who lost it, and end their sessions and tokens: others may have it."""
    _delete(person)
    sessions.end_all(person)
    tokens.end_all(person)
    record(AuditKind.SECOND_FACTOR, by, "off", person=person)


def _delete(person: Person) -> None:
    if not SecondFactor.objects.filter(person=person).delete()[0]:
        raise NotFoundHere("The second factor is off already.")


def _step_of(secret: str, code: str) -> int | None:
    """The time step of a right code. Clocks may differ by one step of 30 seconds."""
    totp = pyotp.TOTP(secret)
    current = totp.timecode(now())
    steps = (current - 1, current, current + 1)
    return next((s for s in steps if strings_equal(totp.generate_otp(s), _plain(code))), None)


def _secret_of(factor: SecondFactor) -> str:
    try:
        return unsealed(factor.secret)
    except ValueError:
        raise Conflict(
            "The secret key of this installation has changed, so codes cannot be checked. Ask an admin to remove "
            "your second factor."
        ) from None


def _new_recovery_code() -> str:
    """About 49 random bits, e.g. "7KQ2M-XWP4H"."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(10))
    return f"{letters[:5]}-{letters[5:]}"


def _plain(code: str) -> str:
    return code.upper().replace(" ", "").replace("-", "")


def _hashed(factor: SecondFactor, code: str) -> str:
    return keyed_hash("recovery code", str(factor.pk), _plain(code))
