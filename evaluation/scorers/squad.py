"""The scorer `squad`: exact match and F1 by the rules of the SQuAD 2.0 evaluation script. Pure.

Source: evaluate-v2.0.py of Rajpurkar, Jia and Liang 2018. Letters become small, ASCII punctuation is dropped, then the
words a, an and the, and blanks are folded. Golds of which nothing is left are dropped; where none is left, the gold is
the empty text. A response has its best score over all golds. An abstention is the empty text.
"""

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.statistics.measures import RIGHT, WRONG
from protocols.declaration import Declaration, DeclarationProblem, Entry, FieldType
from protocols.entry_keys import Key

KEYS = {
    "gold": Key(
        list,
        is_required=True,
        about="Of squad and alias: the fields with the right answers, texts or lists. Where a record has none, "
        "abstaining is right.",
    )
}
_ANSWERS = ("text", "span")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def problems(declaration: Declaration, scorer: Entry) -> Iterator[DeclarationProblem]:
    for name in scorer.values["gold"]:
        field = declaration.fields.get(name)
        if field is None or field.type == FieldType.LETTER:
            yield scorer.problem(f"{name!r} is no field that is a text or a list.", "gold")


def labels(_: Declaration, __: Entry) -> Sequence[str]:
    return RIGHT, WRONG


def fields(scorer: Mapping[str, Any]) -> Sequence[str]:
    """Those of a record that decide the label."""
    found: list[str] = scorer["gold"]
    return found


def reads(_: Declaration, __: Entry, prompt: Entry) -> bool:
    """Whether the answer to the prompt is a text that a model writes."""
    return prompt.values.get("answer", _ANSWERS[0]) in _ANSWERS


def golds(scorer: Mapping[str, Any], record: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What is left of the golds, each once; None for a record that has none of their fields."""
    given = [record[name] for name in scorer["gold"] if record.get(name) is not None]
    if not given:
        return None
    texts = (text for value in given for text in ([value] if isinstance(value, str) else value))
    return tuple(dict.fromkeys(filter(None, map(normalised, texts)))) or ("",)


def counted(scorer: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Counter[str]] | None:
    """The golds, each with its words."""
    found = golds(scorer, record)
    return None if found is None else {text: Counter(text.split()) for text in found}


def score(text: str, known: Mapping[str, Counter[str]]) -> tuple[str, float]:
    """Right where the text is one of the golds, and its F1."""
    given = normalised(text)
    words = Counter(given.split())
    return RIGHT if given in known else WRONG, max(f1(words, gold) for gold in known.values())


def normalised(text: str) -> str:
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def f1(given: Counter[str], gold: Counter[str]) -> float:
    """Of the words that both have, each as often as both have it; where either is empty, whether both are."""
    if not given or not gold:
        return float(given == gold)
    common = sum(min(given[word], gold[word]) for word in given.keys() & gold.keys())
    return 2 * common / (given.total() + gold.total())
