"""The text that a model is sent for one question, from a prompt's templates. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from datasets.drawing import lot
from generation.prompts.places import REPLY, filled
from generation.prompts.prompting import PLACE, Prompt
from pages.counting import how_many
from protocols.declaration import Declaration
from protocols.reading import PLACE_IN_LIST


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


# ---------------------------------------------------------------- declared records


class Unfit(ValueError):
    """A record lacks what a prompt shows; the message says what of it."""


class Absent(Unfit):
    """A record has no optional field, and so is not asked about it."""


def texts_of(
    declaration: Declaration, record: Mapping[str, Any], places: Iterable[str]
) -> dict[str, str]:
    """What a record has in these places. Raises Unfit for a list that is shorter, or does not read at its length."""
    return {place: _text_of(declaration, record, place) for place in places}


def _text_of(declaration: Declaration, record: Mapping[str, Any], place: str) -> str:
    name, _, number = place.partition(".")
    if name not in declaration.fields:
        raise Unfit(f"{name} is no field of {declaration}")
    if name not in record:
        raise Absent(f"the record has no {name}")
    value, reads = record[name], declaration.fields[name].reads or {}
    if declaration.fields[name].is_text:
        return str(value)
    there = f"{name} has {how_many(len(value), 'text')}"
    if number:
        if int(number) > len(value):
            raise Unfit(f"{there}, and the prompt shows number {number}")
        return str(value[int(number) - 1])
    if len(value) not in reads:
        known = " or ".join(map(str, sorted(reads)))
        raise Unfit(f"{there}, and reads as text with {known} alone")
    return PLACE_IN_LIST.sub(lambda place: str(value[int(place[1]) - 1]), reads[len(value)])


def pieces(second: str, texts: Mapping[str, str]) -> list[str] | None:
    """The pieces of a second text, between which the first reply comes; None where there is none."""
    return [filled(piece, texts) for piece in second.split(REPLY)] if second else None


def shuffled(text: str, texts: Mapping[str, str], order: Sequence[str]) -> dict[str, str]:
    """What is in the places where the fields of `order` follow each other in it, in the text's places of them."""
    slots = sorted(order, key=lambda name: text.index(f"{{{name}}}"))
    return {**texts, **{slot: texts[name] for slot, name in zip(slots, order, strict=True)}}


def drawn_order(fields: Iterable[str], seed: int, *names: str) -> list[str]:
    """The fields in the order that is drawn from the seed for these names, in every database the same."""
    return sorted(fields, key=lambda field: lot(seed, *names, field))
