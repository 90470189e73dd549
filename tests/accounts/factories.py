"""Use up an allowance, or let time pass for all of them."""

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper, F, Value

from accounts.models import Allowance
from accounts.rates import Rate
from leases.clock import in_seconds


def use_up(key: str, rates: tuple[Rate, ...]) -> None:
    """Use up `key`, so that the next one is available in half a minute at the earliest."""
    for number, rate in enumerate(rates):
        full = in_seconds(rate.burst * rate.seconds + 30)
        Allowance.objects.update_or_create(
            key=f"{key} {number}",
            defaults={"regained_at": full},
            create_defaults={"regained_at": full},
        )


def let_pass(seconds: float) -> None:
    """As if `seconds` had passed since everything that was counted."""
    earlier = ExpressionWrapper(
        F("regained_at") - Value(timedelta(seconds=seconds)), output_field=DateTimeField()
    )
    Allowance.objects.update(regained_at=earlier)
