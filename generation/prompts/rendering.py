"""The text that a model is sent for one question, from a prompt's templates. Pure."""

import re
from collections.abc import Mapping

from generation.prompts.prompting import PLACE, REPLY, Prompt


def render(prompt: Prompt, *, question: str, context_1: str, context_2: str, same: bool) -> str:
    """The text to send: the examples with their answers, then the question.

    Where both answers come from the `same` passage, it is given once.
    """
    template = _once(prompt.template) if same else prompt.template
    asked = _filled(prompt, template, question, context_1, context_2, same)
    return "".join(_shown(prompt.template, example) for example in prompt.examples) + asked


def follow_up(
    prompt: Prompt, *, question: str, context_1: str, context_2: str, same: bool
) -> list[str] | None:
    """The pieces of the second turn's text, between which the first reply comes; None for a prompt of one turn."""
    if not prompt.second:
        return None
    pieces = (_once(prompt.second) if same else prompt.second).split(REPLY)
    return [_filled(prompt, piece, question, context_1, context_2, same) for piece in pieces]


def _once(text: str) -> str:
    """The text without the second of its two passages, where that is on a line of its own after a blank."""
    shown = [place for place in dict.fromkeys(PLACE.findall(text)) if place != "question"]
    if len(shown) < 2:
        return text
    # The recorded inputs have this blank before the second passage.
    return re.sub(rf"\n \{{{shown[1]}\}}(?=\n|\Z)", "", text)


def _filled(
    prompt: Prompt, text: str, question: str, context_1: str, context_2: str, same: bool
) -> str:
    if same and len(prompt.passages) > 1:  # a prompt may begin with the second
        context_2 = context_1
    texts = {"question": question, "context1": context_1, "context2": context_2}
    # In one pass, so that braces inside a passage are not replaced.
    return PLACE.sub(lambda place: texts[place[1]], text)


def _shown(template: str, example: Mapping[str, str]) -> str:
    """The prompt's own text about an example, its answer and an empty line."""
    asked = PLACE.sub(lambda place: example[place[1]], template)
    between = "" if asked[-1:].isspace() else " "
    return f"{asked}{between}{example['answer']}\n\n"
