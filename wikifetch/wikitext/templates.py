"""What a reader sees of the templates that hold numbers, dates and words. Pure.

For contradictions the numbers are the point: a parser that drops {{convert|412|m}} drops the evidence.
Conversions into other units are not repeated: they are computed by the wiki, not written by its editors.
"""

import calendar
import re
from collections.abc import Callable
from typing import Any

_NUMBER = re.compile(r"[+\-−]?[\d.,+/⁄]*\d")
_RANGES = {"to": " to ", "-": "–", "–": "–", "and": " and ", "or": " or ", "by": " by ", "x": " × "}
_RANGES |= {"×": " × ", "*": " × ", "+": " + ", "to(-)": " to ", "and(-)": " and ", "by(x)": " by "}
_RANGES |= {"&": " & ", ",": ", ", "+/-": " ± ", "±": " ± "}
_INFOBOX = re.compile(
    r"[\s_]*(?:infobox|taxobox|geobox|automatic taxobox|speciesbox|drugbox|chembox)", re.IGNORECASE
)
_MONTHS = tuple(calendar.month_name)  # English, and "" for month 0


class Arguments:
    """A template's arguments as readable text, each rendered when asked for; positions count from 1."""

    def __init__(self, template: Any, words_of: Callable[[Any], str]) -> None:
        self._values = {str(p.name).strip(): p.value for p in template.params}
        self._words_of = words_of
        self._words: dict[
            str, str
        ] = {}  # rendering again at each depth would take exponential time

    def __getitem__(self, name: str | int) -> str:
        key = str(name)
        if key in self._values and key not in self._words:
            self._words[key] = self._words_of(self._values[key])
        return self._words.get(key, "")

    def positional(self) -> list[str]:
        """Arguments 1, 2, … up to the first that is missing."""
        positional: list[str] = []
        while str(len(positional) + 1) in self._values:
            positional.append(self[len(positional) + 1])
        return positional

    def named(self) -> list[tuple[str, str]]:
        return [(name, self[name]) for name in self._values if not name.isdecimal()]


def rendered(name: str, arguments: Arguments) -> str | None:
    """The words of a template; None for one that is not in the table."""
    key = " ".join(name.replace("_", " ").split()).lower()
    key = key.removeprefix("template:").strip()
    if key.startswith("formatnum:"):
        return key.removeprefix("formatnum:").strip()
    if key.startswith("lang-"):
        return arguments[1]
    render = _TABLE.get(key)
    return render(arguments) if render else None


def is_infobox(name: str) -> bool:
    """Whether a template's fields are facts of the article, one a line."""
    return bool(_INFOBOX.match(name))


def infobox_fields(name: str, arguments: Arguments) -> list[tuple[str, str]]:
    """Label and value of an infobox's fields that say something; empty for another template."""
    if not is_infobox(name):
        return []
    return [(label, value) for label, value in arguments.named() if value]


def _convert(a: Arguments) -> str:
    values = a.positional()
    if not values:
        return ""
    words, at = values[0], 1
    while at + 1 < len(values) and values[at] in _RANGES:
        words += _RANGES[values[at]] + values[at + 1]
        at += 2
    if at < len(values):
        words += f" {values[at]}"
        at += 1
    while (
        at + 1 < len(values)
        and _NUMBER.fullmatch(values[at])
        and not _NUMBER.fullmatch(values[at + 1])
    ):
        words += f" {values[at]} {values[at + 1]}"
        at += 2
    return words


def _val(a: Arguments) -> str:
    values = a.positional()
    words = a["p"] + (values[0] if values else "")
    if len(values) == 2:
        words += f"±{values[1]}"
    elif len(values) > 2:
        words += f" +{values[1].lstrip('+')}/−{values[2].lstrip('-−')}"
    if a["e"]:
        words += f"×10^{a['e']}"
    unit = a["u"] or a["ul"]
    per = a["up"] or a["upl"]
    return words + (f" {unit}" if unit else "") + (f"/{per}" if per else "") + a["s"]


def _fraction(a: Arguments) -> str:
    match a.positional():
        case []:
            return "/"
        case [lower]:
            return f"1/{lower}"
        case [upper, lower]:
            return f"{upper}/{lower}"
        case [whole, upper, lower, *_]:
            return f"{whole} {upper}/{lower}"
    return ""


def _date(values: list[str]) -> str:
    """Year, month and day as '2 March 1847'; a month may be a number or a word."""
    given = [value for value in values[:3] if value]
    month = given[1] if len(given) > 1 else ""
    if month.isdecimal() and len(month) <= 2 and 1 <= int(month) <= 12:
        given[1] = _MONTHS[int(month)]
    return " ".join(part.lstrip("0") or part for part in reversed(given))


def _as_of(a: Arguments) -> str:
    if a["alt"]:
        return a["alt"]
    words = "Since" if a["since"] else "As of"
    return f"{words.lower() if a['lc'] else words} {_date(a.positional())}"


def _circa(a: Arguments) -> str:
    return " – ".join(f"c. {year}" for year in a.positional() if year) or "c. "


def _joined(a: Arguments) -> str:
    return ", ".join(value for value in a.positional() if value)


def _last(a: Arguments) -> str:
    return (a.positional() or [""])[-1]


def _text(words: str) -> Callable[[Arguments], str]:
    return lambda a: words


def _first(*names: str | int) -> Callable[[Arguments], str]:
    """The first of these arguments that is there."""
    return lambda a: next((a[name] for name in names if a[name]), "")


def _table() -> dict[str, Callable[[Arguments], str]]:
    groups: list[tuple[str, Callable[[Arguments], str]]] = [
        ("convert cvt conv", _convert),
        ("val", _val),
        ("circa c. ca. c approx", _circa),
        ("frac fraction sfrac", _fraction),
        ("as_of asof", _as_of),
        ("nbsp space spaces thinsp hair_space thin_space zwsp", _text(" ")),
        ("snd snds spnd sndash spaced_ndash spaced_en_dash spaced_endash", _text(" – ")),
        ("ndash endash en_dash –", _text("–")),
        ("mdash emdash em_dash —", _text("—")),
        ("! pipe", _text("|")),
        ("= equals", _text("=")),
        ("nowrap nobr nobreak small smaller big larger abbr tooltip linktext keypress", _first(1)),
        ("em strong noitalic not_a_typo lc: uc: transl_title resize center", _first(1)),
        ("lang native_name nihongo_foot", _first(2)),
        ("langx", _first(2)),
        ("transliteration transl", _last),
        ("ill interlanguage_link link-interwiki", _first("lt", 1)),
        ("quote blockquote cquote quotation quote_box bquote", _first("text", "quote", 1)),
        ("ubl unbulleted_list plainlist plain_list flatlist hlist", _joined),
        ("sic", lambda a: f"{_joined(a)} [sic]".strip()),
        (
            "birth_date birth_date_and_age bda start_date start_date_and_age",
            lambda a: _date(a.positional()),
        ),
        (
            "death_date death_date_and_age end_date dts film_date launch_date",
            lambda a: _date(a.positional()),
        ),
        ("us$ usd", lambda a: f"US${a[1]}"),
        ("gbp £ pound_sterling", lambda a: f"£{a[1]}"),
        ("eur €", lambda a: f"€{a[1]}"),
    ]
    return {name.replace("_", " "): render for names, render in groups for name in names.split()}


_TABLE = _table()
