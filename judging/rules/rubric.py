"""What a judge decides, and by what: verdicts, criteria and gold answers for each prompt.

A rubric is data (judging/rubrics/*.json). Pure.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.identity import canonical
from generation.prompts.prompting import ANSWERS
from judging.rules.verdict_scale import VerdictScale, declared_scale
from protocols.declaration import WIKICONTRADICT

FOLDER = Path(__file__).parent.parent / "rubrics"
GOLD_SOURCES = (*ANSWERS, "text")


class RubricError(ValueError):
    """A rubric that no study can use; the message says what is missing and where."""


@dataclass(frozen=True)
class GoldPart:
    """Where one gold answer comes from: the instance's answer 1 or 2, its revised passages, or a fixed text.

    `passage` is the passage (1 or 2) it belongs to, None where it belongs to none.
    """

    source: str
    passage: int | None = None
    text: str = ""


@dataclass(frozen=True)
class GoldAnswer:
    """A gold answer as a judge sees it."""

    passage: int | None
    text: str


@dataclass(frozen=True)
class PromptCriteria:
    """What is asked about responses to one prompt.

    `proposed` are the verdicts that the prompt's definition names; `unusual` maps a further verdict to the
    warning shown with it; any other verdict is refused. `written_by` is "paper", "project", "team" or "protocol".
    """

    prompt: str
    label: str
    title: str
    written_by: str
    gold: tuple[GoldPart, ...]
    proposed: tuple[str, ...]
    unusual: Mapping[str, str]
    criteria: Mapping[str, tuple[str, ...]]

    @property
    def allowed(self) -> frozenset[str]:
        return frozenset(self.proposed) | frozenset(self.unusual)

    def problem(self, verdict: str) -> str:
        """Why this is no verdict on a response to the prompt; empty where it is one."""
        if not verdict:
            return "Choose a verdict."
        if verdict not in self.allowed:
            choices = ", ".join((*self.proposed, *self.unusual))
            return f"{verdict!r} is not a verdict here. Choose one of: {choices}."
        return ""


@dataclass(frozen=True)
class ParsedRubric:
    """A whole rubric. `protocol` is the name of the one whose prompts it is for."""

    name: str
    protocol: str
    title: str
    source: str
    scale: VerdictScale
    rules: tuple[str, ...]
    prompts: Mapping[str, PromptCriteria]

    @property
    def needs_gold(self) -> bool:
        """The records of other protocols have no gold answers."""
        return self.protocol == WIKICONTRADICT

    def is_judged(self, prompt: str) -> bool:
        """Whether responses to the prompt get slots: those of other protocols may be scored alone."""
        return self.needs_gold or prompt in self.prompts


def names() -> list[str]:
    """The rubrics that come with the project."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def content(name: str) -> dict[str, Any]:
    """A rubric's data as stored with a study.

    Raises RubricError for a name that is not there, and for a file that is not JSON or holds a rubric of another name.
    """
    if name not in names():
        raise RubricError(f"There is no rubric {name!r}. Known: {', '.join(names())}.")
    try:
        data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise RubricError(f"{name}.json is not JSON in UTF-8: {error}.") from error
    if isinstance(data, dict) and (named := data.get("name", name)) != name:
        raise RubricError(f"{name}.json holds the rubric {named}: call the file {named}.json.")
    return data


def digest(data: Mapping[str, Any]) -> str:
    """sha256 (hex) of a rubric's data, the same however its keys are ordered."""
    return hashlib.sha256(canonical(data)).hexdigest()


def scale_of(data: Mapping[str, Any]) -> VerdictScale:
    """The verdicts of a rubric with these data; raises ValueError with what is wrong."""
    return declared_scale(data["verdicts"], data.get("ordered", True), data.get("weights", ""))


def protocol_of(data: Mapping[str, Any]) -> str:
    """The name of the protocol whose prompts a rubric with these data is for."""
    return data.get("protocol", WIKICONTRADICT)


def parse(data: Mapping[str, Any]) -> ParsedRubric:
    """A rubric from its data; raises RubricError with what is wrong."""
    try:
        scale = scale_of(data)
        prompts = {key: _prompt(key, entry) for key, entry in data["prompts"].items()}
        rubric = ParsedRubric(
            data["name"],
            protocol_of(data),
            data["title"],
            data["source"],
            scale,
            tuple(data["rules"]),
            prompts,
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise RubricError(f"The rubric is not of the expected shape: {error!r}.") from error
    except ValueError as error:
        raise RubricError(str(error)) from error
    _check(rubric)
    return rubric


def _prompt(key: str, entry: Mapping[str, Any]) -> PromptCriteria:
    return PromptCriteria(
        prompt=key,
        label=entry["label"],
        title=entry["title"],
        written_by=entry["written_by"],
        gold=tuple(GoldPart(**part) for part in entry["gold"]),
        proposed=tuple(entry["proposed"]),
        unusual=dict(entry["unusual"]),
        criteria={verdict: tuple(lines) for verdict, lines in entry["criteria"].items()},
    )


def _check(rubric: ParsedRubric) -> None:
    keys = set(rubric.scale.keys)
    for criteria in rubric.prompts.values():
        if unknown := (criteria.allowed | set(criteria.criteria)) - keys:
            raise RubricError(
                f"Prompt {criteria.prompt} names unknown verdicts: {sorted(unknown)}."
            )
        if twice := set(criteria.proposed) & set(criteria.unusual):
            raise RubricError(
                f"Prompt {criteria.prompt} both proposes and warns of {sorted(twice)}."
            )
        for part in criteria.gold:
            if part.source not in GOLD_SOURCES:
                raise RubricError(
                    f"Prompt {criteria.prompt}: {part.source!r} is no source of gold."
                )


def gaps(rubric: ParsedRubric, prompts: Iterable[str]) -> list[str]:
    """Why a study on these prompts cannot open, one sentence for each reason; empty when it can.

    Every prompt needs criteria for each verdict that it allows, and those of WikiContradict written gold.
    """
    sentences = []
    for prompt in sorted(set(prompts)):
        criteria = rubric.prompts.get(prompt)
        if criteria is None:
            sentences.append(f"The rubric {rubric.name} has nothing on the prompt {prompt}.")
            continue
        if rubric.needs_gold and not criteria.gold:
            sentences.append(
                f"The rubric {rubric.name} has no gold answers for the prompt {prompt}."
            )
        bare = sorted(verdict for verdict in criteria.allowed if not criteria.criteria.get(verdict))
        if bare or not criteria.proposed:
            named = ", ".join(bare) or "any verdict"
            sentences.append(
                f"The rubric {rubric.name} has no criteria for {named} on the prompt {prompt}."
            )
    return sentences


def gold_answers(
    criteria: PromptCriteria,
    answer_1: str | None,
    answer_2: str | None,
    revised_answer: str | None = None,
) -> tuple[GoldAnswer, ...]:
    """The gold answers of one instance under one prompt, unstripped.

    Raises RubricError where the instance lacks an answer that the prompt needs.
    """
    texts = {"answer_1": answer_1, "answer_2": answer_2, "revised_answer": revised_answer}
    golds = []
    for part in criteria.gold:
        text = part.text if part.source == "text" else texts[part.source]
        if not (text or "").strip():
            raise RubricError(f"The gold answer {part.source.replace('_', ' ')} is empty.")
        golds.append(GoldAnswer(part.passage, text or ""))
    return tuple(golds)
