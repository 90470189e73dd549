"""The text of a token: a prefix that scanners for secrets know, 34 random characters, and 6 of a checksum. Pure.

By the checksum a token that was copied wrongly is told from one that was revoked, and asks the database nothing.
"""

import hashlib
import re
import secrets
import string
import zlib

PREFIX = "sicetnon_"
ALPHABET = string.digits + string.ascii_letters
RANDOM, SUM = 34, 6  # characters; 202 bits
FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{RANDOM + SUM}}}")


def new_text() -> str:
    drawn = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return f"{PREFIX}{drawn}{checksum(drawn)}"


def is_whole(text: str) -> bool:
    """Whether it has the form of a token and its checksum is right."""
    return bool(FORM.fullmatch(text)) and checksum(text[len(PREFIX) : -SUM]) == text[-SUM:]


def checksum(drawn: str) -> str:
    """CRC-32 in base 62."""
    left, digits = zlib.crc32(drawn.encode()), ""
    for _ in range(SUM):
        left, digit = divmod(left, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
