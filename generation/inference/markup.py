"""What models write round their answers: marks of reasoning, special tokens, wrappers, phrases. One table. Pure.

It names the model's family and shows its reasoning, so no judge is to read it. What surely is markup is taken off, and
what may be holds the text. All texts are read here: answers, replies of judge models, of second turns and checks, of
asked forms, and responses made elsewhere.
"""

import re
from dataclasses import dataclass

# What an opening without its closing means: a reasoning without an answer, or words of the answer.
REASONING, TEXT = "reasoning", "text"
# Chosen instead of a mark: the text stays whole, and is not held.
SHOWN = "as it is"


# ---------------------------------------------------------------- marks of reasoning


@dataclass(frozen=True)
class Mark:
    """One way to mark reasoning. `opening` and `closing` are patterns; the opening stands where the text begins.

    `unclosed`: REASONING or TEXT.
    """

    name: str
    opening: str
    closing: str
    unclosed: str = REASONING


# Not a word of the same sentence.
_SENTENCE = r"(?=\s*\n|\S|\s+[A-Z\d\"“])"


def _tag(name: str) -> Mark:
    """A tag that is also a word: “<thinking> is a tag” is an answer."""
    return Mark(f"<{name}>", f"<{name}>{_SENTENCE}", f"</{name}>", TEXT)


# The rest of a header of harmony, and its last header where the tokens are gone: the answer follows at once.
_TO = r"(?:[^<]|<\|constrain\|>)*<\|message\|>"
_FINAL = r"assistantfinal(?=[^\s.,;:)\]”\"'’])"
# Granite's phrases.
_HERE = r"[Hh]ere(?:['’]s| is) my"
_RESPONSE = rf"{_HERE} response:"
_THINK = Mark("<think>", "<think>", "</think>")
MARKS = (
    _THINK,
    Mark("[THINK]", r"\[THINK\]", r"\[/THINK\]"),
    Mark("◁think▷", "◁think▷", "◁/think▷"),
    # gpt-oss (harmony): with its special tokens, and with only the words between them.
    Mark("<|channel|>", rf"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b{_TO}|(?=<\|channel\|>final)",
         rf"(?:<\|end\|>)?\s{{0,20}}(?:<\|start\|>assistant)?<\|channel\|>final\b{_TO}"),
    Mark("analysis … assistantfinal", rf"analysis(?=[A-Z\"“]|[\s\S]*{_FINAL})", _FINAL, TEXT),
    # Cohere, Seed-OSS, Gemma, MedGemma, OpenThinker, Granite, Ollama's own words.
    Mark("<|START_THINKING|>", r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    Mark("<seed:think>", "<seed:think>", "</seed:think>"),
    Mark("<|channel>thought", r"<\|channel>thought\b", r"<channel\|>"),
    Mark("<unused94>", r"<unused94>(?:thought\b)?", "<unused95>"),
    Mark("<|begin_of_thought|>", r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    Mark("Here is my thought process:", rf"{_HERE} thought process:", _RESPONSE, TEXT),
    Mark("Thinking...", r"Thinking\.\.\.\s*\n", r"\n\s{0,20}\.\.\.done thinking\.", TEXT),
    *map(_tag, ("thinking", "thought", "thoughts", "reasoning")),
)  # fmt: skip
BY_NAME = {mark.name: mark for mark in MARKS}


# ---------------------------------------------------------------- special tokens and wrappers

# Tokens that end a turn, taken off where a text ends: ChatML, Llama, Phi, Gemma, Command, DeepSeek, GLM and others.
_ENDS = re.compile(
    r"(?:<[|｜](?:im_end|im_start|endoftext|end_of_text|eot_id|eom_id|eot|eom|end|return|END_OF_TURN_TOKEN|END_RESPONSE"
    r"|END_TEXT|end_of_turn|endofturn|end_of_solution|assistant_end|end[▁_]of[▁_]sentence|eos|EOS|EOT|user|observation"
    r"|separator)[|｜]>|</?s>|<(?:eos|pad|EOS_TOKEN|end_of_turn|eoa|eop|eot)>|<turn\|>|\[(?:EOS|EOT|/?INST)\]"
    r"|\[\|endofturn\|\]|\[UNUSED_TOKEN_145\])\Z"
)
_LONGEST = 40
# Tokens and headers that begin one, taken off where a text begins. <s> is struck text in HTML, if </s> comes before
# the end.
_BEGINS = re.compile(
    r"\A\s*<s>(?![\s\S]*</s>)|\s*(?:<(?:bos|BOS_TOKEN|sop)>|\[(?:gMASK|/INST|BOS)\]|\[\|assistant\|\]"
    r"|<[|｜](?:begin_of_text|startoftext|start_of_text|begin[▁_]of[▁_]sentence|bos|assistant|Assistant|assistant_start"
    r"|START_OF_TURN_TOKEN|CHATBOT_TOKEN|START_RESPONSE|START_TEXT|begin_of_solution)[|｜]>"
    r"|<\|im_start\|>(?:assistant\b)?|<\|im_assistant\|>assistant<\|im_middle\|>|<start_of_turn>(?:model\b)?"
    r"|<\|turn>model\b|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|header_start\|>assistant<\|header_end\|>"
    r"|<\|start_of_role\|>assistant<\|end_of_role\|>)"
)
# GLM marks the answer within its sentence.
_BOX = re.compile(r"<\|begin_of_box\|>((?:(?!<\|(?:begin|end)_of_box\|>)[\s\S])*)<\|end_of_box\|>")
# Tags round the whole answer, one of which a template or a stop sequence may have kept; and LaTeX's box.
_TAGS = r"(?i:(?:final[_-]?)?(?:answer|response|output|solution|result))"
_OPENING = re.compile(rf"<({_TAGS})>(?P<is_sentence>{_SENTENCE})?")
_CLOSING = re.compile(rf"</({_TAGS})>\Z")
_BOXED = re.compile(
    r"(?:\$\$?|\\[\[(])?\s?\\boxed\{(?:\\text\{([^{}]*)\}|([^{}]*))\}\.?\s?(?:\$\$?|\\[\])])?\.?\Z"
)
# What stands before a token that follows a blank, if it is no word of the sentence: “the token is </s>” is an answer.
_SENTENCE_ENDS = '.!?…。！？"”’)]»'


# ---------------------------------------------------------------- what holds a text

_WORD = r"(?:think|thought|reason|reflect|scratchpad|monologue|analysis|deliberat|rationale)"
_NAME = rf"[\w:.-]{{0,40}}{_WORD}[\w:.-]{{0,40}}"
# The end of a sentence or a line.
_AFTER = r"(?:[.!?…][\"”)]?|\n)\s{0,20}"
# What looks like markup in no row of the table, or in a place where the table has none.
_LIKE = tuple(
    re.compile(pattern)
    for pattern in (
        # An unknown tag of reasoning where the text begins, closed or followed by a sentence.
        rf"\A\s*<((?i:{_NAME}))>{_SENTENCE}[\s\S]*</\1>\s*\S",
        rf"\A\s*<(?i:{_NAME})>(?:\s*\n|[A-Z])",
        rf"(?i)\A\s*([\[{{(◁|]+)\s*{_NAME}\s*[\]}})▷|]+[\s\S]*\1\s*(?:/|end)\s*{_NAME}\s*[\]}})▷|]",
        # A closing whose opening the chat template wrote.
        rf"(?i)\A(?![\s\S]*[<\[◁]{_NAME}[>\]▷])[\s\S]*{_AFTER}(?:</{_NAME}>|\[/{_NAME}\]|◁/{_NAME}▷)\s*\S",
        # The words between harmony's tokens.
        r"\A\s*analysis[A-Z][a-z]*['’]?[a-z]*\s",
        rf"\A[\s\S]*{_AFTER}assistant(?:final|analysis|commentary)(?=[^\s.,;:)\]”\"'’])",
        # Any special token, of any name; DeepSeek has wide bars, Gemma one bar.
        r"<[|｜][^\n]{0,200}?[|｜]>",
        r"<\|[A-Za-z]\w{0,40}>|<[A-Za-z]\w{0,40}\|>",
        r"<(?:start_of_turn|end_of_turn|[be]os|[BE]OS_TOKEN|[se]op|eo[aht]|pad|unk|unused\d+|extra_id_\d+|tool_calls?"
        r"|0x[0-9A-F]{2}|/?co(?:: ?[\d, ]+)?)>|<<SYS>>"
        r"|\[(?:/?INST|EO[ST]|BOS|gMASK|UNUSED_TOKEN_\d+)\]|\[\|\w{1,20}\|\]",
        # </s> that follows a word or ends the text, without the <s> of struck text.
        r"\A(?![\s\S]*<s>)[\s\S]*(?:[^\s`\"“'‘(]</s>|</s>\s*\Z)",
        # A tag of a wrapper, or a box, within the text.
        rf"(?:\A|\n)\s{{0,20}}<{_TAGS}>{_SENTENCE}|[^\s`]</{_TAGS}>|</{_TAGS}>\s*\Z",
        r"\\boxed\{",
        # Granite's phrases, and headers of turns: of which the tokens are gone, and as Alpaca and Vicuna have them.
        rf"(?:\A\s*|{_AFTER})(?:{_HERE} (?:thought process|response):|(?:assistant|user|model) ?\n)",
        r"(?:\A|\n)\s{0,20}(?:### (?:Instruction|Input|Response|Human|User|Assistant|System):"
        r"|(?:Human|USER|ASSISTANT): )",
    )
)  # fmt: skip


# ---------------------------------------------------------------- reading a text


def parted(
    text: str, *, marks: str = "", opened: bool = False, is_cut: bool = False
) -> tuple[str | None, str]:
    """(answer, reasoning) of a text, the answer None where the reasoning does not end.

    `marks` is the name of the model's own mark, SHOWN, or "" for one that is not chosen; `opened`: the text begins
    within the reasoning; `is_cut`: a limit cut it off. A text without markup is unchanged.
    """
    if marks == SHOWN:
        return text, ""
    own = BY_NAME.get(marks, _THINK)
    answer: str | None = bare(text)
    reasoning: list[str] = []
    for mark in (own, *(mark for mark in MARKS if mark is not own)):
        begins = opened and mark is own
        if mark is _THINK:
            answer, thought = _anywhere(answer or "", begins)
        else:
            answer, thought = _at_the_start(mark, answer or "", begins, is_cut)
        reasoning += filter(None, [thought])
        if answer is None:
            return None, "\n\n".join(reasoning)
    if reasoning:
        answer = re.sub(rf"\A\s*{_RESPONSE}\s*", "", answer or "")
    return bare(answer or ""), "\n\n".join(reasoning)


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
    return rest.strip(), "\n\n".join(filter(None, reasoning))


def bare(text: str) -> str:
    """The text without tokens and wrappers round it; unchanged where it has none."""
    inner = _BOX.sub(r"\1", text).strip()
    # A wrapper may have tokens round it and within it.
    for step in (_without_tokens, _unwrapped, _without_tokens):
        inner = step(inner).strip()
    return text if inner == text.strip() else inner


def _without_tokens(text: str) -> str:
    start, end, first = 0, len(text), len(text)
    while token := _ENDS.search(text, max(0, end - _LONGEST), end):
        end = first = token.start()
        while end and text[end - 1].isspace():
            end -= 1
    gap, before = text[end:first], text[:end]
    is_word = gap and "\n" not in gap and before and before[-1] not in _SENTENCE_ENDS
    is_struck = text.startswith("</s>", first) and "<s>" in before[1:]
    if is_word or is_struck:
        end = len(text)
    while token := _BEGINS.match(text, start, end):
        start = token.end()
    return text[start:end]


def _unwrapped(text: str) -> str:
    """The text within a tag or a box that is round all of it."""
    if boxed := _BOXED.match(text):
        return boxed[1] or boxed[2] or ""
    opening, closing = _OPENING.match(text), _CLOSING.search(text, max(0, len(text) - _LONGEST))
    inner = text[opening.end() if opening else 0 : closing.start() if closing else len(text)]
    names = {tag[1].casefold() for tag in (opening, closing) if tag}
    if len(names) != 1 or re.search(f"(?i)</?{names.pop()}>", inner):
        return text
    if not closing:
        return inner if opening and opening["is_sentence"] is not None else text
    is_apart = inner[-1:] in (" ", "\t", "`", "")
    return inner if opening or not is_apart else text


def found(text: str) -> tuple[str, bool]:
    """(name of the mark in the reply to a test, whether a template wrote its opening); ("", False) without one.

    "" also for <think>, which is read without a choice.
    """
    text = bare(text)
    for mark in MARKS:
        if re.match(rf"\s*(?:{mark.opening})", text):
            return ("" if mark is _THINK else mark.name), False
        is_phrase = mark.closing == _RESPONSE  # no template writes the other one
        if not is_phrase and re.search(mark.closing, text) and not re.search(mark.opening, text):
            return ("" if mark is _THINK else mark.name), True
    return "", False


def begins(text: str) -> bool:
    """Whether a text begins with the opening of a mark."""
    return any(re.match(rf"\s*(?:{mark.opening})", text) for mark in MARKS)


def is_held(text: str, marks: str) -> bool:
    """Whether a text looks like one with markup in it, as far as the choice for its model leaves that open."""
    return marks != SHOWN and any(like.search(text) for like in _LIKE)
