"""The answer in a model's reply, as its prompt declares where that stands. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

# What of a reply is its answer.
WHOLE, FIRST_LINE, LAST_LINE = EXTRACTS = ("whole", "first line", "last line")
# The keys of a prompt that say how its answer is read.
READING = ("extract", "after", "abstain")


class Answer(NamedTuple):
    """The text that is scored, "" of an abstention. `unread`: the reply does not have what the prompt asked for."""

    text: str = ""
    abstained: bool = False
    unread: bool = False


def answer_of(reply: str, prompt: Mapping[str, Any]) -> Answer:
    """The answer by the prompt's `extract`, `after` and `abstain`, without blanks round it.

    `after` is looked for as it is written, and its last place counts. Without it, or with nothing after it, the reply
    is unread. An answer that begins with `abstain`, as it is written, is an abstention.
    """
    marker, abstain = prompt.get("after"), prompt.get("abstain")
    _, found, answer = reply.rpartition(marker) if marker else ("", "", reply)
    answer = answer.strip()
    if marker and not (found and answer):
        return Answer(unread=True)
    if answer and prompt.get("extract") in (FIRST_LINE, LAST_LINE):
        lines = answer.splitlines()
        answer = lines[0 if prompt["extract"] == FIRST_LINE else -1].strip()
    if abstain and answer.startswith(abstain):
        return Answer(abstained=True)
    return Answer(answer)


def reading_words(prompt: Mapping[str, Any]) -> str:
    """As "the first line after the last “Answer:”; what begins with “None” is an abstention"; "" of a whole reply."""
    extract, marker, abstain = (prompt.get(name, "") for name in READING)
    part = "" if extract == WHOLE else extract
    where = f"after the last “{marker}”" if marker else ""
    first = " ".join(filter(None, [f"the {part}" if part else "what stands" * bool(where), where]))
    none = f"what begins with “{abstain}” is an abstention" if abstain else ""
    return "; ".join(filter(None, [first, none]))
