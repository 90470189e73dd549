"""Delete old saves of drafts: one every few minutes, for years, is more than anyone needs."""

from itertools import groupby
from operator import itemgetter

from annotation.models import DraftRevision
from annotation.workflow.retention import to_delete
from leases.clock import now

BATCH = 500


def thin_drafts() -> int:
    """Delete old saves of all drafts by the rule in retention.py; returns how many."""
    at = now()
    saves = DraftRevision.objects.order_by("annotation_id", "version")
    rows = saves.values_list("annotation_id", "pk", "saved_at").iterator(chunk_size=2_000)
    gone = [
        key
        for _, of_draft in groupby(rows, key=itemgetter(0))
        for key in to_delete([(key, saved_at) for _, key, saved_at in of_draft], at)
    ]
    # In batches, so that saves do not wait for a long transaction.
    for start in range(0, len(gone), BATCH):
        DraftRevision.objects.filter(pk__in=gone[start : start + BATCH]).delete()
    return len(gone)
