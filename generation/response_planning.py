"""The responses of a run: every question, prompt, model and sample, in the order of the requests.

The order is by question first, so that requests with the same passages follow each other and a server can reuse its
prefix cache. A given text, which no model is asked for, is one response, done at once.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Prefetch, QuerySet

from datasets.contexts import context_1, context_2, is_same
from datasets.counts import current_instances
from datasets.models import Collection, Instance, RevisedPassage
from generation import registry
from generation.models import LanguageModel, Response, Run
from generation.prompts import controlled, prompting, rendering, shots
from generation.prompts.places import REPLY, SHOTS, filled, places_of
from generation.prompts.prompting import Prompt
from generation.states import ResponseState
from leases.refusal import Refusal
from protocols.declaration import WIKICONTRADICT, Declaration

# Questions, with their records, in memory at a time.
PIECE = 100
NOT_REVISED = "it has no checked passages revised so that they agree"


@dataclass(frozen=True)
class Rendered:
    """One prompt about one question: the text to send and the gold answers, or why it cannot be sent.

    `follow_up` is the text of a second turn or a check (rendering.follow_up). `passages` are the two revised passages
    where the prompt shows those and not the question's own. `shown` are the passages in the text. `texts` has what
    stands in each place, of a declared record; `shots` are the names of the examples drawn for it; `given` is the text
    of one that is given. `is_unfit`: no run may leave it out.
    """

    instance: Instance
    prompt: Prompt
    text: str
    gold: list[str]
    problem: str = ""
    passages: list[str] | None = None
    follow_up: list[str] | None = None
    shown: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    shots: Sequence[str] = ()
    given: str = ""
    is_unfit: bool = False

    @property
    def second(self) -> str:
        """The text that is sent second before there is a first reply; "" where there is none."""
        return REPLY.join(self.follow_up or ())

    @property
    def key(self) -> str:
        """The question's name in exports: the record's hash and the question's number, the same everywhere."""
        return f"{self.instance.contradiction.external_id}:{self.instance.n}"


def instances_of(collection: Collection, limit: int | None = None) -> QuerySet[Instance]:
    """The first `limit` questions (None: all) in the collection's order, without excluded ones.

    Raises Refusal for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise Refusal("The limit of questions must be at least 1.")
    kept = current_instances(collection).exclude(exclusion__excluded_by__isnull=False)
    return kept.select_related("contradiction")[:limit]


def rendered(
    instances: QuerySet[Instance], prompts: Sequence[Prompt], seed: int | None = None
) -> Iterator[Rendered]:
    """Every prompt about every question, questions first. The seed (None: 0) draws the examples of declared records.

    The questions are read in pieces: their records may be long.
    """
    if any(prompt.revised for prompt in prompts):
        checked = RevisedPassage.objects.filter(state=RevisedPassage.State.CHECKED)
        instances = instances.prefetch_related(
            Prefetch("revised_passages", queryset=checked, to_attr="checked_revisions")
        )
    # Not joined to each question: a protocol is a long text.
    declarations: dict[int, Declaration] = {}
    for instance in instances.iterator(chunk_size=PIECE):
        of = instance.contradiction
        for prompt in prompts:
            if prompt.protocol != WIKICONTRADICT:
                if of.collection_id not in declarations:
                    declarations[of.collection_id] = of.collection.declaration
                yield _declared(instance, prompt, declarations[of.collection_id], seed or 0)
            else:
                yield _revised(instance, prompt) if prompt.revised else _rendered(instance, prompt)


def _declared(instance: Instance, prompt: Prompt, declaration: Declaration, seed: int) -> Rendered:
    """The prompt over a record that a protocol declares."""
    places = places_of(declaration)
    named = places.of_text(prompt.template + prompt.later)
    judged = (prompt.given, *prompt.shows) if prompt.given else ()
    try:
        record = instance.contradiction.fields or {}
        texts = rendering.texts_of(declaration, record, [*named, *judged])
        key = instance.contradiction.external_id
        drawn, texts[SHOTS[1:-1]] = shots.drawn(prompt, declaration, record, key, seed)
    except rendering.Unfit as error:
        is_unfit = not isinstance(error, rendering.Absent)
        return Rendered(instance, prompt, "", [], problem=str(error), is_unfit=is_unfit)
    needed = [name for name in texts if name in (*places.passages, *judged)]
    empty = [declaration.fields[name].title for name in needed if not texts[name].strip()]
    problem = f"{empty[0]} is empty" if empty else ""
    if prompt.given:
        return Rendered(instance, prompt, "", [], problem, given=texts[prompt.given])
    return Rendered(
        instance=instance,
        prompt=prompt,
        text=filled(prompt.template, texts),
        gold=[],
        problem=problem,
        follow_up=rendering.pieces(prompt.later, texts),
        shown=[texts[name] for name in needed],
        texts=texts,
        shots=drawn,
    )


def _rendered(instance: Instance, prompt: Prompt) -> Rendered:
    contradiction = instance.contradiction
    contexts = {1: context_1(contradiction), 2: context_2(contradiction)}
    shown = prompt.shown(same=is_same(contradiction))
    bare = [number for number in shown if not contexts[number].strip()]
    text, follow_up = _texts(instance, prompt, contexts[1], contexts[2])
    return Rendered(
        instance=instance,
        prompt=prompt,
        text=text,
        follow_up=follow_up,
        shown=[contexts[number] for number in shown],
        gold=prompting.gold(prompt, answer_1=instance.answer_1, answer_2=instance.answer_2),
        problem=f"passage {bare[0]} is empty" if bare else "",
    )


def _revised(instance: Instance, prompt: Prompt) -> Rendered:
    """The prompt over the passages revised so that they agree; they must have been checked."""
    revisions: list[RevisedPassage] = instance.checked_revisions  # type: ignore[attr-defined]
    if not revisions:
        return Rendered(instance, prompt, "", [], problem=NOT_REVISED)
    (revision,) = revisions
    passages = [revision.passage_1, revision.passage_2]
    shown = prompt.shown(same=is_same(instance.contradiction))
    text, follow_up = _texts(instance, prompt, *passages)
    return Rendered(
        instance=instance,
        prompt=prompt,
        text=text,
        follow_up=follow_up,
        shown=[passages[number - 1] for number in shown],
        gold=prompting.gold(
            prompt,
            answer_1=instance.answer_1,
            answer_2=instance.answer_2,
            revised_answer=revision.answer,
        ),
        passages=passages,
    )


def _texts(
    instance: Instance, prompt: Prompt, passage_1: str, passage_2: str
) -> tuple[str, list[str] | None]:
    """What is sent first, and the pieces of what is sent second."""
    shown: Any = {
        "question": instance.question,
        "context_1": passage_1,
        "context_2": passage_2,
        "same": is_same(instance.contradiction),
    }
    return rendering.render(prompt, **shown), rendering.follow_up(prompt, **shown)


def askers(
    prompts: Iterable[Prompt], models: Sequence[LanguageModel]
) -> dict[str, Sequence[LanguageModel]]:
    """By prompt name the models whose responses there are: these, or the author of a given text."""
    return {
        prompt.name: [registry.author(prompt.by)] if prompt.given else models for prompt in prompts
    }


def responses(
    run: Run,
    rendered: Iterable[Rendered],
    asked: Mapping[str, Sequence[LanguageModel]],
    samples: int,
    *,
    made: Container[tuple[str, int]] = (),
    first: int = 0,
) -> Iterator[Response]:
    """The rows to make but those of prompt names and models' keys in `made`; `order` counts from `first`.

    `asked` are the models by prompt name (askers).
    """
    combinations = (
        (row, model, sample)
        for row in rendered
        for model in asked[row.prompt.name]
        if (row.prompt.name, model.pk) not in made
        for sample in range(1, 2 if row.prompt.given else samples + 1)
    )
    for order, (row, model, sample) in enumerate(combinations, start=first):
        yield Response(
            run=run,
            instance=row.instance,
            model=model,
            prompt=row.prompt.name,
            prompt_hash=row.prompt.sha256,
            sample=sample,
            order=order,
            follow_up=row.follow_up,
            wanted=controlled.wanted(row.prompt, row.shown, model.options),
            scored=list(row.prompt.options) if row.prompt.form == prompting.Form.SCORES else None,
            gold=row.gold,
            passages=row.passages,
            **({"text": row.given, "state": ResponseState.DONE} if row.prompt.given else {}),
            **_sent(row, run.seed, sample),
        )


def _sent(row: Rendered, seed: int | None, sample: int) -> dict[str, Any]:
    """The text sent, with its passages in the order drawn by the run's seed where the prompt shuffles them."""
    prompt = row.prompt
    shown = {"shots": [*row.shots]} if row.shots else {}
    if seed is None or not prompt.shuffle:
        return {"rendered": row.text, "drawn": shown or None}
    names = (row.instance.contradiction.external_id, prompt.name, str(sample))
    order = rendering.drawn_order(prompt.shuffle, seed, *names)
    texts = rendering.shuffled(prompt.template, row.texts, order)
    return {"rendered": filled(prompt.template, texts), "drawn": {"order": order, **shown}}
