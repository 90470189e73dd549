"""The kinds of scorers, each a module of plain functions; docs/developers.md says how one is added. Pure."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.scorers import aliases, options, people, squad
from evaluation.statistics.measures import (
    ENTROPY,
    EXACT,
    F1,
    FINISHED,
    UNDECIDED,
    UNJUDGED,
    UNREAD,
    WITHOUT_GOLD,
)
from generation.prompts.answers import answer_of
from protocols.declaration import Declaration, DeclarationProblem, Entry
from protocols.entry_keys import Key

Values = Mapping[str, Any]
# States that finished responses have under every kind.
COMMON = tuple(state for state in FINISHED if state not in (UNDECIDED, UNREAD))


@dataclass(frozen=True)
class Kind:
    """What a kind of scorer does with a scorer as declared, as plain functions.

    `keys` are its own, and `problems` checks them. `labels` are those that it gives, `state` is what a finished
    response without an answer to score is. It `reads` the responses to some prompts: others are none of its business.
    The `fields` of a record decide a label: `known` makes of them what `score` compares an answer with, None where the
    record has none of them. `score` gives the label, and the number of which there are `means`, NaN for none. Of a kind
    `by_people` the answer is the verdict that stands (people.said).
    """

    keys: Mapping[str, Key]
    problems: Callable[[Declaration, Entry], Iterator[DeclarationProblem]]
    labels: Callable[[Declaration, Entry], Sequence[str]]
    state: str
    reads: Callable[[Declaration, Entry, Entry], bool]
    fields: Callable[[Values], Sequence[str]]
    known: Callable[[Values, Values], Any]
    score: Callable[[str, Any], tuple[str, float]]
    means: Sequence[str] = ()
    by_people: bool = False


KINDS: Mapping[str, Kind] = {
    "option": Kind(
        keys=options.KEYS,
        problems=options.problems,
        labels=options.labels,
        state=UNDECIDED,
        reads=options.reads,
        fields=options.fields,
        known=options.letters,
        score=options.score,
        means=(ENTROPY,),
    ),
    "squad": Kind(
        keys=squad.KEYS,
        problems=squad.problems,
        labels=squad.labels,
        state=UNREAD,
        reads=squad.reads,
        fields=squad.fields,
        known=squad.counted,
        score=squad.score,
        means=(EXACT, F1),
    ),
    "alias": Kind(
        keys=aliases.KEYS,
        problems=squad.problems,
        labels=squad.labels,
        state=UNREAD,
        reads=squad.reads,
        fields=squad.fields,
        known=aliases.aliases,
        score=aliases.score,
    ),
    "people": Kind(
        keys=people.KEYS,
        problems=people.problems,
        labels=people.labels,
        state=UNJUDGED,
        reads=people.reads,
        fields=people.fields,
        known=people.known,
        score=people.score,
        by_people=True,
    ),
}


def of(scorer: Values) -> Kind:
    return KINDS[scorer["kind"]]


def labels_of(declaration: Declaration, scorer: Entry) -> list[str]:
    """All that it says of a finished response."""
    kind = of(scorer.values)
    labels = kind.labels(declaration, scorer)
    return [*labels] if kind.by_people else [*labels, kind.state, *COMMON]


def scored(
    scorer: Values, known: Any, prompt: Values, state: str, text: str, check: str | None = None
) -> tuple[str, float]:
    """The label or the state of a response with this text and reply to its check, and its number.

    That is 0 of a finished response without an answer.
    """
    if known is None:
        return WITHOUT_GOLD, math.nan
    if not state:
        answer = answer_of(text, prompt, check)
        if not answer.unread:
            return of(scorer).score(answer.text, known)
        state = UNREAD
    return state, 0.0 if state in FINISHED and F1 in of(scorer).means else math.nan
