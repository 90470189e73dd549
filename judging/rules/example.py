"""What a judge sees of a protocol's prompts on an example record. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from generation.prompts.example import prompts_of
from generation.prompts.places import places_of
from generation.prompts.prompting import Prompt
from generation.prompts.rendering import Unfit, texts_of
from judging.rules.declared_rubrics import criteria_of, scale_of
from protocols.declaration import WIKICONTRADICT, Declaration, Entry
from protocols.example_record import ShownBlock

REPLY = "What the model replies."


def rubric_blocks(
    declaration: Declaration, record: Mapping[str, Any]
) -> dict[tuple[str, str], list[ShownBlock]]:
    """For each rubric what is on a judge's page, prompt by prompt; prompts that look the same are one."""
    prompts = prompts_of(declaration)
    rubrics = () if declaration.name == WIKICONTRADICT else declaration.entries("rubric")
    found: dict[tuple[str, str], list[ShownBlock]] = {}
    for entry in rubrics:
        pages: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for name, criteria in criteria_of(declaration, entry).items():
            page = tuple(_page(declaration, record, entry, prompts[name], criteria))
            pages.setdefault(page, []).append(prompts[name].label)
        found["rubric", entry.name] = [
            ShownBlock(f"What a judge sees of {', '.join(labels)}", facts=page)
            for page, labels in pages.items()
        ]
    return found


def _page(
    declaration: Declaration,
    record: Mapping[str, Any],
    entry: Entry,
    prompt: Prompt,
    criteria: Mapping[str, list[str]],
) -> Iterator[tuple[str, str]]:
    """What stands on the page, as (name, words)."""
    try:
        passages = texts_of(declaration, record, _shown(declaration, prompt))
        text = (
            texts_of(declaration, record, [prompt.given])[prompt.given] if prompt.given else REPLY
        )
    except Unfit as error:
        yield "Not judged", f"{error}."
        return
    own = [declaration.fields[name].title for name in passages]
    titles = prompt.shown_as if prompt.given else own
    read = list(zip(titles, passages.values(), strict=False))
    judged = [(titles[-1] if prompt.given else "Response", text)]
    yield "Question", prompt.template if prompt.given else record[declaration.item.question]
    yield from read + judged if prompt.given else judged + read
    for verdict in scale_of(entry).offered:
        if verdict.key in criteria:
            yield verdict.label, "\n".join(criteria[verdict.key])
    if "rules" in entry.values:
        yield "How to judge", "\n".join(entry.values["rules"])


def _shown(declaration: Declaration, prompt: Prompt) -> list[str]:
    """The fields that a prompt shows, or the passages in its text, each once."""
    places = places_of(declaration)
    named = dict.fromkeys(places.of_text(prompt.template + prompt.later))
    return list(prompt.shows) or [place for place in named if place in places.passages]
