"""Option scores: how probable each option of a prompt is as the model's next token. Pure.

Source: ConflictBank (Su et al. 2024), whose answer to a question of multiple choice is the option token of the highest
probability. Formats: OpenAI's `logprobs` of POST /v1/completions (a dict of tokens) and of /v1/chat/completions (a list
of tokens), which llama.cpp also answers to /v1/completions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from generation.inference import chat, faults, markup, service_errors, shapes

# How a service gives log-probabilities: after the bare text, or as the first token of a chat's reply.
COMPLETIONS, CHAT = "completions", "chat"
# The most tokens that services return with their log-probabilities; OpenAI's completions return five.
ALTERNATIVES = (20, 5)
CANNOT = (
    "The service gives no log-probabilities for this model, as far as its last test shows, so no option can be scored. "
    "Test the model again on the page of models, or leave it out of runs with such prompts."
)
NONE = (
    "The service's reply has no log-probabilities, so no option can be scored. Test the model again on the page of "
    "models, or leave it out of runs with such prompts."
)
REASONS = (
    "The model reasons before it answers, so its next token is no option and cannot be scored. Ask it with a prompt "
    "whose answer is a text."
)
# Rounding of 16-bit numbers may bring a sum of probabilities a little over 1.
_ROUNDING = 1e-3
# How many tokens may be the same option: with and without a blank, with and without a bracket before it.
_SPELLINGS = 4


def ways(options: Mapping[str, Any], abilities: chat.Abilities) -> Sequence[str]:
    """How a model with these options may be asked, the preferred way first.

    A bare completion has no place for a system message, so a model with one is asked in its chat alone. Where the
    chat's template begins a reasoning, the next token belongs to that.
    """
    bare = [] if options.get(chat.SYSTEM_MESSAGE) else [COMPLETIONS]
    has_chat = not (abilities.completions or abilities.opens_reasoning)
    return [*bare, CHAT] if has_chat else bare


def body(
    model_id: str,
    options: Mapping[str, Any],
    text: str,
    abilities: chat.Abilities = chat.USUAL,
    before: Sequence[str] = (),
    scored: Sequence[str] = (),
) -> dict[str, Any]:
    """The request of chat.body, or where options are `scored` that for one token at temperature 0.

    The model's other options stay as they are.
    """
    if not scored:
        return chat.body(model_id, options, text, abilities, before)
    asked = {**options, "temperature": 0, chat.MAX_TOKENS: 1}
    if abilities.scores == COMPLETIONS:
        able = chat.Abilities(completions=True)
        return chat.body(model_id, {**asked, "logprobs": abilities.alternatives}, text, able)
    asked |= {"logprobs": True, "top_logprobs": abilities.alternatives}
    return chat.body(model_id, asked, text, replace(abilities, completions=False))


def choose(
    choice: Mapping[str, Any], text: str | None, thought: str, status: int, options: Sequence[str]
) -> tuple[str, dict[str, float | None]]:
    """The likeliest option, "" where none surely is, and the probability of each; None for one not returned.

    `choice` is the reply's, `text` its text, `thought` its reasoning. Raises WrongShape.
    """
    entries = _entries(choice, status)
    apart = markup.begins(text or "") or markup.parted(text or "")[1]
    if thought or apart or _is_hidden(choice, text):
        raise faults.WrongShape(REASONS, status=status)
    _check(entries, options, status)
    masses = {option: _mass(entries, option) for option in options}
    if sum(filter(None, masses.values())) > 1 + _ROUNDING:
        raise _unusable("their probabilities add up to more than 1", status)
    return likeliest(masses, [math.exp(logprob) for _, logprob in entries]), masses


def likeliest(masses: Mapping[str, float | None], returned: Sequence[float]) -> str:
    """The option with the highest probability; "" where none has any, several have the same, or a missing one may.

    `returned` are the probabilities of all tokens in the reply.
    """
    most = max(filter(None, masses.values()), default=0.0)
    first = [option for option, mass in masses.items() if mass == most]
    if not most or len(first) > 1:
        return ""
    return first[0] if None not in masses.values() or most > _most_missing(returned) else ""


def _most_missing(returned: Sequence[float]) -> float:
    """The most that a missing option has: tokens as probable as the last one returned, within what all leave of 1."""
    rest = max(1 - math.fsum(returned), 0.0) + _ROUNDING
    return min(_SPELLINGS * min(returned), rest)


def _entries(choice: Mapping[str, Any], status: int) -> list[tuple[Any, Any]]:
    """The likeliest next tokens with their log-probabilities, of either format."""
    try:
        given = choice["logprobs"]
        if given.get("content"):
            entries = [
                (entry["token"], entry["logprob"]) for entry in given["content"][0]["top_logprobs"]
            ]
        else:
            entries = list(given["top_logprobs"][0].items())
    except (KeyError, IndexError, TypeError, AttributeError):
        entries = []
    if not entries:
        raise faults.WrongShape(NONE, status=status)
    return entries


def _is_hidden(choice: Mapping[str, Any], text: str | None) -> bool:
    """Whether the token is not in the chat's text: it begins a reasoning that the service keeps apart."""
    reason, _ = shapes.finished(choice.get("finish_reason"))
    return "message" in choice and not text and reason in chat.CUT_OFF


def _check(entries: Sequence[tuple[Any, Any]], options: Sequence[str], status: int) -> None:
    for token, logprob in entries:
        if not isinstance(token, str):
            raise _unusable("a token is not a text", status)
        is_number = isinstance(logprob, int | float) and not isinstance(logprob, bool)
        if not is_number or not math.isfinite(logprob):
            raise _unusable(f"that of {_shown(token)} is not a number", status)
        if logprob > _ROUNDING:
            raise _unusable(f"that of {_shown(token)} is above 0", status)
    # Different tokens may have the same text, but not also the same probability.
    mine = [entry for entry in entries if _plain(entry[0]) in options]
    if twice := next((token for token, logprob in mine if mine.count((token, logprob)) > 1), None):
        raise _unusable(f"{_shown(twice)} is there twice", status)


def _mass(entries: Sequence[tuple[str, float]], option: str) -> float | None:
    """The probability of all tokens that are the option; None where none was returned."""
    found = [math.exp(logprob) for token, logprob in entries if _plain(token) == option]
    return min(math.fsum(found), 1.0) if found else None


def _plain(token: str) -> str:
    """The token without blanks round it and brackets before it: " A", "(A" and "A" are the same option."""
    return token.strip().lstrip("(").strip()


def _shown(token: str) -> str:
    return f"“{service_errors.shown(token.encode('utf-8', 'replace'))}”"


def _unusable(why: str, status: int) -> faults.WrongShape:
    return faults.WrongShape(
        f"The service's log-probabilities cannot be used: {why}. Use another version of the service, or leave the "
        "model out of runs with such prompts.",
        status=status,
    )
