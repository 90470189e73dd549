"""What calls cost, by the prices of their models for a million tokens. All in one currency, whichever it is."""

from typing import Any

from generation.call_queues import Settled
from generation.inference import chat
from generation.models import LanguageModel

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


def of_call(row: Settled) -> float:
    """What a call cost, by the tokens that the service counted; the most where it may have been billed without a count.

    A call that was not sent, or was refused with an error, costs nothing.
    """
    model = row.call.model
    if is_free(model) or not (row.reply or row.fault):
        return 0.0
    read, written = _counted(row)
    if read is not None and written is not None:
        return price(model, read, written)
    call = row.reply or row.fault
    status = call.status if call else None
    is_unsent = row.fault is not None and not row.fault.was_sent
    if is_unsent or (status is not None and not 200 <= status < 300):
        return 0.0
    cost = most(model, row.call.length, bool(row.call.scored))
    # Under a cap a first reply is reserved by its tokens; it may have many times as many bytes.
    return min(cost, row.call.reserved) if row.call.reserved else cost


def _counted(row: Settled) -> tuple[Any, Any]:
    if row.reply:
        return row.reply.prompt_tokens, row.reply.completion_tokens
    return chat.counted(row.fault.raw if row.fault else None)


def calls_within(room: float, reserve: float) -> int:
    """How many calls may be started that may each cost so much."""
    if reserve <= 0:
        return MOST_CALLS
    # A cap of exactly so many calls allows them, in spite of binary fractions.
    return int(min((room + 1e-9) // reserve, MOST_CALLS))
