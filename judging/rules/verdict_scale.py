"""The scale of a rubric: its verdicts from worst to best, with their labels and tones. Pure.

A rubric declares each verdict as {"key", "label"}, and may add "tone" and "best". Without them the order says both:
the last verdict is best and good, the first bad, any between middling. Reports hold the same entries. Where the rubric
says that its verdicts have no order, none is best, and all are neutral. The scale also says which kappa reports put
forward.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# What a verdict says of a response, for the colours of badges and charts.
TONES = GOOD, MIDDLING, BAD = "good", "middling", "bad"
NEUTRAL = "neutral"
FEWEST, MOST = 2, 6
LONGEST_KEY, LONGEST_LABEL = 20, 40
# Weights of kappa, as evaluation/statistics computes it.
UNWEIGHTED, LINEAR, QUADRATIC = "none", "linear", "quadratic"
# Up to three ordered labels are compared as the published studies do: without weights.
FEWEST_WEIGHTED = 4
# Keys stand in ids and selectors, so no two may differ in case or punctuation alone.
_KEY = re.compile("[a-z0-9]+( [a-z0-9]+)*")
# What lists of responses and reports call a missing verdict, and any verdict.
RESERVED = {"none", "labelled", "unlabelled", "incomplete", "replied", "unparsed"}


@dataclass(frozen=True)
class Verdict:
    """One verdict: `key` as stored, `label` as shown."""

    key: str
    label: str
    tone: str


@dataclass(frozen=True)
class VerdictScale:
    """`verdicts` run from worst to best; `best` is the key of the one that reports compare by.

    Without an order they stand as declared, and `best` is "". `weights` are those of the kappa that is put forward.
    """

    verdicts: tuple[Verdict, ...]
    best: str
    weights: str = UNWEIGHTED

    def __getitem__(self, key: str) -> Verdict:
        """Raises KeyError for a verdict that the scale does not have."""
        return {verdict.key: verdict for verdict in self.verdicts}[key]

    @property
    def keys(self) -> list[str]:
        return [verdict.key for verdict in self.verdicts]

    @property
    def labels(self) -> dict[str, str]:
        return {verdict.key: verdict.label for verdict in self.verdicts}

    @property
    def is_ordered(self) -> bool:
        return bool(self.best)

    @property
    def offered(self) -> tuple[Verdict, ...]:
        """The order of the buttons and of the keys 1, 2, 3, …: the best first, or as declared."""
        return self.verdicts[::-1] if self.is_ordered else self.verdicts


def headline_weights(labels: int, *, is_ordered: bool, wanted: str = "") -> str:
    """The weights of the kappa that is put forward for a scale of so many labels.

    None where they have no order, or are three or fewer; else linear, unless quadratic is wanted (Cohen 1968).
    """
    return (wanted or LINEAR) if is_ordered and labels >= FEWEST_WEIGHTED else UNWEIGHTED


def declared_scale(
    entries: Sequence[Mapping[str, Any]], is_ordered: bool = True, weights: str = ""
) -> VerdictScale:
    """The scale that these entries declare, with the weights wanted; raises ValueError with what is wrong."""
    if not is_ordered:
        if any(entry.get("tone") or entry.get("best") for entry in entries):
            raise ValueError("Verdicts without an order have no tone, and none is best.")
        entries = [{**entry, "tone": NEUTRAL} for entry in entries]
    last = len(entries) - 1
    verdicts = tuple(
        Verdict(entry["key"], entry["label"], entry.get("tone") or _tone_at(place, last))
        for place, entry in enumerate(entries)
    )
    best = [entry["key"] for entry in entries if entry.get("best")] or [entries[-1]["key"]]
    headline = headline_weights(len(entries), is_ordered=is_ordered, wanted=weights)
    if weights and headline != weights:
        raise ValueError(
            f"Weights are for {FEWEST_WEIGHTED} or more verdicts with an order: others are compared without. "
            "Leave weights out."
        )
    scale = VerdictScale(verdicts, best[0] if is_ordered else "", headline)
    if not FEWEST <= len(entries) <= MOST or len(set(scale.keys)) < len(entries):
        raise ValueError(f"A rubric needs {FEWEST} to {MOST} verdicts, each named once.")
    if len(best) > 1:
        raise ValueError("A rubric has one best verdict.")
    for verdict in verdicts:
        key = verdict.key
        if not _KEY.fullmatch(key) or len(key) > LONGEST_KEY or key in RESERVED:
            raise ValueError(
                f"A verdict's key has 1 to {LONGEST_KEY} characters: lower-case letters a to z, digits, and single "
                f"spaces between words. It is none of: {', '.join(sorted(RESERVED))}. It is {key!r}."
            )
        if verdict.tone not in (*TONES, *([] if is_ordered else [NEUTRAL])):
            raise ValueError(
                f"{verdict.tone!r} is not a tone of a verdict. Use one of: {', '.join(TONES)}."
            )
    for problem in label_problems(scale.labels).values():
        raise ValueError(problem)
    return scale


def label_problems(labels: Mapping[str, str]) -> dict[str, str]:
    """By key: why the label of that verdict cannot be used. `labels` are by key."""
    problems: dict[str, str] = {}
    keys, earlier = set(labels), set[str]()
    for key, label in labels.items():
        said = plain_words(label)
        if label != label.strip() or not 0 < len(label) <= LONGEST_LABEL:
            problems[key] = (
                f"A label has 1 to {LONGEST_LABEL} characters, without spaces at its ends. It is {label!r}."
            )
        elif said in earlier:
            problems[key] = "Two verdicts have the same label. Judges could not tell them apart."
        elif said in keys - {key}:
            problems[key] = (
                f"“{label}” is the key of another verdict. A judge model's reply would be read as that one."
            )
        earlier.add(said)
    return problems


def plain_words(text: str) -> str:
    """A label or key as replies of judge models are compared with it: in lower case, without a full stop."""
    return " ".join(text.split()).removesuffix(".").rstrip().lower()


def _tone_at(place: int, last: int) -> str:
    return {0: BAD, last: GOOD}.get(place, MIDDLING)
