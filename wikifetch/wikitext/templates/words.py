"""What a reader sees of the templates that hold numbers, dates and words. Pure.

For contradictions the numbers are the point: a parser that drops {{convert|412|m}} drops the evidence.
What the wiki computes is left out, but for conversions into a unit that is named.
"""

import calendar
import re
from collections.abc import Callable, Iterable
from itertools import zip_longest

from wikifetch.wikitext.infobox_labels import is_layout
from wikifetch.wikitext.tag_names import HOLDERS, INCONSISTENT, KNOWN_NAMES, fold
from wikifetch.wikitext.templates import facts
from wikifetch.wikitext.templates.arguments import Arguments
from wikifetch.wikitext.templates.citations import citation
from wikifetch.wikitext.templates.functions import recased
from wikifetch.wikitext.templates.hatnotes import is_set_apart
from wikifetch.wikitext.templates.tabled import TABLED, template_key
from wikifetch.wikitext.templates.units import convert

_INFOBOX = re.compile(
    r"[\s_]*(?:infobox|taxobox|geobox|automatic taxobox|speciesbox|drugbox|chembox)", re.IGNORECASE
)
_NOTE = re.compile(
    r"\s*(?:sfn|efn|refn|harv|(?:r|rp)\s*(?:\||$)|notetag|#tag:\s*ref)", re.IGNORECASE
)
# Known templates that hold lines of their own; the others are words of a sentence.
_OF_LINES = (
    "quote blockquote cquote quotation quote_box bquote ubl unbulleted_list plainlist plain_list flatlist hlist "
    "collapsible_list center block_indent in5"
)
# Parameters of the banners and marks of editors, and values of those without a name.
_OF_REMARKS = {
    "date", "reason", "about", "section", "article", "lead", "list", "table", "discuss", "talk", "small", "bot",
    "fix-attempted",
}  # fmt: skip
_OF_LOOKS = {
    "colwidth",
    "col-width",
    "style",
    "class",
    "gap",
    "rules",
    "float",
    "clear",
    "collapsed",
    "state",
}
_IN_PAIRS = {
    "historical populations",
    "historical population",
    "historical pop",
    "population history",
}
_MONTHS = tuple(calendar.month_name)  # English, and "" for month 0


def words_of_template(name: str, arguments: Arguments) -> str | None:
    """The words of a template; None for one that is not in the table."""
    key = template_key(name)
    if key.startswith("formatnum:"):
        return key.removeprefix("formatnum:").strip()
    if (words := recased(name)) is not None:
        return words
    if key.startswith(("defaultsort:", "displaytitle:")):
        return ""
    if key.startswith("lang-"):
        return arguments[1]
    if key.startswith("ipa-"):
        return f"[{arguments[1].strip('[]')}]"
    if key == "citation" or key.startswith("cite "):
        return citation(arguments)
    if key.endswith(" icon") and key[:-5] in TABLED["languages"]:
        return in_languages([key[:-5]])
    if render := _TABLE.get(key):
        return render(arguments)
    # They wrap the words that an editor doubts.
    return arguments.first_of("text", 1) if key.endswith((" span", "-span")) else None


def is_note(template: str) -> bool:
    """Whether a template, given by its name or what follows its braces, is a note below the text."""
    return bool(_NOTE.match(template))


def is_inline(name: str) -> bool:
    """Whether a template's words are a part of a sentence; False of one that is not known."""
    key = template_key(name)
    known = key in _TABLE or key == "citation" or key.startswith(("cite ", "lang-", "ipa-"))
    known = known or key.endswith((" span", "-span")) or key in TABLED["marks"]
    if KNOWN_NAMES.kind_of(name) == INCONSISTENT:
        return True
    return known and key.replace(" ", "_") not in _OF_LINES.split()


def is_infobox(name: str) -> bool:
    """Whether a template's fields are facts of the article, one a line."""
    return bool(_INFOBOX.match(name))


def infobox_fields(name: str, arguments: Arguments) -> list[tuple[str, str]]:
    """Name and value of an infobox's fields that say something; empty for another template."""
    if not is_infobox(name):
        return []
    fields = arguments.named()
    return [(name, value) for name, value in fields if value and not is_layout(name, value)]


def may_state_facts(name: str) -> bool:
    """Whether a template is not known and no note, remark or tag of editors: what it is given may be facts."""
    key = template_key(name)
    return not (
        ":" in key
        or is_note(name)
        or key in _TABLE
        or key in TABLED["marks"]
        or is_infobox(name)
        or is_set_apart(key)
        or fold(name) in HOLDERS
        or KNOWN_NAMES.kind_of(name)
    )


def facts_given(name: str, given: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What there is to read of the names and values that such a template is given; "" is no name."""
    if is_remark(given):
        return []
    facts = [(key, value) for key, value in given if value and is_fact(key, value)]
    if not is_in_pairs(name):
        return facts
    bare = iter([value for key, value in facts if not key])
    return [*zip_longest(bare, bare, fillvalue=""), *(fact for fact in facts if fact[0])]


def is_fact(name: str, value: str) -> bool:
    """Whether an unknown template's parameter is there to be read."""
    return not (name.lower() in _OF_LOOKS or is_layout(name, value))


def is_remark(given: Iterable[tuple[str, str]]) -> bool:
    """Whether all that a template is given is what editors' banners and marks are."""
    return all(name.lower() in _OF_REMARKS or value.lower() in _OF_REMARKS for name, value in given)


def is_in_pairs(name: str) -> bool:
    """Whether an unknown template's values without names are a name and a value in turn."""
    return template_key(name) in _IN_PAIRS


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


def _one_date(a: Arguments) -> str:
    return _date(a.positional())


def in_languages(codes: list[str]) -> str:
    """(in French and German)"""
    names = TABLED["languages"]
    known = [names.get(code.strip().lower(), code.strip()) for code in codes if code.strip()]
    return f"(in {facts.listed_words(known)})" if known else ""


def _text(words: str) -> Callable[[Arguments], str]:
    return lambda a: words


def _first(*names: str | int) -> Callable[[Arguments], str]:
    return lambda a: a.first_of(*names)


def _cell(words: str) -> Callable[[Arguments], str]:
    return lambda a: a[1] or words


def _unit(unit: str) -> Callable[[Arguments], str]:
    return lambda a: f"{a[1]} {unit}"


def _age(a: Arguments) -> str:
    """In whole years between two dates; to today it is the wiki's to compute."""
    dates = [int(value) if value.isdecimal() else 0 for value in a.positional()[:6]]
    if len(dates) < 6:
        return f"[counted from {_date(a.positional())}]"
    return str(dates[3] - dates[0] - (dates[4:6] < dates[1:3]))


def _between_dates(a: Arguments) -> str:
    values = a.positional()
    return " – ".join(filter(None, (_date(values[:3]), _date(values[3:6]))))


def _film_dates(a: Arguments) -> str:
    """Each year, month, day and place."""
    values, dates = a.positional(), []
    for at in range(0, len(values), 4):
        place = f" ({values[at + 3]})" if values[at + 3 : at + 4] and values[at + 3] else ""
        dates.append(f"{_date(values[at : at + 3])}{place}")
    return ", ".join(dates)


def _computed() -> dict[str, Callable[[Arguments], str]]:
    groups: list[tuple[str, Callable[[Arguments], str]]] = [
        ("convert cvt conv", convert),
        ("val", _val),
        ("circa c. ca. c approx", _circa),
        ("frac fraction sfrac", _fraction),
        ("as_of asof", _as_of),
        ("transliteration transl resize nastaliq", _last),
        ("color colour font_color font_colour fontcolor fontcolour background_color", _last),
        ("ill interlanguage_link link-interwiki", _first("lt", "en_text", 1, "en", "title")),
        ("plusminus plus-minus pm ±", facts.plus_minus),
        ("reference_necessary cnspan fact-span", _first("text", 1)),
        ("quote blockquote cquote quotation quote_box bquote", facts.quotation),
        ("ubl unbulleted_list plainlist plain_list flatlist hlist collapsible_list", _joined),
        ("sic", lambda a: f"{_joined(a)} [sic]".strip()),
        ("birth_date birth_date_and_age bda start_date start_date_and_age", _one_date),
        ("death_date death_date_and_age end_date dts launch_date", _one_date),
        ("film_date", _film_dates),
        ("age", _age),
        ("age_in_days age_in_years age_in_years_and_days ayd start_and_end_dates", _between_dates),
        ("us$ usd", facts.wrapped("US$")),
        ("gbp £ pound_sterling", facts.wrapped("£")),
        ("eur € euro", facts.wrapped("€")),
        ("a$ aud", facts.wrapped("A$")),
        ("c$ cad", facts.wrapped("C$")),
        ("jpy ¥ yen", facts.wrapped("¥")),
        ("inr ₹ inrconvert inr_convert indian_rupee", facts.rupees),
        ("mi mi_to_km", _unit("mi")),
        ("km km_to_mi", _unit("km")),
        ("ft ft_to_m", _unit("ft")),
        ("m_to_ft", _unit("m")),
        ("chem", facts.chem),
        ("chem2", facts.chem2),
        ("simplenuclide simplenuclide2 nuclide nuclide2", facts.pair("-")),
        ("coord coordinates", facts.coord),
        ("nts number_table_sorting", facts.number),
        ("height", facts.height),
        ("sortname", facts.person),
        ("flag flagcountry flagu flag+link flaglink flagg flagicon+link", _first("name", 1)),
        ("flagathlete flagioc_athlete flagioc2athlete", facts.athlete),
        ("oldstyledate", facts.old_style),
        ("oldstyledatedy oldstyledateny", facts.old_style_year),
        ("old_style_to_new_style os2ns", facts.new_style),
        ("reign r.", facts.years("r.")),
        ("floruit fl. fl", facts.years("fl.")),
        ("b.", facts.years("b.")),
        ("d.", facts.years("d.")),
        ("marriage", facts.marriage),
        ("nihongo nihongo2 nihongo-s", facts.nihongo),
        ("ipac-en ipa-en", facts.sounds),
        ("respell", facts.respelled),
        ("angbr angle_bracket", facts.wrapped("⟨", "⟩")),
        ("bartable", lambda a: a[1] + a[2]),
        ("ship", facts.any_ship),
        ("sclass sclass2 sclass-", facts.ship_class),
        ("fossil_range fossilrange geological_range", facts.fossil_range),
        ("railgauge rail_gauge track_gauge", facts.gauge),
        ("vol.", facts.wrapped("vol. ")),
        ("e e-sp", facts.wrapped("×10^")),
        ("su sub_sup", facts.raised_and_lowered),
        ("sqrt radic", facts.wrapped("√")),
        ("abs", facts.wrapped("|", "|")),
        ("gaps", lambda a: " ".join(a.positional())),
        ("music", facts.music),
        ("bibleverse bibleref bibleref2", facts.bible_verse),
        ("in_lang", lambda a: in_languages(a.positional())),
        ("official_website official", _cell("Official website")),
        *(
            (name, facts.identifier(name.upper()))
            for name in ("isbn", "issn", "oclc", "lccn", "pmid")
        ),
        *((name, facts.ship(name.upper())) for name in TABLED["ships"]),
    ]
    return {name.replace("_", " "): render for names, render in groups for name in names.split()}


_TABLE = {
    **dict.fromkeys(TABLED["first"], _first(1)),
    **dict.fromkeys(TABLED["second"], _first(2)),
    **dict.fromkeys(TABLED["nothing"], _text("")),
    **{name: _text(words) for name, words in TABLED["text"].items()},
    **{name: _cell(words) for name, words in TABLED["cells"].items()},
    **_computed(),
}
