"""Short secrets that the program must read again, encrypted with a key derived from SECRET_KEY."""

import base64

from cryptography.fernet import Fernet, InvalidToken
from django.utils.crypto import salted_hmac


def sealed(secret: str) -> str:
    return _cipher().encrypt(secret.encode()).decode()


def unsealed(text: str) -> str:
    """The secret. Raises ValueError if it was sealed with another SECRET_KEY."""
    try:
        return _cipher().decrypt(text.encode()).decode()
    except InvalidToken:
        raise ValueError("This was sealed with another SECRET_KEY.") from None


def _cipher() -> Fernet:
    key = salted_hmac("accounts.sealing", "", algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(key))
