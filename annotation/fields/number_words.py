"""English number words as digits: "thirty-one" and "31" are the same number. Pure.

From zero to 999,999, with hyphens and "and", "a hundred" and "nineteen hundred". Ordinals stay words.
static/js/annotation/number-words.js has the same rules, and tests/annotation/check_cases.json tests both.
"""

import re

_UNITS = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth "
    "seventieth eightieth ninetieth hundredth thousandth"
)
BELOW_TWENTY = {word: n for n, word in enumerate(f"{_UNITS} {_TEENS}".split(), start=1)}
VALUES = BELOW_TWENTY | {word: n * 10 for n, word in enumerate(_TENS.split(), start=2)}

_UNIT, _TEEN, _TEN, _ORDINAL = (
    words.replace(" ", "|") for words in (_UNITS, _TEENS, _TENS, _ORDINALS)
)
_AND = "[- ](?:and[- ])?"
_SMALL = f"(?:(?:{_TEN})(?:[- ](?:{_UNIT}))?|{_TEEN}|{_UNIT})"
_HUNDREDS = f"(?:{_UNIT}|{_TEEN}|a)[- ]hundred(?:{_AND}{_SMALL})?"
_BELOW = f"(?:{_HUNDREDS}|{_SMALL})"
_THOUSANDS = f"(?:{_BELOW}|a)[- ]thousand(?:{_AND}{_BELOW})?"
NUMBER = re.compile(rf"(?<![^\W_])({_THOUSANDS}|{_BELOW}|zero)({_AND}(?:{_ORDINAL}))?(?![^\W_])")
SEPARATOR = re.compile("[- ]")


def with_digits(text: str) -> str:
    """The folded text (matching.fold) with its number words as digits."""
    return NUMBER.sub(_digits, text)


def _digits(match: re.Match[str]) -> str:
    words = SEPARATOR.split(match[1])
    ordinal = match[2] or ""
    # "twenty-first" and "two hundredth" are one ordinal, "two second prizes" are not.
    if ordinal and (words[-1] not in BELOW_TWENTY or ordinal.endswith(("hundredth", "thousandth"))):
        return match[0]
    return str(_value(words)) + ordinal


def _value(words: list[str]) -> int:
    thousands = rest = 0
    for word in words:
        if word == "thousand":
            thousands, rest = max(rest, 1) * 1000, 0
        elif word == "hundred":
            rest = max(rest, 1) * 100
        else:
            rest += VALUES.get(word, 0)  # "a" and "and" add nothing
    return thousands + rest
