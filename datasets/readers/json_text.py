"""Read an uploaded file, JSON or text, with a message for each problem that it can have. Pure."""

import codecs
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from leases.refusal import Refusal
from pages.counting import how_many

# Enough for 10,000 records of the published kind several times over.
MAX_BYTES = 50 * 1024 * 1024
# The most problems to show, and refused records to look for: a file of the wrong kind has the same in each.
SHOWN = 100
SAVE_AS = "Save it as UTF-8, and send it again."
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Unreadable(Refusal):
    """The file is refused; nothing of it was stored. `details` may list the problems."""

    @property
    def problems(self) -> list[str]:
        return self.details if isinstance(self.details, list) else []


def refuse(problems: Sequence[str]) -> None:
    """Raise Unreadable with the problems where there are any."""
    if problems:
        raise unreadable(problems)


def unreadable(problems: Sequence[str], *details: str) -> Unreadable:
    """The refusal of a file with these problems; further `details` come after them."""
    return Unreadable(
        f"The file cannot be read: {how_many(len(problems), 'problem')}. Nothing was imported.",
        details=[*shown(problems), *details],
    )


def shown(problems: Sequence[str]) -> list[str]:
    """The first of the problems, and how many there are besides."""
    more = len(problems) - SHOWN
    return [*problems[:SHOWN], *([f"and {how_many(more, 'more problem')}"] if more > 0 else [])]


def decode(data: bytes) -> Any:
    """The value in a UTF-8 JSON file, with or without a byte order mark. Raises Unreadable."""
    if len(data) > MAX_BYTES:
        raise too_large()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(error, 1) from None
    if not text.strip():
        raise Unreadable("The file is empty.")
    try:
        with unkept():
            return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise not_json(error.msg, error.lineno, error.colno) from None


@contextmanager
def unkept() -> Iterator[None]:
    """Turns the faults of values that are JSON, but cannot be kept, into Unreadable."""
    try:
        yield
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise Unreadable("The file is nested too deeply to be a file of records.") from None
    except ValueError as error:  # such as an integer of ten thousand digits
        raise Unreadable(
            f"The file holds a value that cannot be read: {str(error)[:120]}."
        ) from None


def too_large(most: int = MAX_BYTES) -> Unreadable:
    return Unreadable(f"The file is larger than {most // 2**20} MB; split it and import the parts.")


def not_utf8(error: UnicodeDecodeError, line: int, save_as: str = SAVE_AS) -> Unreadable:
    """`line` of the file is that in which the bytes begin that were decoded."""
    data = error.object
    if b"\0" in data and not data.startswith(_UTF16):
        return Unreadable(
            "The file is no text, but binary, as pictures and archives are. Send a text file."
        )
    line += len((data[: error.start] + b"x").splitlines()) - 1
    return Unreadable(f"The file is not UTF-8 (line {line}). {save_as}")


def not_json(message: str, line: int, column: int) -> Unreadable:
    return Unreadable(f"The file is not JSON: {message} (line {line}, column {column}).")


def twice(key: str) -> Unreadable:
    return Unreadable(f'An object has the key "{key[:60]}" twice; only one of the two can be kept.')


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise twice(key)
        seen.add(key)
    return result


def _no_constant(name: str) -> None:
    raise Unreadable(f"The file contains {name}, which JSON does not have.")


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)
