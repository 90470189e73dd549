"""The direction of a text, by its letters. Pure; `turn` in static/js/shared/dom.js does the same.

A browser's `dir="auto"` goes by the first letter alone, which may be that of a name in another script. Here most of the
letters decide; the language of the record breaks a tie. A letter is of category L; those of scripts from right to left
have code points of their own (Unicode 16, DerivedBidiClass).
"""

import re

MOST_READ = 20_000  # characters: of a longer text its beginning decides
RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Languages of wikis that are written from right to left.
WRITTEN_RIGHT_TO_LEFT = {
    "ar", "arc", "ary", "arz", "azb", "bcc", "bgn", "bqi", "ckb", "dv", "fa", "glk", "he", "khw", "ks", "lrc", "luz",
    "mzn", "nqo", "pnb", "ps", "sd", "skr", "ug", "ur", "yi",
}  # fmt: skip


def of_language(language: str) -> str:
    """ "rtl" or "ltr" by its code (BCP 47); "auto" where there is none."""
    if not language:
        return "auto"
    return "rtl" if language.split("-")[0].lower() in WRITTEN_RIGHT_TO_LEFT else "ltr"


def of_text(text: str, language: str = "") -> str:
    """ "rtl", "ltr", or "auto" where neither has more letters and the language is not known."""
    text = text[:MOST_READ]
    letters = sum(map(str.isalpha, text))
    leftwards = sum(map(str.isalpha, RIGHT_TO_LEFT.findall(text)))
    if 2 * leftwards == letters:
        return of_language(language)
    return "rtl" if 2 * leftwards > letters else "ltr"


def language_of(text: str, language: str) -> str:
    """The language of a text of a record in this language: "" if it cannot be it, being written the other way."""
    return language if of_text(text, language) == of_language(language) else ""
