"""Who sent a request to the API, by a token. Cookies are left to Django REST framework's own class, with CSRF."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.models import ApiToken, Person
from accounts.tokens.bearer import token_of
from accounts.tokens.token_text import PREFIX
from leases.refusal import NotAuthenticated


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Person, ApiToken] | None:
        token = token_of(request._request)
        return (token.person, token) if token else None

    def authenticate_header(self, request: Request) -> str:
        return NotAuthenticated("").headers["WWW-Authenticate"]


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": f"{PREFIX}…",
            "description": "A token that a person has made under Account.",
        }
