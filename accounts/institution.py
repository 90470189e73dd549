"""Sign-in by an institution: OpenID Connect with the one provider that the settings name, by Authlib.

Authlib keeps state, nonce and the PKCE verifier in the session until the person is back, and checks them and the ID
token. An identity is issuer and subject. Its mail address is never read: who may choose an address there would
choose an account here.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import structlog
from authlib.integrations.django_client import DjangoIntegration, DjangoOAuth2App, OAuthError
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from joserfc.errors import BadSignatureError, JoseError
from requests import RequestException

from accounts import sessions
from accounts.audit import AuditKind, record
from accounts.models import Identity, Person
from accounts.tokens import issuing as tokens
from leases.refusal import Conflict, NotAllowed, Refusal

log = structlog.get_logger(__name__)

SECONDS_AWAY = 900  # after which nobody is expected back
TIMEOUT = 5  # seconds for each request to the provider
LEEWAY = 60  # seconds by which its clock may differ
RENEWED_AFTER = 3600  # seconds for which its addresses and keys are used
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")
NOT_ANEW = (
    "Nothing was changed, because {} does not say that you signed in there just now. Begin again, and enter your "
    "password there. If you have done that, tell the operator."
)
# By a key that only the provider has; neither "none" nor a secret that this program has too.
SIGNATURES = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
# What Authlib raises for an answer that it cannot use; the last four for one of an unexpected form.
UNUSABLE = (
    OAuthError, JoseError, RuntimeError, ValueError, TypeError, LookupError, AttributeError,
)  # fmt: skip


@dataclass(frozen=True)
class Arrival:
    """A person who is back from the institution: what they went for, and who they are there.

    `left` is when they left, and `signed_in` when they signed in there, both in seconds since 1970; None where the
    institution does not say it.
    """

    purpose: dict[str, Any]
    subject: str
    name: str
    left: float
    signed_in: float | None

    def check_anew(self, *, must_be_said: bool) -> None:
        """Raise NotAllowed where they signed in there before they left; also, if it `must_be_said`, where nothing says.

        Who sits at the browser can take the wish for a new sign-in out of the address; the ID token they cannot change.
        """
        signed_in = (0 if must_be_said else self.left) if self.signed_in is None else self.signed_in
        if not signed_in >= self.left - LEEWAY:
            raise NotAllowed(NOT_ANEW.format(name()))

    @property
    def shown(self) -> str:
        return self.name or self.subject


class OtherIssuer(OAuthError):
    """The provider at the address of the settings calls itself by another one."""


class PlainEndpoint(OAuthError):
    """The provider names an address that is not https."""


class Provider(DjangoOAuth2App):
    """Authlib's client, which takes no other issuer than the one of the settings."""

    made = 0.0  # by time.monotonic()

    def load_server_metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = super().load_server_metadata()
        try:
            _check(metadata)
        except OAuthError:
            metadata.pop("_loaded_at", None)  # ask again next time
            raise
        return metadata | {"id_token_signing_alg_values_supported": SIGNATURES}

    def parse_id_token(self, token: dict[str, Any], nonce: str, **options: Any) -> Any:
        try:
            return super().parse_id_token(token, nonce, **options)
        except BadSignatureError:  # perhaps there is a new key with the old key's id, or none
            self.fetch_jwk_set(force=True)
            return super().parse_id_token(token, nonce, **options)


def _check(metadata: dict[str, Any]) -> None:
    if metadata.get("issuer") != settings.OIDC_ISSUER:
        raise OtherIssuer
    allowed = {"https", urlsplit(settings.OIDC_ISSUER).scheme}  # http for a loopback issuer only
    for address in filter(None, map(metadata.get, ENDPOINTS)):
        if not isinstance(address, str) or urlsplit(address).scheme not in allowed:
            raise PlainEndpoint


def name() -> str:
    """What pages call the institution; "" where nobody signs in by one."""
    return settings.OIDC_NAME if settings.OIDC_ISSUER else ""


def leave(
    request: HttpRequest, back_to: str, purpose: dict[str, Any], *, anew: bool = False
) -> str:
    """The address at the institution. The person comes back to `back_to`, with `purpose` in their session.

    With `anew` they are asked to sign in there even if somebody is signed in there; Arrival.check_anew looks whether.
    """
    with _refusals():
        provider = _provider()
        asked = {"prompt": "login", "max_age": "0"} if anew else {}
        there = provider.create_authorization_url(back_to, **asked)
    there |= {"redirect_uri": back_to, "purpose": purpose, "left": time.time()}
    provider.save_authorize_data(request, **there)
    return str(there["url"])


def arrive(request: HttpRequest) -> Arrival:
    """Who came back, for what; works once for each time they left. Raises Refusal."""
    with _refusals():
        provider = _provider()
        kept = provider.framework.get_state_data(request.session, request.GET.get("state"))
        options = {
            "iss": {"essential": True, "value": settings.OIDC_ISSUER},
            "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        }
        token = provider.authorize_access_token(request, claims_options=options, leeway=LEEWAY)
        # Authlib checks an ID token; without one it leaves a "userinfo" that was sent as it is.
        if "id_token" not in token:
            raise ValueError("no ID token")
        claims = token["userinfo"]
        subject, shown, at = claims["sub"], claims.get("name"), claims.get("auth_time")
        if time.time() - kept["left"] > SECONDS_AWAY:
            raise ValueError("too late")
        if not (isinstance(subject, str) and 0 < len(subject) <= 255 and subject.isprintable()):
            raise ValueError("no subject")
    shown = shown[:120] if isinstance(shown, str) else ""
    signed_in = at if isinstance(at, int | float) else None
    return Arrival(kept["purpose"], subject, shown, kept["left"], signed_in)


def person_of(subject: str) -> Person:
    """The person with that identity. Raises NotAllowed."""
    identity = Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject)
    found = identity.select_related("person").first()
    if found is None:
        record(AuditKind.FAILURE, None, "unknown identity")
        raise NotAllowed(
            f"Your identity at {name()} is not linked to an account here. If you have an account, sign in with its "
            "password and link it under your name; otherwise ask an admin for an invitation."
        )
    if not found.person.is_active:
        record(
            AuditKind.FAILURE, None, "identity of a person who may not sign in", person=found.person
        )
        raise NotAllowed("An admin has ended your access here. Ask them about it.")
    return found.person


def link(person: Person, subject: str) -> None:
    """Let the identity sign in as the person. Raises Conflict where either has another one."""
    try:
        with transaction.atomic():
            Identity.objects.create(person=person, issuer=settings.OIDC_ISSUER, subject=subject)
            record(AuditKind.IDENTITY, person, "linked")
    except IntegrityError:
        raise Conflict(
            f"This account has an identity already, or your identity at {name()} is linked to another account. "
            "Nothing was changed."
        ) from None


@transaction.atomic
def unlink(person: Person, *, by: Person, but: str | None = None) -> None:
    """Remove the person's identity, and end their tokens and their sessions, except the one with the key `but`."""
    if Identity.objects.filter(person=person).delete()[0]:
        sessions.end_all(person, but=but)
        tokens.end_all(person)
        record(AuditKind.IDENTITY, by, "removed", person=None if by == person else person)


@cache
def _client(issuer: str, client_id: str, client_secret: str) -> Provider:
    provider = Provider(
        DjangoIntegration("institution"),
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid profile",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT,
        },
    )
    provider.made = time.monotonic()
    return provider


def _provider() -> Provider:
    """Made again after an hour: Authlib keeps addresses and keys as long as the client."""
    ours = (settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)
    if time.monotonic() - _client(*ours).made > RENEWED_AFTER:
        _client.cache_clear()
    return _client(*ours)


@contextmanager
def _refusals() -> Iterator[None]:
    """Errors of the provider, or of an answer that is not its own, as refusals. The log has only their kind."""
    try:
        yield
    except RequestException as error:
        log.warning("institution_down", error=type(error).__name__)
        raise Refusal(
            f"The server of {name()} does not answer. Try again later, or sign in with a password if you have one.",
            status=503,
        ) from None
    except UNUSABLE as error:
        log.warning("institution_refused", error=type(error).__name__)
        raise Refusal(
            f"The sign-in at {name()} was not completed, so nothing was changed. Begin again."
        ) from None
