"""The prompts in the bundle of a release: those whose text depends on the record alone. Pure.

Not there are prompts that draw examples or an order by a run's seed, those over revised passages, and given texts, to
which no model replies. Prompts that people write here are not there either: they are no part of the release.
"""

from functools import partial

from datasets.contexts import context_1, context_2, is_same
from datasets.releasing.bundle.asked import Asked, BundledPrompt, SentTexts
from generation.prompts import declared, prompting, rendering
from generation.prompts.places import Places, filled, places_of
from generation.prompts.prompting import Prompt
from protocols.declaration import Declaration


def prompts_to_bundle(declaration: Declaration | None) -> list[BundledPrompt]:
    """Those of a protocol; of None, WikiContradict's."""
    if declaration is None:
        return [
            BundledPrompt(prompt.name, prompt.sha256, partial(_sent, prompt))
            for prompt in prompting.prompts().values()
            if is_bundled(prompt)
        ]
    bodies, places = declared.bodies(declaration), places_of(declaration)
    return [
        BundledPrompt(
            prompt.name,
            prompt.sha256,
            partial(_sent_of_record, declaration, prompt, places),
            prompt.form or "text",
            prompt.options,
            bool(prompt.check),
        )
        for prompt in (prompting.parse(body, name) for name, body in bodies.items())
        if is_bundled(prompt)
    ]


def is_bundled(prompt: Prompt) -> bool:
    """Whether its text depends on the record alone, and a model replies to it."""
    return not (prompt.revised or prompt.given or prompt.shuffle or prompt.shots)


def _sent(prompt: Prompt, asked: Asked) -> SentTexts | None:
    passages, slot = asked.passages, asked.slot
    same, contexts = is_same(passages), {1: context_1(passages), 2: context_2(passages)}
    if any(not contexts[number].strip() for number in prompt.shown(same=same)):
        return None
    text = rendering.render(
        prompt,
        question=slot.question or "",
        context_1=contexts[1],
        context_2=contexts[2],
        same=same,
    )
    return SentTexts(text, prompting.gold(prompt, answer_1=slot.answer_1, answer_2=slot.answer_2))


def _sent_of_record(
    declaration: Declaration, prompt: Prompt, places: Places, asked: Asked
) -> SentTexts | None:
    named = places.of_text(prompt.template + prompt.later)
    try:
        texts = rendering.texts_of(declaration, asked.columns["fields"], named)
    except rendering.Unfit:
        return None
    if any(not texts[name].strip() for name in texts if name in places.passages):
        return None
    second = rendering.pieces(prompt.later, texts)
    return SentTexts(filled(prompt.template, texts), second=second)
