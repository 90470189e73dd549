"""The prompt that a judge model is sent about a response, and the verdict in its reply. Pure.

The prompt is data (judging/machine/prompts/*.json), copied exactly from its source. A verdict is read by a rule, never
guessed. Source: WikiContradict (Hou et al. 2024), section 5 and Appendix C, whose examples end in a line
`evaluation: …` and misspell one verdict in two ways; models copy these, so the file lists them.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from judging.rules.verdict_scale import VerdictScale, plain_words

FOLDER = Path(__file__).parent / "prompts"
WIKICONTRADICT = "wikicontradict-judge"
LONGEST = 50_000

QUESTION, RESPONSE = "{Question}", "{LLM response}"
_GOLD = "{Answer1} | {Answer2}"
_GOLD_BETWEEN = " | "
_PLACE = re.compile(r"\{Question\}|\{Answer1\} \| \{Answer2\}|\{LLM response\}")

# How a reply may spell each verdict, in lower case -> its key.
Spellings = Mapping[str, str]
_MARK = re.compile(r"evaluation:", re.IGNORECASE)


class JudgePromptError(ValueError):
    """A judge prompt whose file is damaged; the message says what is wrong."""


@dataclass(frozen=True)
class PromptFile:
    """A prompt for a verdict. `sha256` is that of the template's UTF-8 bytes.

    `reconstructed` says that line breaks may not be the source's, because it is a typeset page. `misspelt` are the
    spellings of its examples, each with the key of its verdict.
    """

    name: str
    title: str
    template: str
    sha256: str
    reconstructed: bool
    source: str
    note: str
    misspelt: Spellings


@cache
def find_prompt(name: str = WIKICONTRADICT) -> PromptFile:
    """The judge prompt of this name; raises JudgePromptError when its file was changed."""
    prompt = PromptFile(**json.loads((FOLDER / f"{name}.json").read_bytes()))
    sha256 = digest(prompt.template)
    if sha256 != prompt.sha256:
        raise JudgePromptError(
            f"{name}.json was changed: its template's sha256 is {sha256}, not {prompt.sha256}."
        )
    return prompt


def problem(template: str) -> str:
    """What is wrong with a template that somebody wrote, and what to do; empty where nothing is."""
    for place in (QUESTION, _GOLD, RESPONSE):
        if place not in template:
            return f"The text lacks {place}. Put it where the judge model is to read it."
    if not _MARK.search(template):
        return (
            "The text does not ask for a line “evaluation: …”, from which the verdict is read. Say that the reply must "
            "end with it."
        )
    if len(template) > LONGEST:
        return f"The text is longer than {LONGEST} characters. Shorten it."
    return ""


def not_asked_for(template: str, scale: VerdictScale) -> list[str]:
    """The labels of the verdicts that a template names neither by label nor by key, worst first."""

    def is_named(words: str) -> bool:
        return bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", template, re.IGNORECASE))

    return [
        verdict.label
        for verdict in scale.verdicts
        if not is_named(verdict.label) and not is_named(verdict.key)
    ]


def digest(template: str) -> str:
    return hashlib.sha256(template.encode("utf-8")).hexdigest()


def render(template: str, *, question: str, gold: Sequence[str], response: str) -> str:
    """The text to send. All gold answers are put in one line, whatever their number."""
    texts = {QUESTION: question, _GOLD: _GOLD_BETWEEN.join(gold), RESPONSE: response}
    # In one pass, so that braces inside a response are not replaced.
    return _PLACE.sub(lambda place: texts[place[0]], template)


def spellings(scale: VerdictScale) -> Spellings:
    """The labels and keys of a scale's verdicts, and what the prompt's examples misspell of them."""
    misspelt = {wrong: key for wrong, key in find_prompt().misspelt.items() if key in scale.keys}
    labels = {plain_words(verdict.label): verdict.key for verdict in scale.verdicts}
    return {**misspelt, **labels, **{plain_words(key): key for key in scale.keys}}


def parse(reply: str, known: Spellings) -> tuple[str, str]:
    """(verdict, its spelling in lower case) after the reply's last `evaluation:`, at any place in its line.

    The rest of that line must be one of the known spellings, in any case, with or without a full stop. Otherwise both
    are "", even if an earlier line has a verdict.
    """
    return _verdict(_MARK.split(reply)[-1], known) if _MARK.search(reply) else ("", "")


def verdicts_in(reply: str, known: Spellings) -> set[str]:
    """The verdicts after any `evaluation:` of the reply, by the same rule."""
    return {verdict for rest in _MARK.split(reply)[1:] if (verdict := _verdict(rest, known)[0])}


def _verdict(rest: str, known: Spellings) -> tuple[str, str]:
    """As `parse`, of what follows an `evaluation:`."""
    spelling = plain_words((rest.splitlines() or [""])[0])
    return (known[spelling], spelling) if spelling in known else ("", "")


def own_words(reply: str, response: str, known: Spellings) -> str:
    """The reply without copies of the judged response that could be taken for a verdict.

    Removed are whole copies of the response, and of each of its lines that has a mark and further words: a response
    that says "evaluation: correct" is no verdict on itself. A line or response that is a verdict and nothing else, or
    the beginning of one, stays: it could be the judge model's own.
    """
    if not _MARK.search(response):
        return reply
    bare = {f"evaluation: {spelling}{stop}" for spelling in known for stop in ("", ".")}
    marked = [line.strip() for line in response.splitlines() if _MARK.search(line)]
    # The whole response before its lines, or its other lines would stay.
    for part in (response.strip(), *sorted(marked, key=len, reverse=True)):
        words = " ".join(part.split()).lower()
        if not any(line.startswith(words) for line in bare):
            reply = reply.replace(part, " ")
    return reply


# What to store for a reply: the move, columns of the machine verdict, columns of the call.
Read = tuple[str, dict[str, str | None], dict[str, str]]


def settled_by(reply: str, response: str, known: Spellings, *, is_held: bool = False) -> Read:
    """(move, columns of the machine verdict, columns of the call) to store for a reply about a response.

    A reply that `is_held`, because it may have markup in it, has no verdict: one in the reasoning is not meant.
    """
    own = own_words(reply, response, known)
    verdict, spelling = ("", "") if is_held else parse(own, known)
    call = {"reply": reply, "parsed": verdict, "spelling": spelling}
    if not verdict:
        return "leave", {"verdict": None, "holds": "none" if reply.strip() else "nothing"}, call
    holds = "several" if len(verdicts_in(own, known)) > 1 else "one"
    return "judge", {"verdict": verdict, "holds": holds}, call
