"""Where the text of the passages was copied from, as the browser sends it. Pure.

For each of passage "1" and "2" it sends a list of pieces: {revision, start, end, sha256, text}, or {revision, text}
from the tagged block above the article. captured.py checks them and says what is stored. A piece that cannot be read is
left out with a notice: it never stops a save.
"""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from annotation.fields.form_input import CONTROL, LINE_END
from annotation.fields.steps import LINE, PASSAGE
from annotation.fields.walker import Entries

Pieces = Mapping[str, Sequence[Mapping[str, Any]]]
PASSAGES = ("1", "2")
MOST_PIECES = 50  # a passage
MOST_CHARACTERS = 400_000  # of the JSON in a form, and of all texts together
_MOST = 2**53
UNREADABLE = "Where a passage was copied from could not be read, and is not kept. Its text is."


@dataclass(frozen=True)
class SentPiece:
    """A piece as sent: offsets in the text of the article as shown, None in the tagged block.

    `title` and `kind` only go back to the browser with a form that was not saved.
    """

    revision: int
    text: str
    start: int | None = None
    end: int | None = None
    sha256: str = ""
    title: str = ""
    kind: str = ""


@dataclass
class Captured:
    """What a browser sends about the passages: pieces by passage, the fields that it calls filled, notices.

    `filled` is None where it does not say: then a field is touched once its value changes. `checked` remembers
    what the server has made of a piece (captured.py), `warnings` what it finds in each passage that a save changes.
    """

    pieces: dict[str, list[SentPiece]] = field(default_factory=dict)
    filled: list[str] | None = None
    notices: list[str] = field(default_factory=list)
    checked: dict[SentPiece, dict[str, Any] | None] = field(default_factory=dict)
    warnings: dict[str, list[Any]] = field(default_factory=dict)


def read_captured(provenance: object, filled: object) -> Captured:
    """Both as decoded JSON, the provenance of a form as its text; anything that is not as above is left out."""
    captured = Captured()
    if isinstance(filled, list):
        captured.filled = [name for name in filled[:MOST_PIECES] if isinstance(name, str)]
    given = _decoded(provenance)
    lists = list(given.values()) if isinstance(given, Mapping) else []
    if not isinstance(given, Mapping) or set(given) - set(PASSAGES) or _too_much(lists):
        captured.notices.append(UNREADABLE)
        return captured
    for n, pieces in given.items():
        read = [_piece(piece) for piece in pieces]
        captured.pieces[n] = [piece for piece in read if piece]
        if None in read:
            captured.notices = [UNREADABLE]
    return captured


def holds(passage: str, piece: Mapping[str, Any]) -> bool:
    """Whether the passage has the piece's words still, whatever the blanks between them."""
    return bool(piece["text"].strip()) and _folded(piece["text"]) in _folded(passage)


def held(pieces: Iterable[Mapping[str, Any]], passage: str) -> list[Mapping[str, Any]]:
    """The pieces that the passage still has, each once, as many as are kept."""
    once = {
        (p["revision"], p["start"], p["end"], p["text"]): p for p in pieces if holds(passage, p)
    }
    return list(once.values())[:MOST_PIECES]


def origin_in(
    entries: Entries, provenance: Mapping[str, Any], filled: Iterable[str]
) -> dict[str, Any]:
    """Of both columns what is about `entries`: a submission stores some of them as absent."""
    pieces = {n: provenance[n] for n in provenance if entries[f"passage_{n}_copied"]}
    return {"provenance": pieces, "filled": [name for name in filled if entries[name]]}


def without_words(
    provenance: Pieces, revisions: Container[int], *, whole: bool
) -> dict[str, list[Mapping[str, Any]]]:
    """The provenance without the pieces of these revisions (`whole`), or with where they are from and no words.

    A record that came from elsewhere names no revision of ours.
    """
    result = {}
    for n, pieces in provenance.items():
        gone = {"text": "", "section": ""}
        kept = [
            {**piece, **gone} if piece.get("revision") in revisions else piece
            for piece in pieces
            if not (whole and piece.get("revision") in revisions)
        ]
        if kept:
            result[n] = kept
    return result


def _folded(text: str) -> str:
    return " ".join(text.split())


def _decoded(provenance: object) -> object:
    if not isinstance(provenance, str):
        return provenance
    if not provenance:
        return {}
    try:
        return json.loads(provenance) if len(provenance) <= MOST_CHARACTERS else None
    except (ValueError, RecursionError):
        return None


def _too_much(lists: list[Any]) -> bool:
    if not all(isinstance(pieces, list) and len(pieces) <= MOST_PIECES for pieces in lists):
        return True
    texts = (
        piece.get("text") for pieces in lists for piece in pieces if isinstance(piece, Mapping)
    )
    return sum(len(text) for text in texts if isinstance(text, str)) > MOST_CHARACTERS


def _piece(piece: Any) -> SentPiece | None:
    if not isinstance(piece, Mapping):
        return None
    revision, text = piece.get("revision"), piece.get("text")
    start, end = piece.get("start"), piece.get("end")
    lines = [piece.get(name, "") for name in ("sha256", "title", "kind")]
    if not isinstance(text, str) or not _is_number(revision) or not all(map(_is_line, lines)):
        return None
    text = CONTROL.sub("", LINE_END.sub("\n", text))
    if not 0 < len(text) <= PASSAGE:
        return None
    if start is None and end is None:
        return SentPiece(revision, text, None, None, *lines)
    if not _is_number(start) or not _is_number(end) or start >= end:
        return None
    return SentPiece(revision, text, start, end, *lines)


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LINE and not CONTROL.search(value)


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
