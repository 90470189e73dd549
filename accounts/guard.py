"""Limit wrong passwords and codes: guessing becomes slow, and nobody can lock an account's owner out.

Wrong passwords are counted for one account and one origin. The origin is a browser in which the account has
signed in before (a signed cookie shows it), else an address. So a stranger's attempts do not count against the
owner's browser. Three wider limits hold for unknown browsers only: all accounts from one address, one account from
all addresses, and all of them together. An owner who meets one of the last two in a new browser can use an admin's
link for a new password. No limit asks whether the account exists, so no answer shows it.

Wrong codes of a second factor are counted for the account, wherever they come from: only somebody who knows the
password may enter one, and a new password by an admin's link keeps that person out.

How many passwords are checked at the same time is limited too (accounts.turns). An unknown browser takes a turn before
its attempt is counted: somebody who is refused because of a crowd has used up no attempt.

An attempt is counted before the password is checked, and given back if it was right. Otherwise many attempts at
the same time could all pass.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts import allowances
from accounts.allowances import Taken
from accounts.hashing import keyed_hash
from accounts.models import Person
from accounts.rates import TRIES, TRIES_FROM_ADDRESS, TRIES_OF_STRANGERS, TRIES_ON_ACCOUNT
from accounts.throttles import address_of
from accounts.turns import STRANGERS
from leases.refusal import TooMany

KNOWN_FOR = 180 * 24 * 3600
SALT = "accounts.guard.known"


class Guard:
    """One attempt of `request` to sign in as `username`."""

    what = "passwords"

    def __init__(self, request: HttpRequest, username: str) -> None:
        account = account_key(username)
        address = keyed_hash(address_of(request))
        known = known_browser(request, account)
        origin = f"browser {known}" if known else f"from {address}"
        self.own: Taken = (f"try {account} {origin}", TRIES)
        self.wider: list[Taken] = []
        self.is_known = bool(known)
        if not known:
            self.wider = [
                (f"try {account}", TRIES_ON_ACCOUNT),
                (f"try from {address}", TRIES_FROM_ADDRESS),
                ("try of strangers", TRIES_OF_STRANGERS),
            ]

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Around the check and succeed(). Raises TooMany when the attempt has to wait; then it is not counted."""
        with nullcontext() if self.is_known else STRANGERS.taken():
            self.begin()
            try:
                yield
            except TooMany:  # from the hasher
                allowances.give_back(self.own, *self.wider)
                raise

    def begin(self) -> None:
        """Count the attempt. Raises TooMany when it has to wait."""
        if wait := allowances.take(self.own, *self.wider):
            raise TooMany(
                f"There were many wrong {self.what}, so this one was not checked.", wait=wait
            )

    def succeed(self) -> None:
        """It was right: reset this origin's count, and take this attempt out of the wider ones."""
        allowances.forget(self.own)
        allowances.give_back(*self.wider)


class CodeGuard(Guard):
    """One attempt at a code of the person's second factor."""

    what = "codes"

    def __init__(self, person: Person) -> None:
        self.own = (f"code {person.pk}", TRIES)
        self.wider = []
        self.is_known = True  # by the password; and a code is checked in no time


def forget_codes(person: Person) -> None:
    """Reset the count of wrong codes: who entered them knew the password that an admin's link has replaced."""
    allowances.forget(CodeGuard(person).own)


def account_key(username: str) -> str:
    """The same for all spellings that sign in to one account, whether the account exists or not."""
    return keyed_hash("account", Person.normalize_username(username).casefold())


def cookie_name(account: str) -> str:
    return f"sicetnon_known_{account[:8]}"


def known_browser(request: HttpRequest, account: str) -> str:
    """The id that this browser got when the account signed in; "" for none or a forged one."""
    signed = request.COOKIES.get(cookie_name(account), "")
    try:
        value: str = signing.TimestampSigner(salt=SALT).unsign(signed, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return ""
    owner, _, browser = value.partition(" ")
    return browser if owner == account else ""


def remember(response: HttpResponse, request: HttpRequest, person: Person) -> HttpResponse:
    """Mark this browser as known to the person's account. The cookie gives no access by itself."""
    account = account_key(person.username)
    browser = known_browser(request, account) or secrets.token_hex(8)
    signed = signing.TimestampSigner(salt=SALT).sign(f"{account} {browser}")
    response.set_cookie(
        cookie_name(account),
        signed,
        max_age=KNOWN_FOR,
        path=settings.SESSION_COOKIE_PATH,  # not only /sign-in/: changing the password is limited too
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response
