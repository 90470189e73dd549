"""Tries on a password: slowed down for whoever guesses, never stopped for the person themself.

Counted are wrong passwords for one account from one place. A place is a browser in which that account has
signed in before (a signed cookie says so), else an address. What a stranger tries is so counted apart from what
the person tries in their own browser. Two wider counts hold for unknown browsers alone: all accounts from one
address, and one account from all addresses. A person whom a crowd of strangers slows down in a new browser
has a way past: an admin's link for a new password.

A try is counted before the password is looked at, and given back when it was right: tries that come at one
instant cannot all slip through.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts import allowances
from accounts.allowances import Taken
from accounts.hiding import hidden
from accounts.models import Person
from accounts.rates import TRIES, TRIES_FROM_ADDRESS, TRIES_ON_ACCOUNT
from accounts.throttles import address_of
from leases.refusal import TooMany

KNOWN_FOR = 180 * 24 * 3600
SALT = "accounts.guard.known"


class Guard:
    """One try to sign in as `username` by `request`."""

    def __init__(self, request: HttpRequest, username: str) -> None:
        account = account_key(username)
        address = hidden(address_of(request))
        known = known_browser(request, account)
        place = f"browser {known}" if known else f"from {address}"
        self.here: Taken = (f"try {account} {place}", TRIES)
        self.around: list[Taken] = []
        if not known:
            self.around = [
                (f"try {account}", TRIES_ON_ACCOUNT),
                (f"try from {address}", TRIES_FROM_ADDRESS),
            ]

    def begin(self) -> None:
        """Count the try; raises TooMany when it has to wait."""
        if wait := allowances.take(self.here, *self.around):
            raise TooMany("There were many wrong passwords, so this was not tried.", wait=wait)

    def right(self) -> None:
        """The password was right: the tries of this place are forgotten; those of others are not."""
        allowances.forget(self.here)
        allowances.give_back(*self.around)


def account_key(username: str) -> str:
    """The same for all spellings that sign in as one, whether there is such an account or not."""
    return hidden("account", Person.normalize_username(username).casefold())


def cookie_name(account: str) -> str:
    return f"sicetnon_known_{account[:8]}"


def known_browser(request: HttpRequest, account: str) -> str:
    """The id that this browser was given when the account signed in here; "" for none or a forged one."""
    signed = request.COOKIES.get(cookie_name(account), "")
    try:
        said: str = signing.TimestampSigner(salt=SALT).unsign(signed, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return ""
    owner, _, browser = said.partition(" ")
    return browser if owner == account else ""


def remember(response: HttpResponse, request: HttpRequest, person: Person) -> HttpResponse:
    """Let this browser be known to the person's account from now on. It opens nothing by itself."""
    account = account_key(person.username)
    browser = known_browser(request, account) or secrets.token_hex(8)
    signed = signing.TimestampSigner(salt=SALT).sign(f"{account} {browser}")
    response.set_cookie(
        cookie_name(account),
        signed,
        max_age=KNOWN_FOR,
        path=settings.SESSION_COOKIE_PATH,  # the page for a new password asks for the present one too
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response
