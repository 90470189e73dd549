"""The file of responses made elsewhere: JSON Lines, a response each, read a line at a time. Pure.

docs/datasets.md lists its keys. A line names its question and prompt as a line of a release's data/prompts.jsonl does.
"""

import codecs
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from datasets.readers.json_text import DECODER, SHOWN, Unreadable, shown, unkept
from generation.inference import chat, request_fields, shapes

# Bytes of a line, with its raw reply.
MAX_LINE = 8 * 1024 * 1024
# Characters of the names of rows and models.
MAX_ROW, MAX_MODEL = 200, 200
MAX_OPTIONS = 4000
NEEDED = ("row", "model", "text")
KEYS = (*NEEDED, "prompt_sha256", "options", "raw", "tokens", "finish_reason")
TOKENS = ("prompt", "completion")


class LineRefused(Exception):
    """A line that is no response, with a sentence for each problem."""

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems


@dataclass(frozen=True)
class GivenResponse:
    """A response as its line has it. `tokens` are (of the prompt, of the completion), None where they are not known.

    `prompt_sha256` is "" where the line has none; `raw` None where it has none. `finding` is what its finish reason
    says of a reply that is no answer (models.FINDINGS), else "". `length` is that of the line in bytes.
    """

    line: int
    length: int
    row: str
    model: str
    text: str
    prompt_sha256: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    raw: Any = None
    tokens: tuple[int | None, int | None] = (None, None)
    finish_reason: str = ""
    finding: str = ""

    @property
    def reply(self) -> dict[str, Any]:
        """The reply in the shape in which those of services are kept, so that it is read by the same code."""
        choice = {"message": {"role": "assistant", "content": self.text}}
        if self.finish_reason:
            choice["finish_reason"] = self.finish_reason  # type: ignore[assignment]
        return {"choices": [choice]} | ({"raw": self.raw} if self.raw is not None else {})


class Problems:
    """What is wrong with the lines of a file; of more than SHOWN no more are looked for."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, line: int, *problems: str) -> None:
        self.found += (f"line {line}: {problem}" for problem in problems)

    @property
    def is_full(self) -> bool:
        return len(self.found) >= SHOWN

    def refuse(self) -> None:
        """Raise Unreadable where there are any."""
        if self.found:
            more = "at least " if self.is_full else ""
            number = len(self.found)
            raise Unreadable(
                f"The file has {more}{number} problem{'s' if number > 1 else ''}; nothing was imported.",
                details=shown(self.found),
            )


def responses_in(file: BinaryIO, problems: Problems) -> Iterator[GivenResponse]:
    """The responses of the file in order, without the lines that `problems` gets. Ends where it is full.

    Raises Unreadable for a file without a response.
    """
    number = found = 0
    while data := file.readline(MAX_LINE + 1):
        number += 1
        if number == 1:
            data = data.removeprefix(codecs.BOM_UTF8)
        if len(data) > MAX_LINE:
            problems.add(
                number,
                f"it has over {MAX_LINE:,} bytes, more than any response. The rest was not read.",
            )
            return
        if not data.strip():
            continue
        found += 1
        try:
            yield _response(number, data)
        except LineRefused as refused:
            problems.add(number, *refused.problems)
        if problems.is_full:
            return
    if not found:
        raise Unreadable("The file has no response. Write one JSON object a line.")


def _response(number: int, data: bytes) -> GivenResponse:
    """Raises LineRefused."""
    values = _object(data)
    problems = [
        f"{_quoted(key)} is no key of a response; they are {', '.join(KEYS)}"
        for key in values.keys() - {*KEYS}
    ]
    problems += [f"it has no {key}" for key in NEEDED if key not in values]
    problems += [
        problem
        for key, check in CHECKS.items()
        if key in values and (problem := _problem(key, check, values[key]))
    ]
    if problems:
        raise LineRefused(*sorted(problems))
    reason, finding = shapes.finished(values.get("finish_reason"))
    tokens = values.get("tokens") or {}
    return GivenResponse(
        line=number,
        length=len(data),
        row=values["row"],
        model=values["model"],
        text=values["text"],
        prompt_sha256=values.get("prompt_sha256") or "",
        options=values.get("options") or {},
        raw=chat.cleaned(values.get("raw")),
        tokens=(tokens.get("prompt"), tokens.get("completion")),
        finish_reason=reason[:40],
        finding=finding,
    )


def _object(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LineRefused(
            f"it is not UTF-8 (byte {error.start + 1}); save the file as UTF-8"
        ) from None
    try:
        with unkept():
            values = DECODER.decode(text.strip())
    except json.JSONDecodeError as error:
        raise LineRefused(f"it is not JSON: {error.msg} (column {error.colno})") from None
    except Unreadable as refused:
        raise LineRefused(str(refused).replace("The file", "it", 1).rstrip(".")) from None
    if not isinstance(values, dict):
        raise LineRefused('it is not a JSON object, such as {"row": …, "model": …, "text": …}')
    return values


# ---------------------------------------------------------------- what each key may hold


def _problem(key: str, check: Callable[[Any], str], value: Any) -> str:
    try:
        return check(value)
    except RecursionError:
        return f"{key} is nested too deeply"


def _row(value: Any) -> str:
    return _name("row", value, MAX_ROW)


def _model(value: Any) -> str:
    return _name("model", value, MAX_MODEL)


def _name(key: str, value: Any, longest: int) -> str:
    if not isinstance(value, str) or not value.strip():
        return f"{key} is not a name"
    if len(value) > longest:
        return f"{key} has over {longest} characters"
    if value != value.strip() or not value.isprintable():
        return f"{key} {_quoted(value)} has a blank at an end, or a character that is not printed"
    return ""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return 'text is not a text. Write "" for an empty reply'
    if not chat.storable(value):
        return "text has a character that no database stores (NUL or half a surrogate pair)"
    return ""


def _sha256(value: Any) -> str:
    if value is not None and not (
        isinstance(value, str) and chat.storable(value) and len(value) <= 200
    ):
        return (
            "prompt_sha256 is not a text of 64 hexadecimal digits. Leave it out if it is not known"
        )
    return ""


def _options(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, dict):
        return 'options is not an object, such as {"temperature": 0}'
    if "given" in value:
        return "options: “given” marks the author of given texts here. Leave it out"
    # As add_probed has it: the maximum of new tokens has one name here, and a system message is a text.
    limit, system = value.get(chat.MAX_TOKENS, 1), value.get(chat.SYSTEM_MESSAGE)
    if not (isinstance(limit, int) and not isinstance(limit, bool) and limit > 0):
        return f"options: {chat.MAX_TOKENS} is no number of tokens"
    if not (system is None or isinstance(system, str)):
        return f"options: {chat.SYSTEM_MESSAGE} is not a text"
    apart = (chat.MAX_TOKENS, chat.SYSTEM_MESSAGE)
    try:
        request_fields.check({name: of for name, of in value.items() if name not in apart})
        request_fields.check({"system message": system or ""})
    except request_fields.BadFields as bad:
        return f"options: {bad}".rstrip(".")
    if len(json.dumps(value)) > MAX_OPTIONS:
        return f"options have over {MAX_OPTIONS} characters"
    return ""


def _raw(value: Any) -> str:
    if not request_fields.is_storable(chat.cleaned(value)):
        return "raw has a number that cannot be stored (infinity)"
    return ""


def _tokens(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, dict) or value.keys() - {*TOKENS}:
        return 'tokens is not an object {"prompt": …, "completion": …}'
    for key, count in value.items():
        is_number = isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**31
        if not (count is None or is_number):
            return f"tokens: {key} is no number of tokens"
    return ""


def _finish_reason(value: Any) -> str:
    if value is not None and not (isinstance(value, str) and value.isprintable()):
        return "finish_reason is not a word, such as stop or length"
    return ""


CHECKS = {
    "row": _row,
    "model": _model,
    "text": _text,
    "prompt_sha256": _sha256,
    "options": _options,
    "raw": _raw,
    "tokens": _tokens,
    "finish_reason": _finish_reason,
}


def _quoted(name: str) -> str:
    shown_as = (mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in name[:60])
    return f"“{''.join(shown_as)}”"
