"""Undoing an import of responses: its run is hidden at once, and removed by a sweep, unless something uses it."""

import uuid
from collections.abc import Iterable

from django.db import transaction

from datasets.models import Collection
from generation.models import Run
from leases.clock import in_seconds
from leases.extension import ExtensionPoint
from leases.refusal import Conflict
from protocols.uses import Use, in_words

# What uses the responses of a run with this key.
run_uses: ExtensionPoint[[int], Iterable[Use]] = ExtensionPoint(
    "generation.elsewhere.undoing.run_uses"
)


def hold_runs(keys: Iterable[int]) -> None:
    """Keep these runs until the transaction ends. Raises Conflict where one was removed meanwhile."""
    wanted = set(keys)
    there = Run.objects.select_for_update(of=("self",)).filter(pk__in=wanted).order_by("pk")
    if set(there.values_list("pk", flat=True)) != wanted:
        raise gone()


def gone() -> Conflict:
    return Conflict("The import of a chosen run was undone a moment ago. Choose other runs.")


@transaction.atomic
def hide(key: int) -> None:
    """Let nobody see the run any more; remove_abandoned (datasets/importers/arriving.py) removes it.

    Raises Conflict that names the uses.
    """
    run = Run.objects.select_for_update(of=("self",)).filter(pk=key).first()
    if run is None:
        return  # and its responses with it
    if found := [use for some in run_uses(key) for use in some]:
        raise Conflict(
            f"Nothing was undone, because responses of this run are used: {in_words(found)}. Discard drafts, "
            "or keep the run."
        )
    name = f"~{uuid.uuid4().hex}"
    run.collection = Collection.everything.create(name=name, arriving_until=in_seconds(-1))
    run.save(update_fields=["collection"])
