"""The token that a request to the API was sent with."""

from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, F, Q
from django.db.models.functions import Now
from django.http import HttpRequest

from accounts.models import ApiToken
from accounts.roles import Role
from accounts.tokens.token_text import PREFIX, hashed, is_whole
from leases.clock import in_seconds
from leases.refusal import NotAuthenticated, Refusal
from pages.refusals import is_api

IS_EXPIRED = ExpressionWrapper(Q(expires_at__lte=Now()), BooleanField())
# Seconds between two notes of a token's last use: a request writes nothing for it in between.
NOTED_EVERY = 300
WRONG = "invalid_token"


def token_of(request: HttpRequest) -> ApiToken | None:
    """Read once for a request, with its person and their roles; None for a request without one.

    A token counts alone: what a browser sends beside it is not read. Raises NotAuthenticated for one that is not valid,
    Refusal for one in the address.
    """
    if not hasattr(request, "_bearer"):
        request._bearer = _read(request)  # type: ignore[attr-defined]
    found: ApiToken | Refusal | None = request._bearer  # type: ignore[attr-defined]
    if isinstance(found, Refusal):
        raise found
    if found:
        request._cached_user = found.person  # type: ignore[attr-defined]
    return found


def _read(request: HttpRequest) -> ApiToken | Refusal | None:
    if not is_api(request):
        return None
    if PREFIX in request.path_info or PREFIX in request.META.get("QUERY_STRING", ""):
        return Refusal(
            "Send the token in the header Authorization, never in an address, which is written to logs. Revoke this "
            "one, and make another.",
            code="token_in_address",
        )
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    # Another scheme is meant for a proxy in front of this server.
    return _valid(text.strip()) if scheme.lower() == "bearer" else None


def _valid(text: str) -> ApiToken | Refusal:
    if not is_whole(text):
        return NotAuthenticated(
            f"This is no whole token. It begins with {PREFIX} and is sent as: Authorization: Bearer {PREFIX}…",
            WRONG,
        )
    rows: list[Any] = list(_rows().filter(token_hash=hashed(text)))
    if not rows:
        return NotAuthenticated(
            "This token was revoked, or a new password or an admin has ended it. Make another under Account.",
            WRONG,
        )
    token: ApiToken = rows[0]
    if rows[0].is_expired:
        return NotAuthenticated("This token has expired. Make another under Account.", WRONG)
    token.person.know_roles({Role(row.role) for row in rows if row.role})
    if rows[0].is_unnoted:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=Now())
    return token


def _rows() -> Any:
    """A row for each role of the token's person."""
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=in_seconds(-NOTED_EVERY))
    return (
        ApiToken.objects.filter(person__is_active=True)
        .select_related("person")
        .annotate(
            role=F("person__grants__role"),
            is_expired=IS_EXPIRED,
            is_unnoted=ExpressionWrapper(unnoted, BooleanField()),
        )
    )
