"""Use up an allowance, let time pass for all of them; an institution that nobody has to reach; tokens."""

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper, F, Value

from accounts import institution
from accounts.models import Allowance, Person
from accounts.rates import Rate
from accounts.tokens import issuing
from accounts.tokens.scopes import Scope, scopes_of
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


def known_institution(settings) -> None:
    """Sign-in with an institution is on, and its provider has been asked for its addresses."""
    settings.OIDC_ISSUER = "http://127.0.0.1:9/realm"
    known = {"issuer": settings.OIDC_ISSUER, "authorization_endpoint": "http://127.0.0.1:9/go"}
    institution._provider().server_metadata.update(known, _loaded_at=0)


def bearer(person: Person, *scopes: Scope) -> dict[str, str]:
    """The header of a new token of the person: with these scopes, or all that they may have."""
    text = issuing.make(person, name="notebook", scopes=scopes or scopes_of(person.roles))
    return {"Authorization": f"Bearer {text}"}
