"""The answer in a model's reply, as its prompt declares where that stands. Pure."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

# What of a reply is its answer.
WHOLE, FIRST_LINE, LAST_LINE = EXTRACTS = ("whole", "first line", "last line")
# The keys of a prompt that say how its answer is read.
READING = ("extract", "after", "abstain")
# A word with the hyphens and apostrophes in it: "No-one" is not "no".
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


class Answer(NamedTuple):
    """The text that is scored, "" of an abstention. `unread`: the reply does not have what the prompt asked for."""

    text: str = ""
    abstained: bool = False
    unread: bool = False


def answer_of(reply: str, prompt: Mapping[str, Any], check_reply: str | None = None) -> Answer:
    """The answer by the prompt's `extract`, `after` and `abstain`, without blanks round it, as its check left it.

    `after` is looked for as it is written, and its last place counts. Without it, or with nothing after it, the reply
    is unread. An answer that begins with `abstain`, as it is written, is an abstention.
    A reply to the check that begins with the word no makes it one, and it stays after a yes; else it is unread.
    """
    answer = _answer_in(reply, prompt)
    if check_reply is None or answer.abstained or answer.unread:
        return answer
    first = _WORD.search(check_reply)
    said = first[0].casefold() if first else ""
    return answer if said == "yes" else Answer(abstained=said == "no", unread=said != "no")


def _answer_in(reply: str, prompt: Mapping[str, Any]) -> Answer:
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
