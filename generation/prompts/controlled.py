"""Whether a reply has the form that its prompt asks for. Pure.

Source: Hypotheticals (Basmov, Goldberg and Tsarfaty), Appendix C: "We only accept model responses matching a context
span or starting with 'None' […]. Responses with different formats are rejected, and the model is asked to try again.
If, after 15 attempts, the model fails to provide a suitable answer, the question is labeled as 'skipped.'"

The paper names no normalisation, so a reply has the form or not as it is written: case, a final full stop and quotation
marks count. Ignored are only blanks and line breaks round the reply and their number within it, and in which of two
equivalent ways Unicode writes a letter (NFC).
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from generation.prompts.answers import answer_of
from generation.prompts.prompting import Form, Prompt, folded

# The finding on a response whose replies never had the form.
SKIPPED = "skipped"
# How a reply begins that says that the passages have no answer, where the prompt declares nothing else.
NONE = "None"
# Marks that are of a word or number between letters or digits.
_JOINS = ".,'’"


@dataclass(frozen=True)
class WantedForm:
    """The form of a reply: a span of one of the passages `of`, or one of the options `of`.

    It is asked up to `times`. `alike`: that is once, because the model would answer the same again. `reading` says
    where in the reply the answer stands, which has the form (answers.py).
    """

    form: Form
    of: Sequence[str]
    times: int
    alike: bool = False
    reading: Mapping[str, str] = field(default_factory=dict)

    def has(self, text: str) -> bool:
        """Whether a reply with this text has the form."""
        answer = answer_of(text, self.reading)
        if answer.abstained or answer.unread:
            return answer.abstained
        reply = folded(answer.text)
        options = [folded(option) for option in self.of]
        if self.form == Form.OPTION:
            return _chooses_one(reply, options)
        none = self.reading.get("abstain") or NONE
        return reply.startswith(none) or any(is_part(reply, passage) for passage in options)

    def verb(self, text: str, asking: int) -> str:
        """What follows this reply, the one after `asking` others: "finish", "repeat", or "skip" after the last."""
        if self.has(text):
            return "finish"
        return "repeat" if asking + 1 < self.times else "skip"

    def reason(self, asking: int) -> str:
        """Why the response is skipped after so many others."""
        if self.alike:
            return (
                "The reply does not have the asked form. The model's options make its replies to one text the same, "
                "so it was asked once."
            )
        return f"No reply had the asked form. Times asked: {asking + 1}."


def wanted(
    prompt: Prompt, shown: Sequence[str], options: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The fields of WantedForm for a model with these options, shown these passages; None for a free text."""
    if prompt.times is None:  # prompting.parse: a controlled form has times, and no other has
        return None
    of = shown if prompt.form == Form.SPAN else prompt.options
    alike = is_greedy(options) and not prompt.insist
    times = 1 if alike else prompt.times
    asked = WantedForm(prompt.form, list(of), times, alike and prompt.times > 1, prompt.reading)
    return {name: value for name, value in asdict(asked).items() if value != {}}


def is_greedy(options: Mapping[str, Any]) -> bool:
    """Whether a model with these options answers the same text in the same way."""
    return (
        options.get("temperature") == 0
        or options.get("top_p") == 0
        or options.get("top_k") == 1
        or options.get("do_sample") is False
    )


def varied(options: Mapping[str, Any], asking: int) -> dict[str, Any]:
    """The options of a call after `asking` others: a seed grows with it, since the same one brings the same reply."""
    seed = options.get("seed")
    return {**options, "seed": seed + asking} if asking and isinstance(seed, int) else {**options}


def is_part(of: str, text: str) -> bool:
    """Whether one text is in another, and cuts no word or number there at its ends."""
    start = text.find(of) if of else -1
    while start >= 0:
        if not any(_goes_on(text, place) for place in (start, start + len(of))):
            return True
        start = text.find(of, start + 1)
    return False


def _goes_on(text: str, place: int) -> bool:
    """Whether a word or number goes on from before this place to after it."""
    return _is_inside(text, place - 1) and _is_inside(text, place)


def _is_inside(text: str, place: int) -> bool:
    """Whether the character is of a word or number, as the marks in "3.5", "1,195" and "don't" are."""
    around = text[max(place - 1, 0) : place + 2]
    if not 0 < place < len(text) - 1 or around[1] not in _JOINS:
        return 0 <= place < len(text) and _is_of_word(text[place])
    kinds = {unicodedata.category(mark)[0] for mark in (around[0], around[2])}
    return kinds == ({"N"} if around[1] in ".," else {"L"})


def _is_of_word(mark: str) -> bool:
    """Whether words are made of such characters; ideographs and kana are words of their own."""
    return unicodedata.category(mark)[0] in "LNM" and unicodedata.east_asian_width(mark) not in "WF"


def _chooses_one(reply: str, options: Sequence[str]) -> bool:
    """Whether the reply is one option, as "A", "(A)", "A.", "A)", "A:", or one of the last four before other text.

    The text after it neither has another option in one of these four ways, nor is or ends with one as a whole word.
    """
    if reply in options:
        return True
    marked = {
        option: rf"(?:\({re.escape(option)}\)\.?|{re.escape(option)}[.):])" for option in options
    }
    chosen = [option for option in options if re.match(rf"{marked[option]}(?: |\Z)", reply)]
    others = [option for option in options if option not in chosen]
    ways = [
        *(marked[option] for option in others),
        *(rf"{re.escape(option)}(?=\W*\Z)" for option in others),
    ]
    return len(chosen) == 1 and not (
        others and re.search(rf"(?<!\w)(?:{'|'.join(ways)})(?!\w)", reply)
    )
