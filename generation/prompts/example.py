"""A protocol's prompts on an example record: what is sent, or the text that people judge. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from generation.prompts import declared, prompting, rendering, shots
from generation.prompts.places import REPLY, SHOTS, filled, places_of
from generation.prompts.prompting import Prompt
from generation.prompts.rendering import Unfit, texts_of
from protocols.declaration import WIKICONTRADICT, Declaration
from protocols.example_record import ShownBlock

# The record's key and the seed of a run, from which examples and orders are drawn.
KEY, SEED = "example", 0
CHECK = "Sent after the reply, to check it"


def prompt_blocks(
    declaration: Declaration, record: Mapping[str, Any]
) -> dict[tuple[str, str], list[ShownBlock]]:
    """Each prompt as it is sent. The texts of WikiContradict's have a page of their own."""
    return {
        ("prompt", name): list(_blocks(prompt, declaration, record))
        for name, prompt in prompts_of(declaration).items()
    }


def prompts_of(declaration: Declaration) -> dict[str, Prompt]:
    """By the names that the file gives them."""
    if declaration.name == WIKICONTRADICT:
        return {}
    bodies = declared.bodies(declaration)
    return {name: prompting.parse(body, name) for name, body in bodies.items()}


def _blocks(
    prompt: Prompt, declaration: Declaration, record: Mapping[str, Any]
) -> Iterator[ShownBlock]:
    places = places_of(declaration).of_text(prompt.template + prompt.later)
    try:
        if prompt.given:
            [text] = texts_of(declaration, record, [prompt.given]).values()
            yield ShownBlock(f"Given, by {prompt.by}", text)
            return
        texts = texts_of(declaration, record, places)
        drawn, texts[SHOTS[1:-1]] = shots.drawn(prompt, declaration, record, KEY, SEED)
    except Unfit as error:
        yield ShownBlock("Not sent", f"{error}.")
        return
    order = rendering.drawn_order(prompt.shuffle, SEED, KEY)
    if order:
        texts = rendering.shuffled(prompt.template, texts, order)
    notes = [f"with {', '.join(drawn)}"] if drawn else []
    notes += ["in one of the orders that are drawn"] if order else []
    yield ShownBlock(", ".join(["Sent", *notes]), filled(prompt.template, texts))
    for heading, turn in (("Sent after the reply", prompt.second), (CHECK, prompt.check)):
        if pieces := rendering.pieces(turn, texts):
            yield ShownBlock(heading, REPLY.join(pieces))
