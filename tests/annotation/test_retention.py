"""Old saves of a draft are deleted; not those of the last day, the newest, and the last before a pause."""

from datetime import UTC, datetime, timedelta

import pytest

from annotation.models import DraftRevision
from annotation.tasks import thin_histories
from annotation.workflow import draft_history
from annotation.workflow.retention import to_delete
from leases.clock import now
from tests.annotation import factories as annotation

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def saves(*times: str) -> list[tuple[int, datetime]]:
    """Saves on the 19th of November at HH:MM, keyed by their place; "21 HH:MM" names another day."""
    result = []
    for key, time in enumerate(times):
        day, _, clock = time.rpartition(" ")
        hour, minute = clock.split(":")
        result.append((key, datetime(2026, 11, int(day or 19), int(hour), int(minute), tzinfo=UTC)))
    return result


@pytest.mark.parametrize(
    ("times", "gone"),
    [
        ([], []),
        (["09:00"], []),
        # One an hour, the last of it.
        (["09:00", "09:05", "09:10", "09:35", "10:00", "10:05"], [0, 1, 2, 4]),
        # The last before a pause, within the hour too.
        (["09:00", "09:05", "09:50", "09:55"], [0, 2]),
        (["09:00", "09:30", "09:31"], [0, 1]),
        (["09:00", "09:31"], []),
        # The newest stays, though it is old; the one before it went with its hour.
        (["09:00", "09:05"], [0]),
        # All of the last day.
        (["21 09:00", "21 09:05", "21 09:10"], []),
        (["20 11:55", "20 11:59", "20 12:00", "20 12:05"], [0]),
        # A stretch over midnight, and over two days.
        (["23:50", "23:55", "20 00:00", "20 00:05"], [0, 2]),
        (["09:00", "20 09:00", "21 09:00"], []),
    ],
)
def test_what_may_go(times, gone):
    assert to_delete(saves(*times), AT) == gone


def test_what_is_left_is_not_thinned_again():
    kept = saves(*[f"{hour:02}:{minute:02}" for hour in range(8, 17) for minute in range(0, 60, 5)])
    gone = set(to_delete(kept, AT))
    left = [save for save in kept if save[0] not in gone]
    assert len(left) == 9
    assert to_delete(left, AT) == []


def test_the_later_it_is_the_more_may_go_and_nothing_comes_back():
    kept = saves("20 11:00", "20 11:05", "20 12:10", "20 12:15")
    sooner, later = (set(to_delete(kept, AT + timedelta(hours=n))) for n in (0, 5))
    assert sooner == {0}
    assert later == {0, 2}


@pytest.mark.both
@pytest.mark.django_db
def test_the_task_thins_every_draft_and_leaves_the_newest_of_each():
    alice = annotation.annotator()
    drafts = [annotation.draft(alice, within=annotation.campaign(tags=2))]
    drafts.append(annotation.draft(alice, within=drafts[0].assignment.campaign))
    old = (now() - timedelta(days=3)).replace(minute=0)
    for draft in drafts:
        for n in range(12):
            made = DraftRevision.objects.create(annotation=draft, version=n, entries={"n": n})
            DraftRevision.objects.filter(pk=made.pk).update(saved_at=old + timedelta(minutes=5 * n))
    assert thin_histories() == 22
    assert [each.entries for each in DraftRevision.objects.all()] == [{"n": 11}, {"n": 11}]
    assert draft_history.thin_drafts() == 0
