"""What a reader sees of templates that hold facts: places, people, formulas, amounts, sounds. Pure.

As the English Wikipedia shows them, without what it computes.
"""

import re
from collections.abc import Callable

from wikifetch.wikitext.templates.arguments import Arguments

_CHARGE = re.compile(r"\d+[+\-−]")
_POLES = {"N", "S", "E", "W"}
_RUPEES = {
    "l": "lakh", "c": "crore", "lc": "lakh crore", "k": "thousand", "m": "million", "b": "billion", "t": "trillion",
}  # fmt: skip
_SPOKEN = {
    "us": "US: ", "uk": "UK: ", "au": "AU: ", "nz": "NZ: ", "usalso": "US also ", "ukalso": "UK also ",
}  # fmt: skip
_NO_SOUND = {
    "lang", "pron", "pronunciation", "also", "local", "ipa", "audio", "and", "or", "both", "respell",
}  # fmt: skip
_SHEET = {"flat": "♭", "b": "♭", "sharp": "♯", "#": "♯", "natural": "♮", "n": "♮"}
_ENDED = {
    "": "–",
    **dict.fromkeys(("div", "divorced"), "; div. "),
    **dict.fromkeys(("died", "d", "his death", "her death"), "; died "),
    **dict.fromkeys(("sep", "separated"), "; sep. "),
    **dict.fromkeys(("ann", "annulled"), "; ann. "),
}


def chem(a: Arguments) -> str:
    """SO4^2−: a charge is raised, so that it is no count of atoms."""
    parts = [f"^{part}" if _CHARGE.fullmatch(part) else part for part in a.positional()]
    return "".join(parts).replace("-", "−")


def chem2(a: Arguments) -> str:
    words = " ".join(a.positional()).replace("->", "→").replace("*", "·")
    return re.sub(r"\((\d*[+\-−])\)", lambda m: f"^{m[1]}".replace("-", "−"), words)


def coord(a: Arguments) -> str:
    """12°30′N 3°12′W, or 12.5°N 3.2°W of decimals."""
    values = [value for value in a.positional() if value and ":" not in value]
    if not _POLES & set(values):
        latitude, longitude = [*values[:2], "", ""][:2]
        return f"{_side(latitude, 'NS')} {_side(longitude, 'EW')}".strip()
    words, at = "", 0
    for value in values:
        words += f"{value} " if value in _POLES else value + "°′″"[min(at, 2)]
        at = 0 if value in _POLES else at + 1
    return words.strip()


def _side(degrees: str, poles: str) -> str:
    if not degrees:
        return ""
    return f"{degrees.lstrip('-−')}°{poles[degrees[0] in '-−']}"


def number(a: Arguments) -> str:
    """A number to sort by, with commas."""
    digits = a[1].strip()
    grouped = f"{int(digits):,}" if re.fullmatch(r"[0-9]{4,30}", digits) else digits
    return a["prefix"] + grouped + a["suffix"]


def height(a: Arguments) -> str:
    units = {
        "ft": ("ft", "feet", "foot"),
        "in": ("in", "inch", "inches"),
        "m": ("m", "metre", "meter", "metres", "meters"),
        "cm": ("cm", "centimetre", "centimeter", "centimetres", "centimeters"),
    }
    given = ((a.first_of(*names), unit) for unit, names in units.items())
    return " ".join(f"{value} {unit}" for value, unit in given if value)


def rupees(a: Arguments) -> str:
    return f"₹{a[1]} {_RUPEES.get(a[2], '')}".strip()


def person(a: Arguments) -> str:
    return " ".join(filter(None, (a[1], a[2])))


def athlete(a: Arguments) -> str:
    return f"{a[1]} ({a[2]})" if a[2] else a[1]


def marriage(a: Arguments) -> str:
    since = f"m. {a[2]}" if a[2] else ""
    until = (
        _ENDED.get(a.first_of("end", "reason", "()").lower().rstrip("."), "; ended ") + a[3]
        if a[3]
        else ""
    )
    years = (since + until).lstrip("; ")
    return f"{a[1]} ({years})" if years else a[1]


def years(abbreviation: str) -> Callable[[Arguments], str]:
    return lambda a: f"{abbreviation} " + "–".join(filter(None, (a[1], a[2])))


def old_style(a: Arguments) -> str:
    return f"{a[1]} [O.S. {a[3]}] {a[2]}".strip()


def old_style_year(a: Arguments) -> str:
    """Where the year differs too, or is not given: the new date whole, then the old one."""
    return f"{a[1]} {a[2]} [O.S. {a[3]}]" if a[3] else f"{a[1]} [O.S. {a[2]}]"


def new_style(a: Arguments) -> str:
    return f"{a[1]} [{a[3]} N.S.] {a[2]}".strip()


def nihongo(a: Arguments) -> str:
    outside, *inside = (
        filter(None, (a[1] or a[3], a[2], a[3] if a[1] else "", a[4])) if a.positional() else [""]
    )
    words = f"{outside} ({', '.join(inside)})" if inside else outside
    return f"{words} {a[5]}".strip()


def sounds(a: Arguments) -> str:
    """{{IPAc-en|uk|æ|l}}: UK: /æl/"""
    parts = a.positional()
    spoken = "".join(_SPOKEN.get(part.lower(), "") for part in parts)
    heard = "".join(p for p in parts if p.lower() not in _SPOKEN and p.lower() not in _NO_SOUND)
    return f"{spoken}/{heard}/" if heard else spoken


def respelled(a: Arguments) -> str:
    return "-".join(a.positional()).replace("-_-", " ")


def ship(prefix: str) -> Callable[[Arguments], str]:
    """{{HMS|Ajax|22}}: HMS Ajax (22); with the form 6 or 2, without its number."""

    def render(a: Arguments) -> str:
        number = f" ({a[2]})" if a[2] and a[3] not in {"2", "6"} else ""
        return f"{prefix} {a[1]}{number}"

    return render


def any_ship(a: Arguments) -> str:
    number = f" ({a[3]})" if a[3] and a.first_of(4, "up") not in {"2", "6"} else ""
    return f"{a[1]} {a[2]}{number}".strip()


def ship_class(a: Arguments) -> str:
    return f"{a[1]}-class {a[2]}".strip()


def fossil_range(a: Arguments) -> str:
    ages = [age for age in (a[1], a[2]) if age]
    words = "–".join(ages)
    return f"{words} Ma" if words.replace("–", "").replace(".", "").isdecimal() else words


def gauge(a: Arguments) -> str:
    return re.sub(r"(?<=\d)(?=mm|ft|in)", " ", a[1])


def identifier(label: str) -> Callable[[Arguments], str]:
    return lambda a: f"{label} {', '.join(filter(None, a.positional()))}".strip()


def wrapped(before: str, after: str = "") -> Callable[[Arguments], str]:
    return lambda a: f"{before}{a[1]}{after}"


def pair(between: str) -> Callable[[Arguments], str]:
    return lambda a: between.join(filter(None, (a[1], a[2])))


def plus_minus(a: Arguments) -> str:
    return f"+{a[1]}/−{a[2]}" if a[2] else f"±{a[1]}"


def bible_verse(a: Arguments) -> str:
    """{{bibleverse|1|John|3:16}}; the number of the book is left out or empty where it has none."""
    values = a.positional()
    if values and re.fullmatch(r"\d?|I{1,3}", values[0]):
        return " ".join(filter(None, values[:3]))
    return " ".join(values[:2])


def music(a: Arguments) -> str:
    return _SHEET.get(a[1], a[1])


def raised_and_lowered(a: Arguments) -> str:
    return (f"_{a['b']}" if a["b"] else "") + (f"^{a['p']}" if a["p"] else "")


def quotation(a: Arguments) -> str:
    text = a.first_of("text", "quote", 1)
    author, source = a.first_of("author", "sign", 2), a.first_of("source", "title", 3)
    by = ", ".join(filter(None, (author, source)))
    return f"{text}\n— {by}" if text and by else text


def listed_words(words: list[str], last: str = "and") -> str:
    """A, B and C"""
    *others, end = words or [""]
    return f"{', '.join(others)} {last} {end}" if others else end
