"""Whose key signed a backup. The key is derived from SECRET_KEY, and a manifest names it by a hash.

The signature is over the manifest, which holds the sha256 of every part: nothing in a backup that is ours was changed.
A restore after a loss may not have the key; a person then confirms who is let in (entrants.py).
"""

from collections.abc import Mapping
from typing import Any

from django.utils.crypto import constant_time_compare, salted_hmac

from operations.bundle import BadBundle, signed_text

SALT = "operations.backups"
FOREIGN = (
    "It is not signed with this installation's SECRET_KEY. Use the SECRET_KEY of the server that made it. If that is "
    "lost, and you know where the file was since it was made: restore it with --foreign, which first lists everybody "
    "whom it lets in."
)


def key_name() -> str:
    """A hash by which a manifest names the key of its signature; it says nothing of the key."""
    return salted_hmac(f"{SALT}.name", "", algorithm="sha256").hexdigest()


def signature(manifest: Mapping[str, Any]) -> str:
    return salted_hmac(SALT, signed_text(manifest), algorithm="sha256").hexdigest()


def is_ours(manifest: Mapping[str, Any]) -> bool:
    """Whether the manifest names this installation's key. Raises BadBundle if that did not make the signature."""
    try:
        ours = signature(manifest)
    except RecursionError:
        raise BadBundle(
            "This is no backup of Sic et Non: its manifest is nested too deeply."
        ) from None
    if not _same(key_name(), manifest.get("key")):
        return False
    if not _same(ours, manifest.get("signature")):
        raise BadBundle(
            "This backup names this installation's key, but the signature is wrong: it was changed or damaged after "
            "it was written. No option restores it. Take another."
        )
    return True


def _same(ours: str, given: object) -> bool:
    return isinstance(given, str) and given.isascii() and constant_time_compare(ours, given)
