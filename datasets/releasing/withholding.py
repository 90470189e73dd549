"""Releases whose files are given out no more, because a record of theirs holds text that is to be seen by nobody.

The wiki has hidden the text, or a comment names a person who was forgotten. The rows and hashes of such a release stay.
"""

import re
from collections.abc import Iterable
from itertools import count

from django.db.models import QuerySet

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.models import Contradiction, Release, WithheldRecord
from datasets.records import current
from pages.counting import how_many

HIDDEN, NAMED = WithheldRecord.Why.HIDDEN, WithheldRecord.Why.NAMED
LONGEST = 40  # characters of a version


def withhold(records: Iterable[Contradiction], why: WithheldRecord.Why, by: Person | None) -> int:
    """Serve the files of releases with these records no more, and leave the records out of new ones.

    Returns the number of records that were given out until now. For use in a transaction.
    """
    made = 0
    for row in records:
        _, is_new = WithheldRecord.objects.get_or_create(contradiction=row, defaults={"why": why})
        made += is_new
    if made:
        record(AuditKind.PUBLISH, by, f"{how_many(made, 'record')} withheld: {why.label}")
    return made


def given_out(rows: QuerySet[Contradiction]) -> QuerySet[Contradiction]:
    """The rows without those whose text is given out no more."""
    return rows.filter(withheld=None)


def withheld_in(release: Release) -> QuerySet[WithheldRecord]:
    """The records of the release for which its files are not served; none for most releases."""
    keys = release.rows.values("contradiction")
    return WithheldRecord.objects.filter(contradiction__in=keys)


def why_withheld(release: Release) -> str:
    """Why its files are not served, as a sentence; "" where they are."""
    found = list(withheld_in(release).order_by().values_list("why", flat=True).distinct())
    if not found:
        return ""
    reasons = " and ".join(WithheldRecord.Why(why).label for why in sorted(found))
    state = "were deleted" if release.files_deleted_at else "are not given out any more"
    return f"The files of this release {state}: {reasons}."


def next_version(release: Release) -> str:
    """A free version for a release without that text: the last number of this one's, raised."""
    taken = set(release.collection.releases.values_list("version", flat=True))
    found = re.search(r"[0-9]{1,9}\Z", release.version)
    stem = release.version[: found.start()] if found else f"{release.version[:30]}-"
    n = int(found[0]) + 1 if found else 2
    numbered = (f"{stem[: LONGEST - len(str(number))]}{number}" for number in count(n))
    return next(version for version in numbered if version not in taken)


def left_out_of_next(release: Release) -> int:
    """How many records a new release of the collection leaves out for this."""
    return current(release.collection).filter(withheld__isnull=False).count()
