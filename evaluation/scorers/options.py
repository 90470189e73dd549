"""The scorer `option`: the option that a response chose, against the letters of its record. Pure."""

import math
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
        is_required=True,
        about=f"Of option: label = letter field. Another letter is {OTHER}; one that two labels share is {AMBIGUOUS}.",
    )
}


def problems(declaration: Declaration, scorer: Entry) -> Iterator[DeclarationProblem]:
    given = scorer.values["labels"]
    if not given or (problem := texts_problem(given)):
        yield scorer.problem(problem if given else "name a label and its field.", "labels")
        return
    for label, name in given.items():
        field = declaration.fields.get(name)
        if field is None or field.type != FieldType.LETTER:
            yield scorer.problem(f"{name!r} is no field that is a letter.", "labels")
        if label in (OTHER, AMBIGUOUS, *STATES):
            message = f"{label!r} means something else here. Choose another label."
            yield scorer.problem(message, "labels")
        elif problem := value_problem(label, Key(str, longest=LONGEST_LABEL)):
            yield scorer.problem(f"of the label {label[:40]!r}: {problem}", "labels")


def labels(_: Declaration, scorer: Entry) -> Sequence[str]:
    return *scorer.values["labels"], OTHER, AMBIGUOUS


def reads(_: Declaration, __: Entry, prompt: Entry) -> bool:
    """Whether an option is chosen in the responses to the prompt."""
    return prompt.values.get("answer") in WITH_OPTIONS


def fields(scorer: Mapping[str, Any]) -> Sequence[str]:
    return list(scorer["labels"].values())


def letters(scorer: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, str | None]:
    """That of each label."""
    return {label: record.get(name) for label, name in scorer["labels"].items()}


def score(text: str, known: Mapping[str, str | None]) -> tuple[str, float]:
    """The label of the chosen option; its entropy is read from the probabilities of all."""
    return label_of(text, known), math.nan


def label_of(text: str, letters: Mapping[str, str | None]) -> str:
    """The label whose letter the text is; `letters` has that of each label."""
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
