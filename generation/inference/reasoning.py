"""The marks between which models write their reasoning, where a server leaves it in the text. Pure.

All texts are read here: answers, replies of judge models, of second turns and checks, and of asked forms.
"""

import re
from dataclasses import dataclass

# What an opening without its closing means: a reasoning without an answer, or words of the answer.
REASONING, TEXT = "reasoning", "text"
# Chosen instead of a mark: the text stays whole, and is not held.
SHOWN = "as it is"


@dataclass(frozen=True)
class Mark:
    """One way to mark reasoning. `opening` and `closing` are patterns; the opening stands where the text begins.

    `unclosed`: REASONING or TEXT. `ending`: the pattern of what may close the answer itself.
    """

    name: str
    opening: str
    closing: str
    unclosed: str = REASONING
    ending: str = ""


# Not a word of the same sentence.
_SENTENCE = r"(?=\s*\n|\S|\s+[A-Z\d\"“])"


def _tag(name: str) -> Mark:
    """A tag that is also a word: “<thinking> is a tag” is an answer."""
    return Mark(f"<{name}>", f"<{name}>{_SENTENCE}", f"</{name}>", TEXT)


# The rest of a header of harmony, and its last header where the tokens are gone: the answer follows at once.
_TO = r"(?:[^<]|<\|constrain\|>)*<\|message\|>"
_FINAL = r"assistantfinal(?=[^\s.,;:)\]”\"'’])"
_THINK = Mark("<think>", "<think>", "</think>")
MARKS = (
    _THINK,
    Mark("[THINK]", r"\[THINK\]", r"\[/THINK\]"),
    Mark("◁think▷", "◁think▷", "◁/think▷"),
    # gpt-oss (harmony): with its special tokens, and with only the words between them.
    Mark("<|channel|>", rf"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b{_TO}|(?=<\|channel\|>final)",
         rf"(?:<\|end\|>)?\s{{0,20}}(?:<\|start\|>assistant)?<\|channel\|>final\b{_TO}",
         ending=r"(?:<\|(?:return|end)\|>)+"),
    Mark("analysis … assistantfinal", rf"analysis(?=[A-Z\"“]|[\s\S]*{_FINAL})", _FINAL, TEXT),
    # Cohere, Seed-OSS, Gemma, MedGemma, OpenThinker, Ollama's own words.
    Mark("<|START_THINKING|>", r"<\|START_THINKING\|>", r"<\|END_THINKING\|>(?:\s*<\|START_RESPONSE\|>)?",
         ending=r"<\|END_RESPONSE\|>"),
    Mark("<seed:think>", "<seed:think>", "</seed:think>"),
    Mark("<|channel>thought", r"<\|channel>thought\b", r"<channel\|>"),
    Mark("<unused94>", r"<unused94>(?:thought\b)?", "<unused95>"),
    Mark("<|begin_of_thought|>", r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>(?:\s*<\|begin_of_solution\|>)?",
         ending=r"<\|end_of_solution\|>"),
    Mark("Thinking...", r"Thinking\.\.\.\s*\n", r"\n\s{0,20}\.\.\.done thinking\.", TEXT),
    *map(_tag, ("thinking", "thought", "thoughts", "reasoning")),
)  # fmt: skip
BY_NAME = {mark.name: mark for mark in MARKS}

_WORD = r"(?:think|thought|reason|reflect|scratchpad|monologue|analysis|deliberat|rationale)"
_NAME = rf"[\w:.-]{{0,40}}{_WORD}[\w:.-]{{0,40}}"
# The end of a sentence or a line.
_AFTER = r"(?:[.!?…][\"”)]?|\n)\s{0,20}"
# What looks like reasoning by marks that are in no row of the table, or in a place where the table has none.
_LIKE = tuple(
    re.compile(pattern)
    for pattern in (
        # An unknown tag where the text begins, closed or followed by a sentence.
        rf"\s*<((?i:{_NAME}))>{_SENTENCE}[\s\S]*</\1>\s*\S",
        rf"\s*<(?i:{_NAME})>(?:\s*\n|[A-Z])",
        rf"(?i)\s*([\[{{(◁|]+)\s*{_NAME}\s*[\]}})▷|]+[\s\S]*\1\s*(?:/|end)\s*{_NAME}\s*[\]}})▷|]",
        rf"(?i)\s*<\|/?(?:{_NAME}|start|channel)\|>",
        r"[\s\S]*<\|channel\|>\s*(?:analysis|commentary|final)\b",
        # A closing whose opening the chat template wrote.
        rf"(?i)(?![\s\S]*[<\[◁]{_NAME}[>\]▷])[\s\S]*{_AFTER}(?:</{_NAME}>|\[/{_NAME}\]|◁/{_NAME}▷)\s*\S",
        # The words between harmony's tokens.
        r"\s*analysis[A-Z][a-z]*['’]?[a-z]*\s",
        rf"[\s\S]*{_AFTER}assistant(?:final|analysis|commentary)(?=[^\s.,;:)\]”\"'’])",
    )
)


def parted(
    text: str, *, marks: str = "", opened: bool = False, is_cut: bool = False
) -> tuple[str | None, str]:
    """(answer, reasoning) of a text, the answer None where the reasoning does not end.

    `marks` is the name of the model's own mark, SHOWN, or "" for one that is not chosen; `opened`: the text begins
    within the reasoning; `is_cut`: the token limit cut it off. A text without reasoning is unchanged.
    """
    if marks == SHOWN:
        return text, ""
    own = BY_NAME.get(marks, _THINK)
    answer: str | None = text
    reasoning: list[str] = []
    for mark in (own, *(mark for mark in MARKS if mark is not own)):
        begins = opened and mark is own
        if mark is _THINK:
            answer, thought = _anywhere(answer or "", begins)
        else:
            answer, thought = _at_the_start(mark, answer or "", begins, is_cut)
        reasoning += filter(None, [thought])
        if answer is None:
            break
    return answer, "\n\n".join(reasoning)


def _anywhere(text: str, opened: bool) -> tuple[str | None, str]:
    """The same for <think>, which some models write more than once, and templates begin."""
    opening, closing = _THINK.opening, _THINK.closing
    if opened and not text.lstrip().startswith(opening):
        text = opening + text
    if opening not in text and closing not in text:
        return text, ""
    answer: list[str] = []
    reasoning: list[str] = []
    for number, part in enumerate(text.split(opening)):
        thought, closed, rest = part.rpartition(closing)
        if number and not closed:
            return None, "\n\n".join([*reasoning, rest.strip()])
        answer.append(rest)
        reasoning += filter(None, [thought.strip()])
    return "".join(answer).strip(), "\n\n".join(reasoning)


def _at_the_start(mark: Mark, text: str, opened: bool, is_cut: bool) -> tuple[str | None, str]:
    reasoning: list[str] = []
    rest = text
    while (opening := re.match(rf"\s*(?:{mark.opening})", rest)) or (opened and not reasoning):
        inside = rest[opening.end() :] if opening else rest
        closing = re.search(mark.closing, inside)
        if closing is None:
            if opened or is_cut or mark.unclosed == REASONING:
                return None, "\n\n".join([*reasoning, inside.strip()])
            return text, ""
        reasoning.append(inside[: closing.start()].strip())
        rest = inside[closing.end() :]
    if not reasoning:
        return text, ""
    if mark.ending:
        rest = re.sub(rf"(?:{mark.ending})\s*$", "", rest)
    return rest.strip(), "\n\n".join(filter(None, reasoning))


def found(text: str) -> tuple[str, bool]:
    """(name of the mark in the reply to a test, whether a template wrote its opening); ("", False) without one.

    "" also for <think>, which is read without a choice.
    """
    for mark in MARKS:
        if re.match(rf"\s*(?:{mark.opening})", text):
            return ("" if mark is _THINK else mark.name), False
        if re.search(mark.closing, text) and not re.search(mark.opening, text):
            return ("" if mark is _THINK else mark.name), True
    return "", False


def begins(text: str) -> bool:
    """Whether a text begins with the opening of a mark."""
    return any(re.match(rf"\s*(?:{mark.opening})", text) for mark in MARKS)


def is_held(text: str, marks: str) -> bool:
    """Whether an answer looks like one with reasoning in it, as far as the choice for its model leaves that open."""
    return marks != SHOWN and any(like.match(text) for like in _LIKE)
