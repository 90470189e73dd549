"""How fast a campaign's annotations come in, and when the last one is to be expected. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from statistics import median

# A pace is of this many latest days: people come and go.
WINDOW = 14
# Later than this and a date would say nothing.
MOST_DAYS = 3_650

NOTHING_LEFT = "Nothing is left to submit."
NO_PACE = f"Nothing was submitted in the last {WINDOW} days."
TOO_SLOW = "At this pace it takes more than ten years."


@dataclass(frozen=True)
class CampaignPace:
    """`submitted` in the last `days` days, `left` to be submitted, and the expected last day, or why there is none."""

    submitted: int
    days: int
    left: int
    end: date | None
    reason: str = ""

    @property
    def per_day(self) -> float:
        return self.submitted / self.days


def window(today: date) -> date:
    """The first of the latest days of which a pace is."""
    return today - timedelta(days=WINDOW - 1)


def pace(submitted: int, first: date | None, left: int, today: date) -> CampaignPace:
    """From how many annotations came in since window(today); `first` is the day of the first, if it lies in the window.

    It counts the days from the first submission on, at most WINDOW, today and days without submissions included.
    """
    since = max(window(today), first or window(today))
    days = max(1, (today - since).days + 1)
    if not left:
        return CampaignPace(submitted, days, left, None, NOTHING_LEFT)
    if not submitted:
        return CampaignPace(0, days, left, None, NO_PACE)
    days_left = ceil(left * days / submitted)
    if days_left > MOST_DAYS:
        return CampaignPace(submitted, days, left, None, TOO_SLOW)
    return CampaignPace(submitted, days, left, today + timedelta(days=days_left))


def minutes_a_tag(seconds: Iterable[float]) -> float | None:
    """The median active time at the form in minutes; None before the first."""
    known = list(seconds)
    return median(known) / 60 if known else None
