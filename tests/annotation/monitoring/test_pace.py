"""The pace of a campaign and its expected end."""

from datetime import date, timedelta

import pytest

from annotation.monitoring.pace import NO_PACE, NOTHING_LEFT, TOO_SLOW, pace, window

TODAY = date(2026, 3, 20)


def days(**counts):
    """d3=2: two annotations three days ago."""
    return {TODAY - timedelta(days=int(name[1:])): n for name, n in counts.items()}


def pace_of(by_day, left):
    recent = sum(n for day, n in by_day.items() if day >= window(TODAY))
    return pace(recent, min(by_day, default=None), left, TODAY)


@pytest.mark.parametrize(
    ("by_day", "left", "submitted", "over", "in_days"),
    [
        (days(d0=4), 8, 4, 1, 2),
        (days(d3=2, d0=2), 5, 4, 4, 5),
        (days(d20=9, d13=7, d0=7), 1, 14, 14, 1),
        (days(d20=9, d10=11), 3, 11, 14, 4),
        (days(d1=3), 1, 3, 2, 1),
    ],
)
def test_the_end_is_as_many_days_away_as_the_rest_takes_at_the_latest_pace(
    by_day, left, submitted, over, in_days
):
    found = pace_of(by_day, left)
    assert (found.submitted, found.days) == (submitted, over)
    assert found.end == TODAY + timedelta(days=in_days)


@pytest.mark.parametrize(
    ("by_day", "left", "reason"),
    [
        ({}, 3, NO_PACE),
        (days(d14=5), 3, NO_PACE),
        (days(d0=5), 0, NOTHING_LEFT),
        ({}, 0, NOTHING_LEFT),
        (days(d13=1), 1_000, TOO_SLOW),
    ],
)
def test_without_an_end_there_is_a_reason(by_day, left, reason):
    found = pace_of(by_day, left)
    assert (found.end, found.reason) == (None, reason)
