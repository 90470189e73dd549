"""The values of a JSON file of records, one at a time, so that no more of it is in memory than the longest. Pure."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from datasets.readers.json_text import DECODER, Unreadable, not_json, not_utf8, twice, unkept
from datasets.schema import kind_of

_PIECE = 256 * 1024
# Characters of one value: a published record has some 5,000, the longest article of a wiki two million.
MAX_VALUE = 4 * 1024 * 1024
_BLANKS = re.compile(r"[ \t\n\r]*")
# So near to the end more text may change a value: half of -Infinity or of an escaped character, 1 before .5e-7.
_NEAR = 12


def values_in(file: BinaryIO) -> Iterator[Any]:
    """The values of the list, from the file's beginning. Raises Unreadable: for what is no list, also at its end."""
    text = _begun(file)
    if text.next() != "[":
        raise Unreadable(f"The file holds {_kind(text)}, not a list of records.")
    yield from _listed(text)
    _check_ended(text)


def lines_in(file: BinaryIO) -> Iterator[Any]:
    """The objects that follow each other in the file, one a line or not. Raises Unreadable."""
    text = _begun(file)
    while text.next():
        if text.next() != "{":
            raise Unreadable(f"The file holds {_kind(text)}, not a record on each line.")
        yield text.value()


def listed_in(file: BinaryIO, name: str, kept: dict[str, Any]) -> Iterator[Any]:
    """The values of the list that is the object's key `name`; its other keys are put into `kept` as they come."""
    text = _begun(file)
    if text.next() != "{":
        raise Unreadable(f"The file holds {_kind(text)}, not an object with the list {name!r}.")
    text.take("{")
    names: set[str] = set()
    while text.next() != "}":
        key = _key(text, names)
        if key == name and text.next() == "[":
            yield from _listed(text)
        elif key == name:
            raise Unreadable(f"{name!r} in the file is {_kind(text)}, not a list of records.")
        else:
            kept[key] = text.value()
        if text.next() != "}":
            text.take(",")
    text.take("}")
    if name not in names:
        raise Unreadable(f"The file is an object without the list {name!r}.")
    _check_ended(text)


def _begun(file: BinaryIO) -> "_Text":
    """The file's text, from its beginning."""
    if not file.seekable():
        raise Unreadable(
            "An import asks for a file's size before it reads, and this has none. Save it as a file first."
        )
    file.seek(0)
    text = _Text(file)
    if not text.next():
        raise Unreadable("The file is empty.")
    if text.next() not in "[{":
        raise Unreadable(
            "The file is not JSON of records, which begins with [ or {. If it is a CSV table, choose the format csv; "
            "for records of a protocol, give the file a name that ends in .csv."
        )
    return text


def _listed(text: "_Text") -> Iterator[Any]:
    text.take("[")
    if text.next() != "]":
        yield text.value()
        while text.next() != "]":
            text.take(",")
            yield text.value()
    text.take("]")


def _key(text: "_Text", names: set[str]) -> str:
    """The next key of an object, and the colon after it."""
    if text.next() != '"':
        raise text.fault("Expecting property name enclosed in double quotes", text.at)
    key = str(text.value())
    if key in names:
        raise twice(key)
    names.add(key)
    text.take(":")
    return key


def _check_ended(text: "_Text") -> None:
    if text.next():
        raise text.fault("Extra data", text.at)


class _TooLong(Unreadable):
    """A value that no record is as long as."""


def _kind(text: "_Text") -> str:
    mark = text.next()
    try:
        return kind_of(text.value())
    except _TooLong:
        return kind_of({} if mark == "{" else "")


class _Text:
    """What is read of a UTF-8 file and not used up; `at` is the place in it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self.at = "", 0
        self._begins = (1, 1)  # line and column in the file

    def next(self) -> str:
        """The next character that is no blank, and "" at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self.at)
            self.at = blanks.end() if blanks else self.at
            if self.at < len(self._text):
                return self._text[self.at]
            if not self._extend():
                return ""

    def value(self) -> Any:
        """The value that comes next. Raises Unreadable."""
        self.next()
        while True:
            try:
                with unkept():
                    value, end = DECODER.raw_decode(self._text, self.at)
            except json.JSONDecodeError as error:
                near = error.pos > len(self._text) - _NEAR or error.msg.startswith("Unterminated")
                if not (near and self._extend()):
                    raise self.fault(error.msg, error.pos) from None
            except Unreadable as refused:
                line, _ = self._place(self.at)
                raise Unreadable(
                    f"{refused} Look at the record that begins in line {line}."
                ) from None
            else:
                if end < len(self._text) - _NEAR or not self._extend():
                    self.at = end
                    return value

    def take(self, mark: str) -> None:
        """Go on behind the mark, which comes next. Raises Unreadable."""
        if self.next() != mark:
            raise self.fault(f"Expecting '{mark}' delimiter", self.at)
        self.at += 1

    def fault(self, message: str, at: int) -> Unreadable:
        return not_json(message, *self._place(at))

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column in the file, from 1."""
        line, column = self._begins
        last = self._text.rfind("\n", 0, at)
        return (
            (line, column + at) if last < 0 else (line + self._text.count("\n", 0, at), at - last)
        )

    def _extend(self) -> bool:
        """Read on, and drop what is used up; False at the end."""
        left = len(self._text) - self.at
        if left > MAX_VALUE:
            raise _TooLong(
                f"A value in the file has over {MAX_VALUE:,} characters, more than any record. Nothing was imported."
            )
        piece = self._file.read(max(_PIECE, left))
        try:
            more = self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            raise not_utf8(error, self._place(len(self._text))[0]) from None
        if piece:
            self._begins = self._place(self.at)
            self._text, self.at = self._text[self.at :] + more, 0
        return bool(piece)
