"""Who may see what, so that judging stays blind.

A judge's data is an allow-list: the fields of SlotView (and of ResponseView in it) and nothing else reach
HTML or JSON. Neither the
model, its service or run, nor tokens, latency, times, other verdicts or row ids are among them.

Rules come in pairs: `..._problem` gives the sentence, `may_...` the answer. Pure.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from judging.rubric import GoldAnswer, PromptCriteria, Rubric


@dataclass(frozen=True)
class Passage:
    """One passage as the prompt gave it. `name` is "1", "2", or "1 and 2, the same"."""

    name: str
    text: str


@dataclass(frozen=True)
class VerdictChoice:
    """One button: its key on the keyboard, its criteria, and the warning to show with it."""

    key: str
    label: str
    hotkey: str
    criteria: tuple[str, ...]
    warning: str


@dataclass(frozen=True)
class ResponseView:
    """All that a blind person is shown of a response. A field added here is shown to judges."""

    question: str
    gold: tuple[GoldAnswer, ...]
    passages: tuple[Passage, ...]
    text: str
    cut_off: bool
    prompt_label: str
    prompt_title: str
    rules: tuple[str, ...]
    choices: tuple[VerdictChoice, ...]


@dataclass(frozen=True)
class SlotView:
    """All that a judge is shown of one slot: the response, and what this judge alone has entered.

    `slot` is a random id; `position` the place in this judge's own order, from 1.
    """

    slot: str
    response: ResponseView
    verdict: str
    comment: str
    flagged: bool
    flag_note: str
    skip_reason: str
    state: str
    position: int
    total: int

    def payload(self) -> dict[str, Any]:
        """The same as JSON-ready data."""
        return asdict(self)


@dataclass(frozen=True)
class AnonymousVerdict:
    """A judgment as the third person sees it: what was said, not by whom, nor when."""

    verdict: str
    label: str
    comment: str
    flagged: bool
    flag_note: str
    skip_reason: str


def choices(rubric: Rubric, asked: PromptCriteria) -> tuple[VerdictChoice, ...]:
    """The verdict buttons for one prompt, best first, with the keys 1, 2, 3, …"""
    allowed = [verdict for verdict in rubric.shown if verdict.key in asked.allowed]
    return tuple(
        VerdictChoice(
            key=verdict.key,
            label=verdict.label,
            hotkey=str(place),
            criteria=tuple(asked.criteria[verdict.key]),
            warning=asked.unusual.get(verdict.key, ""),
        )
        for place, verdict in enumerate(allowed, start=1)
    )


def result_problem(person: int, open_study_judges: Collection[int]) -> str | None:
    """Why a person may not see runs, responses, results or reports that open studies draw from."""
    if person in open_study_judges:
        return (
            "You judge responses of this run in a study that is still open, so that its run, responses and "
            "results stay hidden from you until the study is closed."
        )
    return None


def may_see_results(person: int, open_study_judges: Collection[int]) -> bool:
    return result_problem(person, open_study_judges) is None


def resolve_problem(person: int, study_judges: Collection[int]) -> str | None:
    """Why a person may not decide in a study: nobody who judges in it may, on any of its responses.

    Stricter than "not one of the two": resolving shows responses and verdicts, which a study hides from
    its judges.
    """
    if person in study_judges:
        return "You judge in this study, so you cannot resolve in it."
    return None


def may_resolve(person: int, study_judges: Collection[int]) -> bool:
    return resolve_problem(person, study_judges) is None
