"""The prompts, and the text that a model is sent for one question. Pure.

A prompt is data (generation/prompts/*.json), copied byte for byte from its source. Code uses the names of prompts; the
paper's numbers are labels. Source: WikiContradict (Hou et al. 2024), section 3.4 and Appendix B.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from leases.refusal import NotFoundHere

FOLDER = Path(__file__).parent / "prompts"
# The first three come from the question and its revised passages; "yes" and "no" are fixed answers.
GOLD_SOURCES = ("answer_1", "answer_2", "revised_answer", "yes", "no")

# What a template may name, and whatever looks like a name.
FIELDS = ("question", "context1", "context2")
_PLACE = re.compile(rf"\{{({'|'.join(FIELDS)})\}}")
_NAME = re.compile(r"\{\s*\w+\s*\}")
# The recorded inputs have this blank before the second passage.
_SECOND_PASSAGE = re.compile(r"\n \{context[12]\}")


class PromptError(ValueError):
    """The file of a prompt is damaged; the message says which."""


@dataclass(frozen=True)
class Prompt:
    """One prompt. `passages` are the numbers of the passages shown, in their order.

    `gold` names the answers that a judge compares with; `verdicts` are those that the source defines for this prompt
    (a study's rubric decides); `sha256` is that of the template's UTF-8 bytes. `reconstructed`: the line breaks are
    ours, because the source is a typeset page. `revised`: it shows passages revised so that they agree.
    """

    name: str
    label: str
    title: str
    template: str
    sha256: str
    passages: tuple[int, ...]
    gold: tuple[str, ...]
    verdicts: tuple[str, ...]
    reconstructed: bool
    source: str
    revised: bool = False

    def shown(self, *, same: bool) -> tuple[int, ...]:
        """The numbers of the passages that it shows; of two that are the `same`, the first alone."""
        return (1,) if same and len(self.passages) > 1 else self.passages


@cache
def prompts() -> Mapping[str, Prompt]:
    """All prompts by name, in the order of their labels; raises PromptError when a file is damaged."""
    read = [parse(json.loads(path.read_bytes()), path.name) for path in FOLDER.glob("*.json")]
    return {prompt.name: prompt for prompt in sorted(read, key=lambda prompt: prompt.label)}


def find(name_or_label: str) -> Prompt:
    """The prompt of this name or label; raises NotFoundHere with the known ones."""
    known = prompts()
    by_label = {prompt.label: prompt for prompt in known.values()}
    if prompt := known.get(name_or_label) or by_label.get(name_or_label):
        return prompt
    names = ", ".join(f"{prompt.name} ({prompt.label})" for prompt in known.values())
    raise NotFoundHere(f"There is no prompt {name_or_label!r}. Known: {names}.")


def choices(names: Collection[str] | None = None) -> list[tuple[str, str]]:
    """The prompts of these names (None: all) as a form offers them: (name, text)."""
    return [
        (name, f"{prompt.label}: {prompt.title}")
        for name, prompt in prompts().items()
        if names is None or name in names
    ]


def parse(data: Mapping[str, Any], where: str) -> Prompt:
    """A prompt from its file's data; raises PromptError, with the file's name, when it is damaged."""
    try:
        prompt = Prompt(
            **{
                **data,
                "passages": tuple(data["passages"]),
                "gold": tuple(data["gold"]),
                "verdicts": tuple(data["verdicts"]),
            }
        )
        digest = hashlib.sha256(prompt.template.encode("utf-8")).hexdigest()
    except (KeyError, TypeError, AttributeError) as error:
        raise PromptError(f"{where} is not a prompt: {error}.") from error
    if digest != prompt.sha256:
        raise PromptError(
            f"{where} was changed: its template's sha256 is {digest}, not {prompt.sha256}."
        )
    if unknown := set(_NAME.findall(_PLACE.sub("", prompt.template))):
        known = ", ".join(f"{{{field}}}" for field in FIELDS)
        raise PromptError(
            f"{where} has {', '.join(sorted(unknown))}, which is no field of a question. There are {known}."
        )
    if unknown := set(prompt.gold) - set(GOLD_SOURCES):
        raise PromptError(f"{where} takes gold from {sorted(unknown)}, which no question has.")
    return prompt


def render(prompt: Prompt, *, question: str, context_1: str, context_2: str, same: bool) -> str:
    """The text to send. Where both answers come from the `same` passage, it is given once."""
    template = _SECOND_PASSAGE.sub("", prompt.template) if same else prompt.template
    if same and len(prompt.passages) > 1:  # a prompt may begin with the second
        context_2 = context_1
    texts = {"question": question, "context1": context_1, "context2": context_2}
    # In one pass, so that braces inside a passage are not replaced.
    return _PLACE.sub(lambda place: texts[place[1]], template)


def gold(
    prompt: Prompt,
    *,
    answer_1: str | None,
    answer_2: str | None,
    revised_answer: str | None = None,
) -> list[str]:
    """The gold answers for this prompt, unstripped; one that the record lacks (None) is left out."""
    answers = {
        "answer_1": answer_1,
        "answer_2": answer_2,
        "revised_answer": revised_answer,
        "yes": "yes",
        "no": "no",
    }
    return [text for source in prompt.gold if (text := answers[source]) is not None]
