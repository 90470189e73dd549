"""Revised passages and exclusions that wait for a second person, where nobody but their author is left."""

from collections import Counter
from collections.abc import Iterator

from django.urls import reverse

from accounts.leaving.open_work import OpenWork, only_own
from accounts.models import Person
from accounts.roles import Role
from datasets.models import Exclusion, RevisedPassage, Undoing
from datasets.states import RevisionState, UndoingState
from pages.counting import how_many

SECOND = (Role.ADMIN, Role.RESEARCHER)
COLLECTION = "instance__contradiction__collection__name"


def decisions_for_nobody(by: Person | None, without: int) -> Iterator[OpenWork]:
    proposed = only_own("proposed_by", without, *SECOND)
    exclusions = Exclusion.objects.filter(proposed, seconded_by=None)
    undoings = Undoing.objects.filter(proposed, state=UndoingState.PROPOSED)
    written = only_own("author", without, *SECOND)
    revisions = RevisedPassage.objects.filter(written, state=RevisionState.PROPOSED)
    kinds = (
        ("exclusions", "proposed exclusion", (exclusions, undoings)),
        ("revised", "revised passage", (revisions,)),
    )
    for name, one, rows in kinds:
        counts = Counter(
            found for each in rows for found in each.values_list(COLLECTION, flat=True)
        )
        for collection, n in sorted(counts.items()):
            yield OpenWork(
                key=f"{name}-{collection}",
                roles=SECOND,
                what=f"{how_many(n, one)} that nobody else is left to check",
                where=collection,
                url=reverse(f"datasets:{name}", args=[collection]),
                becomes="it waits until there is another researcher or admin",
            )
