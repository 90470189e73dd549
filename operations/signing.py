"""The signature in a backup's manifest, which says where the backup comes from. It is no protection.

Its key is derived from SECRET_KEY, which a restore after a loss may not have. So a restore informs and goes on; what
it may write does not depend on the signature (names.py).
"""

from collections.abc import Mapping
from typing import Any

from django.utils.crypto import constant_time_compare, salted_hmac

from operations.bundle import signed_text

SALT = "operations.backups"
FOREIGN = (
    "This backup was made by another installation, with another SECRET_KEY, or it was changed. Use it only if you "
    "know where it comes from: it holds the people who may sign in."
)


def signature(manifest: Mapping[str, Any]) -> str:
    return salted_hmac(SALT, signed_text(manifest), algorithm="sha256").hexdigest()


def is_ours(manifest: Mapping[str, Any]) -> bool:
    """Whether this installation's key made the signature, and the manifest is unchanged since."""
    return constant_time_compare(signature(manifest), str(manifest.get("signature")))
