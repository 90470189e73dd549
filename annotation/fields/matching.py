"""Compare texts regardless of differences in spelling that a reader would not notice.

Pure; static/js/annotation/folding.js has the same rules, and tests/annotation/check_cases.json tests both.
Differences in meaning must remain: 1.5 is not 15, -5 is not 5, 10² is not 102. So the form is NFC, not NFKC, and
only thousands commas and outer punctuation are removed.
"""

import re
import unicodedata
from functools import lru_cache

from annotation.fields.number_words import with_digits

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
SPACES = re.compile(r"[ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
SINGLE_QUOTES = re.compile("[`´\u2018\u2019\u201a\u201b\u2032\u02bc]")
DOUBLE_QUOTES = re.compile("[\u201c-\u201f\u2033«»]")
DASHES = re.compile("[\u2010-\u2015\u2212]")
CITATION = re.compile(
    r"\[(?:[0-9]{1,3}|[a-z]|note [0-9]{1,3}|citation needed|inconsistent|contradictory)\]"
)
THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
OUTER = " .,;:!?'\"()[]"
ARTICLE = re.compile(r"^(?:a|an|the) (?=.)")
ELLIPSIS = re.compile(r"\[?(?:\.\.\.|\u2026)\]?|\n")
WORD = re.compile(r"[^\W_]+", re.UNICODE)
ORDINAL = re.compile(r"^([0-9]+)(?:st|nd|rd|th)$")

# Words that a correct answer may have although its passage has not.
_FILLERS = (
    "a an the it its he she they this that there is are was were be been has had have do does did "
    "and or of in on at to by for from with as before after not no only"
)
FILLERS = frozenset(_FILLERS.split())


def folded(text: str) -> str:
    """The text in lower case, with uniform quotes, dashes and blanks, and without citation marks."""
    text = INVISIBLE.sub("", unicodedata.normalize("NFC", text)).lower()
    text = DASHES.sub("-", DOUBLE_QUOTES.sub('"', SINGLE_QUOTES.sub("'", text)))
    text = THOUSANDS.sub("", CITATION.sub("", text))
    return SPACES.sub(" ", text).strip(" ")


# The checks of one form ask for each of its texts several times.
fold = lru_cache(maxsize=100)(folded)


def answer_key(text: str) -> str:
    """Equal for equal answers: folded, numbers as digits, without outer punctuation and article."""
    return ARTICLE.sub("", with_digits(fold(text)).strip(OUTER)).strip(OUTER)


def folded_words(text: str) -> list[str]:
    """The words of the folded text, numbers and ordinals such as 21st as digits."""
    found = WORD.findall(with_digits(fold(text)))
    return [ORDINAL.sub(r"\1", word) if word[0].isdigit() else word for word in found]


def holds(passage: str, span: str) -> bool:
    """Whether the passage contains every piece of the span; … or a line break separates pieces."""
    within = fold(passage)
    pieces = [fold(piece).strip(OUTER) for piece in ELLIPSIS.split(span)]
    return all(piece in within for piece in pieces if piece)
