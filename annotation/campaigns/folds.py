"""The parts of a new campaign's form that are folded, each with what is entered there in a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.campaigns.forms import CampaignForm, stratum_field
from wikifetch.models import TagKind

# A fold -> its fields, in order; "strata" are the numbers of each kind.
FOLDS = {
    "which": ("kinds", "since", "until", "words", "category"),
    "number": ("limit", *map(stratum_field, TagKind), "reserve", "seed"),
    "shared": ("double_share", "most_in_hand", "quota"),
    "pilot": ("pilot", "pilot_again", "stop_at_valid"),
    "published": ("collection",),
}


@dataclass(frozen=True)
class Fold:
    """A fold as the page shows it; one with an error is open."""

    key: str
    line: str
    is_open: bool


def folds_of(form: CampaignForm) -> dict[str, Fold]:
    """Each fold by its key. The lines repeat what was entered, whether it can be read or not."""
    values = {name: form[name].value() for names in FOLDS.values() for name in names}
    return {
        key: Fold(key, ", ".join(LINES[key](values)), any(name in form.errors for name in names))
        for key, names in FOLDS.items()
    }


def _which(values: dict[str, Any]) -> Iterator[str]:
    labels = dict(TagKind.choices)
    kinds = [str(labels.get(kind, kind)) for kind in values["kinds"] or ()]
    yield " and ".join(kinds) or "every kind of tag"
    if since := values["since"]:
        yield f"dated since {since}"
    if until := values["until"]:
        yield f"dated until {until}"
    if not since and not until:
        yield "any date"
    if words := values["words"]:
        yield f"with the words “{words}”"
    if category := values["category"]:
        yield f"from the category “{category}”"


def _number(values: dict[str, Any]) -> Iterator[str]:
    by_kind = [(kind.label, values[stratum_field(kind)]) for kind in TagKind]
    if any(number for _, number in by_kind):
        yield " and ".join(f"{number} {label}" for label, number in by_kind if number)
    else:
        yield (
            f"at most {values['limit']}, chosen at random" if values["limit"] else "all that match"
        )
    yield f"{values['reserve']} in reserve" if values["reserve"] else "none in reserve"
    yield f"seed {values['seed']}"


def _shared(values: dict[str, Any]) -> Iterator[str]:
    share = str(values["double_share"])
    yield (
        "each tag by all of its people"
        if share in ("1", "1.0")
        else f"a share of {share} by several people, the rest by one"
    )
    yield f"{_counted(values['most_in_hand'], 'draft')} per person"
    if values["quota"]:
        yield f"{_counted(values['quota'], 'tag')} per person"


def _pilot(values: dict[str, Any]) -> Iterator[str]:
    yield f"{_counted(values['pilot'], 'tag')} in a pilot" if values["pilot"] else "no pilot"
    stop = values["stop_at_valid"]
    yield f"ends at {_counted(stop, 'valid tag')}" if stop else "ends when all are annotated"


def _published(values: dict[str, Any]) -> Iterator[str]:
    yield values["collection"] or "a new collection named after the campaign"


def _counted(entered: Any, noun: str) -> str:
    """As how_many(), of what may be no number."""
    return f"{entered} {noun}" if str(entered).strip() == "1" else f"{entered} {noun}s"


LINES = {
    "which": _which,
    "number": _number,
    "shared": _shared,
    "pilot": _pilot,
    "published": _published,
}
