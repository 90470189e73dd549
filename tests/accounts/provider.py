"""A small OpenID Connect provider on loopback: discovery, keys, authorization with PKCE, tokens."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID, CLIENT_SECRET = "sic-et-non", "the client's secret"


class Provider:
    """`claims` go over those of every ID token, `metadata` over those of discovery, and
    `answer` replaces the one with the token.

    Tokens are signed by `signs_with`, and `key` is published.
    """

    def __init__(self) -> None:
        self.key = self.signs_with = RSAKey.generate_key(2048, {"kid": "1"})
        self.header = {"alg": "RS256"}
        self.claims: dict[str, object] = {}
        self.metadata: dict[str, object] = {}
        self.answer: object = None
        self.status = 200
        self.answers = threading.Event()
        self.answers.set()
        self.granted: dict[str, dict[str, str]] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Takes requests, and answers none before the end."""
        self.answers.clear()
        yield
        self.answers.set()

    def sign_in(self, address: str, subject: str) -> str:
        """What the person does there: from the address they were sent to, the address they are sent back to."""
        asked = dict(parse_qsl(urlsplit(address).query))
        assert (asked["client_id"], asked["response_type"]) == (CLIENT_ID, "code")
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.granted[code] = asked | {"sub": subject}
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def discovery(self) -> dict[str, object]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        } | self.metadata

    def token(self, sent: dict[str, str], authorization: str) -> dict[str, object]:
        given = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        asked = self.granted.pop(sent["code"], None)
        verifier = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if (
            given != f"{CLIENT_ID}:{CLIENT_SECRET}"
            or asked is None
            or (challenge, sent["redirect_uri"]) != (asked["code_challenge"], asked["redirect_uri"])
        ):
            return {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT_ID, "sub": asked["sub"], "nonce": asked["nonce"],
            "iat": now, "exp": now + 300, "name": "Bob of the Abbey",
            "auth_time": now if asked.get("max_age") == "0" else now - 3600,
        } | self.claims  # fmt: skip
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.signed(claims)}

    def signed(self, claims: dict[str, object]) -> str:
        if self.header["alg"] == "none":
            parts = (json.dumps(part).encode() for part in (self.header, claims))
            return ".".join(base64.urlsafe_b64encode(p).rstrip(b"=").decode() for p in parts) + "."
        return jwt.encode({"kid": self.key.kid, **self.header}, claims, self.signs_with)


def handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/authorize"):
                back = provider.sign_in(self.path, "bob-17")
                self.answer(f'<!doctype html><title>Sign in</title><a href="{back}">Bob</a>')
            elif self.path == "/keys":
                self.answer({"keys": [provider.key.as_dict(private=False)]})
            else:
                self.answer(provider.discovery())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            sent = {name: values[0] for name, values in parse_qs(body).items()}
            token = provider.token(sent, self.headers["Authorization"])
            self.answer(token if provider.answer is None else provider.answer)

        def answer(self, content: object) -> None:
            provider.answers.wait(20)
            is_page = isinstance(content, str)
            body = (content if is_page else json.dumps(content)).encode()
            self.send_response(provider.status)
            self.send_header("Content-Type", "text/html" if is_page else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):  # who waits no longer
                self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    return Handler
