r"""LaTeX as readable text: a/b, x^2, Greek letters, operators. Pure.

\frac{n(n+1)}{2} is n(n+1)/2. What is not known (environments, other commands) is for the caller to show as it is.
"""

import json
import re
from pathlib import Path

MAX_CHARS = 2_000
_MAX_DEPTH = 20
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)
_SIMPLE = re.compile(r"[\w.∞°′…†‡\u0300-\u036f\u20d7]+|[\d,]+|\([^()]*\)")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
_TABLES = json.loads(Path(__file__).with_name("formulas.json").read_text(encoding="utf-8"))
_FUNCTIONS = set(_TABLES["functions"])
_FONTS = set(_TABLES["fonts"])
_ACCENTS = _TABLES["accents"]
_WORDS = {
    **_TABLES["signs"],
    **dict.fromkeys(_TABLES["nothing"], ""),
    **dict.fromkeys([*_TABLES["blanks"], " "], " "),
    **{sign: sign for sign in "%$&#_{}"},
    "|": "‖",
    "dagger": "†",
    "ddagger": "‡",
    "bmod": " mod ",
    "mod": " mod ",
}


class _Unknown(Exception):
    """A command that is not in the tables, or braces that do not match."""


def formula_text(latex: str) -> str | None:
    """Readable text of a formula; None where a part of it is not known, or it is too long or too deep."""
    if len(latex) > MAX_CHARS:
        return None
    try:
        words = _Reader(latex).sequence(end=None)
    except _Unknown:
        return None
    return " ".join(words.replace("-", "−").split()) or None


class _Reader:
    """Reads tokens from left to right; each method returns text and leaves the position after what it read."""

    def __init__(self, latex: str) -> None:
        self._tokens = _TOKEN.findall(latex)
        self._at = 0
        self._depth = 0

    def sequence(self, end: str | None) -> str:
        """Up to the part `end`, which is read too."""
        words = ""
        while (part := self._next()) != end:
            if part is None:
                raise _Unknown
            if part == r"\over":
                self._deeper()
                return f"{_grouped(words.strip())}/{_grouped(self.sequence(end).strip())}"
            piece = self._piece(part)
            if part in _FRACTIONS and re.match(r"[\w(\\{^]", self._peek()):
                piece = f"({piece})"  # a/b before c is no a/(bc)
            if part[1:] in _FUNCTIONS and words[-1:].isalnum():
                words += " "
            words += piece
        return words

    def _piece(self, part: str) -> str:
        self._deeper()
        words = self._read(part)
        self._depth -= 1
        return words

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Unknown

    def _read(self, part: str) -> str:
        if part in {"^", "_"}:
            return self._raised_or_lowered(part)
        if part == "{":
            return self.sequence(end="}")
        if part in {"}", "&", "\\\\"}:
            raise _Unknown
        if part[0] == "\\":
            return self._command(part[1:])
        return {"'": "′", "~": " "}.get(part, " " if part.isspace() else part)

    def _raised_or_lowered(self, mark: str) -> str:
        words = self._argument()
        if mark == "^" and words in {"∘", "°", "′", "″"}:
            return words.replace("∘", "°")
        return f"{mark}{words if re.fullmatch('-[0-9]+', words) else _grouped(words)}"

    def _command(self, name: str) -> str:
        if name in {"frac", "tfrac", "dfrac"}:
            return f"{_grouped(self._argument())}/{_grouped(self._argument())}"
        if name in {"binom", "tbinom", "dbinom"}:
            return f"({self._argument()} choose {self._argument()})"
        if name == "sqrt":
            return self._root()
        if name == "pmod":
            return f" (mod {self._argument()})"
        if name in _FONTS:
            return self._argument()
        if name in _ACCENTS:
            return self._accented(name)
        if name in {"left", "right"} and self._peek() == ".":
            self._next()
            return ""
        if name in _FUNCTIONS:
            return name if self._peek() in {"^", "_", "(", r"\left"} else f"{name} "
        if name not in _WORDS:
            raise _Unknown
        return _WORDS[name]

    def _root(self) -> str:
        degree = ""
        if self._peek() == "[":
            self._next()
            degree = self.sequence(end="]").strip()
        if degree not in _ROOTS:
            raise _Unknown
        return _ROOTS[degree] + _grouped(self._argument())

    def _accented(self, name: str) -> str:
        words = self._argument()
        if len(words) == 1:
            return words + _ACCENTS[name]
        if name != "overline" or not words:
            raise _Unknown
        return f"overline({words})"

    def _argument(self) -> str:
        """The next part or group, blanks before it passed over."""
        part = self._next()
        while part is not None and part.isspace():
            part = self._next()
        if part is None:
            raise _Unknown
        return self._piece(part).strip()

    def _next(self) -> str | None:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else None

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""


def _grouped(words: str) -> str:
    """In brackets, unless it is one number, word or bracket."""
    return words if _SIMPLE.fullmatch(words) else f"({words})"
