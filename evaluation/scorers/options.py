"""The scorer `option`: which label the option has that a response chose, by its record's letters or for all. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.statistics.measures import AMBIGUOUS, OTHER, STATES
from generation.prompts.prompting import WITH_OPTIONS
from protocols.declaration import Declaration, DeclarationProblem, Entry, FieldType
from protocols.entry_keys import Key, texts_problem, value_problem

# Entropies are equal in every database and on every machine to so many digits.
DIGITS = 9
LONGEST_LABEL = 24  # as the head of a column
KEYS = {
    "labels": Key(
        dict,
        about=f"Of option: label = letter field. Another letter is {OTHER}; one that two labels share is {AMBIGUOUS}.",
    ),
    "options": Key(
        dict,
        about=f"Of option, in place of labels: label = an option of the prompts, the same in all records. Another "
        f"option is {OTHER}.",
    ),
}


def problems(declaration: Declaration, scorer: Entry) -> Iterator[DeclarationProblem]:
    values = scorer.values
    if ("labels" in values) == ("options" in values):
        message = (
            "write either labels, with letter fields, or options, with options of the prompts."
        )
        yield scorer.problem(message, "options" if "options" in values else "")
        return
    key = "labels" if "labels" in values else "options"
    if not (given := values[key]) or (problem := texts_problem(given)):
        is_what = "its field" if key == "labels" else "its option"
        yield scorer.problem(problem if given else f"name a label and {is_what}.", key)
        return
    meant = _letter_problems if key == "labels" else _option_problems
    for problem in (*meant(declaration, scorer), *map(_label_problem, given)):
        if problem:
            yield scorer.problem(problem, key)


def _letter_problems(declaration: Declaration, scorer: Entry) -> Iterator[str]:
    for name in scorer.values["labels"].values():
        field = declaration.fields.get(name)
        if field is None or field.type != FieldType.LETTER:
            yield f"{name!r} is no field that is a letter."


def _option_problems(declaration: Declaration, scorer: Entry) -> Iterator[str]:
    asked = [one for one in declaration.entries("prompt") if reads(declaration, scorer, one)]
    there = {option for prompt in asked for option in prompt.values["options"]}
    for option, count in Counter(scorer.values["options"].values()).items():
        if option not in there:
            yield f"{option!r} is no option of a prompt."
        elif count > 1:
            yield f"two labels have the option {option!r}. Give each its own."


def _label_problem(label: str) -> str:
    if label in (OTHER, AMBIGUOUS, *STATES):
        return f"{label!r} means something else here. Choose another label."
    problem = value_problem(label, Key(str, longest=LONGEST_LABEL))
    return f"of the label {label[:40]!r}: {problem}" if problem else ""


def labels(_: Declaration, scorer: Entry) -> Sequence[str]:
    if "options" in scorer.values:
        return *scorer.values["options"], OTHER
    return *scorer.values.get("labels", ()), OTHER, AMBIGUOUS


def reads(_: Declaration, __: Entry, prompt: Entry) -> bool:
    """Whether an option is chosen in the responses to the prompt."""
    return prompt.values.get("answer") in WITH_OPTIONS


def fields(scorer: Mapping[str, Any]) -> Sequence[str]:
    return list(scorer.get("labels", {}).values())


def letters(scorer: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, str | None]:
    """The option of each label: that of the record's letter, or the same for all records."""
    if "options" in scorer:
        return {**scorer["options"]}
    return {label: record.get(name) for label, name in scorer["labels"].items()}


def score(text: str, known: Mapping[str, str | None]) -> tuple[str, float]:
    """The label of the chosen option; its entropy is read from the probabilities of all."""
    return label_of(text, known), math.nan


def label_of(text: str, letters: Mapping[str, str | None]) -> str:
    """The label whose option the text is; `letters` has that of each label."""
    found = [label for label, letter in letters.items() if letter == text]
    if len(found) > 1:
        return AMBIGUOUS
    return found[0] if found else OTHER


def entropy(masses: Iterable[float | None]) -> float | None:
    """Of the options in bits, their probabilities being made to add up to 1; None unless all were returned."""
    known = [mass for mass in masses if mass is not None]
    total = math.fsum(known)
    if not total or len(known) < len(list(masses)):
        return None
    shares = [mass / total for mass in known if mass]
    return round(-math.fsum(share * math.log2(share) for share in shares) + 0.0, DIGITS)
