"""What calls cost, by the prices of their models for a million tokens. All in one currency, whichever it is."""

from typing import Any

from generation.inference import chat
from generation.models import LanguageModel
from generation.queues import Settled

MILLION = 1_000_000
# Tokens that a chat template may add to a prompt.
TEMPLATE = 500
MOST_CALLS = 10**9


def price(model: LanguageModel, read: float, written: float) -> float:
    """The price of so many tokens read and written; 0 where the model has no prices."""
    return (read * (model.price_read or 0) + written * (model.price_written or 0)) / MILLION


def is_free(model: LanguageModel) -> bool:
    return not (model.price_read or model.price_written)


def most(model: LanguageModel, length: int, scores: bool = False) -> float:
    """The most that a call with a prompt of so many bytes costs: no token is shorter than a byte.

    A call for the `scores` of options writes one token.
    """
    return price(model, length + TEMPLATE, 1 if scores else model.options.get(chat.MAX_TOKENS) or 0)


def of_call(one: Settled) -> float:
    """What a call cost, by the tokens that the service counted; the most where it may have been billed without a count.

    A call that was not sent, or was refused with an error, costs nothing.
    """
    model = one.call.model
    if is_free(model) or not (one.reply or one.fault):
        return 0.0
    read, written = _counted(one)
    if read is not None and written is not None:
        return price(model, read, written)
    call = one.reply or one.fault
    status = call.status if call else None
    is_unsent = one.fault is not None and not one.fault.was_sent
    if is_unsent or (status is not None and not 200 <= status < 300):
        return 0.0
    cost = most(model, one.call.length, bool(one.call.scored))
    # Under a cap, of a first reply the tokens are counted, of which its bytes may be many times as many.
    return min(cost, one.call.reserved) if one.call.reserved else cost


def _counted(one: Settled) -> tuple[Any, Any]:
    if one.reply:
        return one.reply.prompt_tokens, one.reply.completion_tokens
    return chat.counted(one.fault.raw if one.fault else None)


def calls_within(room: float, reserve: float) -> int:
    """How many calls may be started that may each cost so much."""
    if reserve <= 0:
        return MOST_CALLS
    # A cap of exactly so many calls allows them, in spite of binary fractions.
    return int(min((room + 1e-9) // reserve, MOST_CALLS))
