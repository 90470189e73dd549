"""Labels of an infobox's fields, from the names of their parameters; which fields are layout. Pure."""

import re
from collections.abc import Mapping

from wikifetch.wikitext.plain import plain_text

_MAX_NAME = 60  # characters of a name that is looked at: the expression takes quadratic time in it
_PICTURE = r"(?:image|img|photo|picture|pic|logo|icon|map|seal|flag|coat|crest|shield|emblem|signature|landscape|cover)"
_LAYOUT = re.compile(
    rf"(?:.*_)?{_PICTURE}(?:_\w+)?_?(?:size|width|height|upright|scale|alt|link|position|border|class)\d*"
    r"|(?:.*_)?alt\d*|alt_\w+|upright|pixels|(?:.*_)?label_?position|(?:.*_)?align(?:ment)?|date_?format"
    r"|(?:title|header|label|text|font|family|bar|box|border|link|cluster|party|bg|fg|background)_?colou?r|background"
    r"|(?:above|below|body|title|label|header|row|data|image|caption|list)\d*_?(?:style|class)"
    r"|pushpin(?!.*caption).*|mapframe.*|map_?(?:type|dot|mark|relief)|relief"
    r"|coord(?:inate)?s?_(?:display|type|region|format|wrap|scale)|display_parents"
    r"|embed|embedded|child|subbox|collapsible|collapsed|no_?cat(?:egory)?|italic_title|autoconvert|df|show_\w+|suppress\w*",
    re.IGNORECASE,
)
_FILE_OR_COLOUR = re.compile(
    r"(?:(?:file|image):)?[^\n\[\]{}]+\.(?:jpe?g|png|svg|gif|tiff?|webp|og[gav]|webm|pdf|djvu|mid)|#[0-9a-f]{3,8}",
    re.IGNORECASE,
)
# A field's name -> the names of those that may hold its label.
_LABELLED = (
    (re.compile(r"(.+)_name(\d*)"), (r"\1_title\2", r"\1_type\2")),
    (re.compile(r"(.+)_date(\d*)"), (r"\1_event\2", r"\1_title\2")),
    (re.compile(r"(.+)_info(.*)"), (r"\1_name\2",)),
    (re.compile(r"data(\d+)"), (r"label\1",)),
    (re.compile(r"(population_blank\d)"), (r"\1_title",)),
)
_WORDS = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=\d)|(?<=\d)(?=[A-Z][a-z])|[_\s]+"
)
_USUAL = {
    "lang": "language", "langs": "languages", "pop": "population", "elev": "elevation", "est": "estimate",
    "abbrev": "abbreviation", "pc": "percent", "dob": "date of birth", "cctld": "internet domain",
    "density km 2": "density (per km²)", "density sq mi": "density (per sq mi)", "km 2": "(km²)", "sq mi": "(sq mi)",
    "latd": "latitude, degrees", "latm": "latitude, minutes", "lats": "latitude, seconds",
    "lat NS": "latitude, N or S", "longd": "longitude, degrees", "longm": "longitude, minutes",
    "longs": "longitude, seconds", "long EW": "longitude, E or W",
    **{name.lower(): name for name in ("ISBN", "ISSN", "OCLC", "UTC", "ISO", "GDP", "URL", "ID")},
}  # fmt: skip
_USUAL_WORDS = re.compile(rf"\b(?:{'|'.join(_USUAL)})(?!\w)")


def label_of(name: str, given: str = "") -> str:
    """“Official language” of OfficialLang or official_lang; or what another field gives, as wikitext."""
    if words := plain_text(given):
        return words
    words = " ".join(filter(None, _WORDS.split(name.strip())))
    words = " ".join(
        word if word[1:] != word[1:].lower() else word.lower() for word in words.split()
    )
    words = _USUAL_WORDS.sub(lambda match: _USUAL[match[0]], words)
    return words[:1].upper() + words[1:]


def is_layout(name: str, value: str) -> bool:
    """Whether a field says how the box looks, or names a file: nothing to read."""
    key = name.strip().replace(" ", "_")[:_MAX_NAME]
    return bool(_LAYOUT.fullmatch(key) or _FILE_OR_COLOUR.fullmatch(value.strip()))


def label_fields(values: Mapping[str, str]) -> dict[str, str]:
    """Of fields (name -> value): the name of each that has a label given by another -> that one's name."""
    found = {}
    for name in values:
        for pattern, given_by in _LABELLED:
            match = pattern.fullmatch(name)
            of = (
                (match.expand(template) for template in given_by)
                if match and values[name].strip()
                else ()
            )
            if label := next((other for other in of if values.get(other, "").strip()), ""):
                found[name] = label
    return found
