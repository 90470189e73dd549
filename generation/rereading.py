"""How a model marks its reasoning, as an admin or a test call chose it, and its stored texts read again by that."""

from collections.abc import Collection
from dataclasses import asdict

from django.db import transaction

from generation.inference import chat, reasoning
from generation.models import LanguageModel, Response
from generation.states import ResponseState
from leases.extension import ExtensionPoint

# Those of the responses with these keys that somebody has judged, whose texts stay as they are.
judged: ExtensionPoint[[Collection[int]], set[int]] = ExtensionPoint("generation.rereading.judged")
BATCH = 500
_READ = ("pk", "text", "reasoning", "held", "check_reply", "reply", "request")


@transaction.atomic
def choose(model: LanguageModel, marks: str, opens: bool) -> int:
    """Keep how the model marks reasoning (chat.Abilities.marks); the number of stored texts that this changes."""
    model.abilities = {
        **asdict(model.able),
        **model.abilities,
        "marks": marks,
        "opens_reasoning": opens,
    }
    model.save(update_fields=["abilities"])
    return read_again(model)


def read_again(model: LanguageModel) -> int:
    """Read the texts of its finished responses again from their whole replies; the number of those that change.

    What somebody has judged stays, and what a check was sent about: only whether it is held is looked at again.
    """
    rows = model.responses.filter(state=ResponseState.DONE, finding="", scored__isnull=True)
    keys = list(rows.filter(reply__isnull=False).order_by().values_list("pk", flat=True))
    changed = 0
    for start in range(0, len(keys), BATCH):
        some = keys[start : start + BATCH]
        kept = set().union(*judged(some))
        read = list(Response.objects.filter(pk__in=set(some) - kept).only(*_READ))
        new = [row for row in read if _reread(row, model.able)]
        Response.objects.bulk_update(new, ["text", "reasoning", "held"])
        changed += len(new)
    return changed


def _reread(row: Response, able: chat.Abilities) -> bool:
    """Read the response's text again; whether anything changes."""
    before = (row.text, row.reasoning, row.held)
    is_read = row.check_reply is None
    found = chat.text_of(row.reply, able, bare="prompt" in (row.request or {})) if is_read else None
    row.text, row.reasoning = found or before[:2]
    row.held = (is_read and not found) or reasoning.is_held(row.text, able.marks)
    return (row.text, row.reasoning, row.held) != before
