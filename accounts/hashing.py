"""Hashes in place of names, addresses and keys, which they do not reveal."""

from django.utils.crypto import salted_hmac


def keyed_hash(*parts: str) -> str:
    """32 hex digits, the same for the same parts; cannot be guessed without the secret key."""
    return salted_hmac("accounts.hiding", "\0".join(parts)).hexdigest()[:32]
