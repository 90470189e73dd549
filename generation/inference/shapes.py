"""What a reply's choice says, in the shapes that services send it. Pure.

A message's content is a text, or a list of parts as of OpenAI, Anthropic (through LiteLLM) and Mistral. Any optional
place may be null.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Why a finished response is not an answer of the model.
REFUSED, FILTERED, ABORTED = "refused", "filtered", "aborted"
# The finish reasons that are kept for a reply that a limit cut off: that of tokens, or vLLM's of repetitions.
REPETITION = "repetition"
CUT_OFF = ("length", "max_tokens", REPETITION)
# How services spell finish reasons, in small letters alone: OpenAI's content_filter, Gemini's SAFETY, and so on.
# A reply with any other word broke off: vLLM's and SGLang's abort, error, DeepSeek's insufficient_system_resource.
_ENDED = {
    "stop", "stopsequence", "stopstring", "stopstringfound", "stoptoken", "stopcriteriamet",
    "eos", "eostoken", "eosfound", "eot", "endoftext", "endofturn", "endturn", "end",
    "complete", "completed", "finish", "finished", "done", "normal",
    # Words for no word.
    "null", "none", "unspecified",
}  # fmt: skip
_CUT_OFF = {
    "length", "maxtokens", "maximumtokens", "maxlength", "maxoutputtokens", "modellength", "tokenlimit",
    "modelcontextwindowexceeded", "maxcompletiontokens", "maxnewtokens", "maxpredictedtokensreached",
    "contextlengthreached", "errorlimit",
}  # fmt: skip
_FILTERED = {
    "contentfilter", "contentfiltered", "contentfiltering", "filter", "filtered", "safety", "imagesafety", "recitation",
    "blocklist", "blocked", "prohibitedcontent", "spii", "guardrail", "guardrails", "guardrailintervened", "moderation",
    "contentmoderation", "contentpolicy", "contentpolicyviolation", "policyviolation", "responsibleaipolicyviolation",
    "sensitive", "errortoxic", "datainspectionfailed", "flagged",
}  # fmt: skip
_REFUSED = {"refusal", "refused"}
# Fields of a message in which services keep the reasoning, the usual ones first.
_APART = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks")
# The fields with words of the model.
SAID = ("content", "refusal", *_APART)
# Types of parts, and where else than under "text" or the type's name a part has its words.
_TEXTS, _REFUSALS = ("text", "output_text"), ("refusal",)
_THOUGHTS = (
    "thinking", "reasoning", "reasoning_content", "reasoning_text", "reasoning.text", "reasoning.summary",
    "summary_text", "thought",
)  # fmt: skip
# Parts without words for people: reasoning that is encrypted, and Mistral's numbers of sources.
_HIDDEN = ("redacted_thinking", "reasoning.encrypted", "reference")
_WORDS = ("text", "thinking", "reasoning", "refusal", "value", "content", "summary")


ODD = "The service's answer contains something other than text."


class OddShape(Exception):
    """Not a choice of a chat or a bare completion; with a sentence, one with something else than text in it."""


@dataclass(frozen=True)
class Said:
    """A choice's text (None where there is none), its finding, and the reasoning in a place of its own."""

    text: str | None
    finding: str
    apart: str
    finish_reason: str


def said(choice: Any, *, bare: bool) -> Said:
    """What the choice says; `bare` for one of a completion without a chat. Raises OddShape."""
    if not isinstance(choice, Mapping):
        raise OddShape
    finish_reason, finding = finished(choice.get("finish_reason"))
    named = ("text", "message") if bare else ("message", "text")
    name = next((name for name in named if name in choice), "")
    if not name and not finding:
        raise OddShape
    message = choice.get(name)
    if name == "text":
        message = {"content": message}
    if not isinstance(message, Mapping | None):
        raise OddShape
    text, declined, thought = _read(message or {})
    if not text and declined.strip() and finding != ABORTED:
        text, finding = declined, REFUSED
    return Said(text, finding, thought, finish_reason)


def finished(reason: Any) -> tuple[str, str]:
    """(finish reason in its usual spelling, finding). Raises OddShape where it is no text."""
    if reason is None:
        return "", ""
    if not isinstance(reason, str):
        raise OddShape(ODD)
    if not reason.strip():
        return "", ""
    if reason in CUT_OFF:
        return reason, ""
    # “FinishReason.SAFETY” and “content_filter: OTHER” too.
    plain = re.sub(r"[^a-z]", "", reason.partition(":")[0].rpartition(".")[2].casefold())
    plain = plain.removeprefix("finishreason").removeprefix("stopreason")
    if plain in _CUT_OFF:
        return CUT_OFF[0], ""
    if plain == REPETITION:
        return REPETITION, ""
    if plain in _FILTERED:
        return "content_filter", FILTERED
    if plain in _REFUSED:
        return reason, REFUSED
    return reason, "" if plain in _ENDED else ABORTED


def _read(message: Mapping[str, Any]) -> tuple[str | None, str, str]:
    """(text, refusal, reasoning) of a message."""
    content, refusal = message.get("content"), message.get("refusal")
    texts: list[str] = []
    declined = [refusal] if isinstance(refusal, str) else []
    thoughts: list[str] = []
    read = ((_TEXTS, texts), (_REFUSALS, declined), (_THOUGHTS, thoughts))
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            kind = part.get("type") or "text"
            if kind in _HIDDEN:
                continue
            into = next((into for kinds, into in read if kind in kinds), None)
            if into is None or not any(word in part for word in _WORDS):
                raise OddShape(ODD)
            into.append(_words(part))
        elif part is not None:
            raise OddShape(ODD)
    apart = next(filter(None, (_words(message.get(name)) for name in _APART)), "")
    # Some services say the same in both places.
    reasoning = dict.fromkeys(filter(None, (apart, "".join(thoughts))))
    return "".join(texts) if texts else None, "".join(declined), "\n\n".join(reasoning)


def _words(value: Any) -> str:
    """The words of a text, of a part, or of a list of both; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(_words, value))
    if isinstance(value, Mapping) and value.get("type") not in _HIDDEN:
        return next(filter(None, (_words(value.get(word)) for word in _WORDS)), "")
    return ""
