"""What a judge model is asked about a response. Pure.

The prompt is data (judging/prompts/*.json), kept as its source has it. Source: WikiContradict (Hou et al.
2024), Appendix C.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "prompts"
WIKICONTRADICT = "wikicontradict-judge"

_GOLD = "{Answer1} | {Answer2}"
_GOLD_BETWEEN = " | "
_PLACE = re.compile(r"\{Question\}|\{Answer1\} \| \{Answer2\}|\{LLM response\}")


class JudgePromptError(ValueError):
    """A judge prompt whose file is damaged; the message says how."""


@dataclass(frozen=True)
class JudgePrompt:
    """A way of asking for a verdict. `sha256` is that of the template's UTF-8 bytes.

    `reconstructed` says that line breaks may not be the source's, because it is a typeset page.
    """

    name: str
    title: str
    template: str
    sha256: str
    reconstructed: bool
    source: str


@cache
def find(name: str = WIKICONTRADICT) -> JudgePrompt:
    """The judge prompt of this name; raises JudgePromptError when its file was changed."""
    prompt = JudgePrompt(**json.loads((FOLDER / f"{name}.json").read_bytes()))
    digest = hashlib.sha256(prompt.template.encode("utf-8")).hexdigest()
    if digest != prompt.sha256:
        raise JudgePromptError(
            f"{name}.json was changed: its template's sha256 is {digest}, not {prompt.sha256}."
        )
    return prompt


def render(prompt: JudgePrompt, *, question: str, gold: Sequence[str], response: str) -> str:
    """The text to send. All gold answers stand in one line, however many the response's prompt has."""
    texts = {
        "{Question}": question,
        _GOLD: _GOLD_BETWEEN.join(gold),
        "{LLM response}": response,
    }
    # In one pass, so that braces inside a response stay what they are.
    return _PLACE.sub(lambda place: texts[place[0]], prompt.template)
