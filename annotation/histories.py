"""Keeping the histories of drafts small: a save every few minutes, for years, is more than anybody reads."""

from itertools import groupby
from operator import itemgetter

from annotation.models import DraftRevision
from annotation.thinning import superfluous
from leases.clock import now

BATCH = 500


def thin() -> int:
    """Delete the saves that need not be kept, of all drafts; returns how many. A draft's newest always stays."""
    at = now()
    saves = DraftRevision.objects.order_by("annotation_id", "version")
    rows = saves.values_list("annotation_id", "pk", "saved_at").iterator(chunk_size=2_000)
    gone = [
        key
        for _, of_draft in groupby(rows, key=itemgetter(0))
        for key in superfluous([(key, saved_at) for _, key, saved_at in of_draft], at)
    ]
    # In batches: nobody who types waits for a long transaction.
    for start in range(0, len(gone), BATCH):
        DraftRevision.objects.filter(pk__in=gone[start : start + BATCH]).delete()
    return len(gone)
