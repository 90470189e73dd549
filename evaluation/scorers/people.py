"""The scorer `people`: the verdict that stands on a response in a study that its rubric judges. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.statistics.measures import ABSENT, STATES, UNJUDGED
from judging.rules.declared_rubrics import criteria_of
from protocols.declaration import Declaration, DeclarationProblem, Entry
from protocols.entry_keys import Key

KEYS = {
    "rubric": Key(
        str,
        is_required=True,
        about="Of people: the rubric whose verdicts are the labels, in studies that are judged by it.",
    )
}


def problems(declaration: Declaration, scorer: Entry) -> Iterator[DeclarationProblem]:
    if (name := scorer.values["rubric"]) not in declaration.named("rubric"):
        yield scorer.problem(f"there is no rubric {name!r}.", "rubric")
        return
    for key in labels(declaration, scorer):
        if key in STATES:
            message = f"its verdict {key!r} means something else in scores. Choose another key."
            yield scorer.problem(message, "rubric")


def labels(declaration: Declaration, scorer: Entry) -> Sequence[str]:
    """Its verdicts; none where there is no such rubric."""
    rubric = declaration.named("rubric").get(scorer.values["rubric"])
    return [verdict["key"] for verdict in rubric.values["verdicts"]] if rubric else []


def reads(declaration: Declaration, scorer: Entry, prompt: Entry) -> bool:
    """Whether people judge the responses to the prompt."""
    rubric = declaration.named("rubric").get(scorer.values["rubric"])
    return rubric is not None and prompt.name in criteria_of(declaration, rubric)


def fields(_: Mapping[str, Any]) -> Sequence[str]:
    """No field of a record decides a verdict."""
    return ()


def known(_: Mapping[str, Any], __: Mapping[str, Any]) -> tuple[()]:
    return ()


def score(verdict: str, _: tuple[()]) -> tuple[str, float]:
    return verdict, math.nan


def said(state: str, verdict: str | None) -> tuple[str, str, None]:
    """The state, text and check that kinds.scored reads: what people said, whatever the response is."""
    if state in ABSENT:
        return state, "", None
    return ("", verdict, None) if verdict else (UNJUDGED, "", None)
