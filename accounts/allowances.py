"""Rate limits shared by all web processes: one row for each key and rate.

The row holds one time: when the whole allowance will be regained. Taking one is one conditional UPDATE by the
database's clock, so two requests at the same time cannot both take the last one.
"""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper, F, Value
from django.db.models.functions import Greatest, Now

from accounts.models import Allowance
from accounts.rates import Rate
from leases.clock import in_seconds, now

Taken = tuple[str, tuple[Rate, ...]]  # the key that is counted, and its rates


def take(*wanted: Taken) -> float:
    """Take one of each key; 0.0 if all were left, else takes none and returns the seconds to wait."""
    waits = {(key, rate): _wait_for(key, rate) for key, rate in _rows(wanted)}
    longest = max(waits.values())
    if longest:
        for (key, rate), wait in waits.items():
            if not wait:
                _give_back(key, rate)
    return longest


def give_back(*taken: Taken) -> None:
    """Undo one `take`."""
    for key, rate in _rows(taken):
        _give_back(key, rate)


def forget(*taken: Taken) -> None:
    """Reset these keys: their whole allowance is available again."""
    Allowance.objects.filter(key__in=[key for key, _ in _rows(taken)]).delete()


def sweep() -> int:
    """Delete rows whose whole allowance was regained over an hour ago; returns how many."""
    return Allowance.objects.filter(regained_at__lt=in_seconds(-3600)).delete()[0]


def _rows(counted: Iterable[Taken]) -> list[tuple[str, Rate]]:
    return [
        (f"{key} {number}", rate) for key, rates in counted for number, rate in enumerate(rates)
    ]


def _wait_for(key: str, rate: Rate) -> float:
    if _took(key, rate):
        return 0.0
    Allowance.objects.bulk_create([Allowance(key=key)], ignore_conflicts=True)
    if _took(key, rate):
        return 0.0
    regained_at = Allowance.objects.filter(key=key).values_list("regained_at", flat=True).first()
    left = (regained_at - now()).total_seconds() if regained_at else 0.0
    return max(left - (rate.burst - 1) * rate.seconds, 0.001)


def _took(key: str, rate: Rate) -> bool:
    full = in_seconds((rate.burst - 1) * rate.seconds)
    one_is_left = Allowance.objects.filter(key=key, regained_at__lte=full)
    return one_is_left.update(regained_at=_later(rate.seconds)) == 1


def _give_back(key: str, rate: Rate) -> None:
    Allowance.objects.filter(key=key).update(regained_at=_later(-rate.seconds))


def _later(seconds: float) -> ExpressionWrapper:
    return ExpressionWrapper(
        Greatest(F("regained_at"), Now()) + Value(timedelta(seconds=seconds)),
        output_field=DateTimeField(),
    )
