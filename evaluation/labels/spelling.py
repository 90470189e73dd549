"""How labels and names from elsewhere are spelled: what is always folded, what by choice, what looks alike. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

MISSING = frozenset({"", "na", "n/a", "nan"})
# The marker of statistics programs; labels that are words may use it as a label.
POINT = "."
PLACEHOLDERS = frozenset(
    {"none", "null", "nil", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "#n/a", "<na>", "n.a.", POINT}
)
CASE, NUMBERS, NAMES = "case", "numbers", "names"
FOLDS = (CASE, NUMBERS, NAMES)

ANY_NUMBER = re.compile(r"[+-]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})")
BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[\s_.-]+(?=[^\W_])|(?<=[^\W_])[\s_.-]+(?=[^\W\d_])")
BETWEEN_PARTS = re.compile(r"[;,|/+&]")
LEADING_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
MINUS = {ord("\N{MINUS SIGN}"): "-", ord("\N{NON-BREAKING HYPHEN}"): "-", ord("\N{HYPHEN}"): "-"}


@dataclass(frozen=True)
class Wishes:
    """How to read labels: their declared order, more markers of missing ones, what to fold (of FOLDS).

    `on_page` words advice for the page, not for the command. A label of the order is never missing.
    """

    order: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    fold: frozenset[str] = frozenset()
    on_page: bool = False

    def is_missing(self, label: str) -> bool:
        """Whether this label, folded, is a marker of a missing one."""
        marker = label.casefold()
        more = {text.casefold() for text in self.missing}
        return (marker in MISSING or marker in more) and label not in self.order

    def advice(self, fold: str) -> str:
        """Where this fold is chosen."""
        return f"“{TITLES[fold]}”" if self.on_page else f"--fold {fold}"

    def advice_on_missing(self, labels: Iterable[str]) -> str:
        listed = ",".join(labels)
        return f"“Further missing labels”: {listed}" if self.on_page else f'--missing="{listed}"'


TITLES = {
    CASE: "Letter case of labels",
    NUMBERS: "Spelling of numbers",
    NAMES: "Names of items and raters",
}


def wishes_of(
    order: str, missing: str, fold: Iterable[str] = (), *, on_page: bool = False
) -> Wishes:
    """The wishes as people type them: lists with commas between."""
    return Wishes(_listed(order), _listed(missing), frozenset(fold), on_page)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(folded, text.split(","))))


def folded(text: str) -> str:
    """What is always folded: blanks around, and letters with marks to one character (NFC)."""
    return unicodedata.normalize("NFC", text.strip())


def number_of(text: str) -> str | None:
    """A number in one spelling (01 and 1.0 are 1), or None for another text."""
    if not ANY_NUMBER.fullmatch(text):
        return None
    plain = format(Decimal(text), "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain == "-0" else plain


def as_one_number(text: str) -> str:
    return number_of(text) or text


def as_one_case(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def look(text: str) -> str:
    """What texts that look alike have in common: case, width, blanks, leading zeros, invisible characters aside."""
    plain = text if text.isascii() else _without_finery(text)
    if number := number_of(plain):
        return number
    plain = LEADING_ZEROS.sub("", as_one_case(plain))
    return BETWEEN_WORDS.sub("", " ".join(plain.split())) or text


def look_of_label(text: str) -> str:
    """The same of a label, which may be a set, in whichever order its parts are: `date;place` and `place; date`."""
    parts = {look(part) for part in BETWEEN_PARTS.split(text.strip(";,| "))}
    is_set = "" not in parts and any(map(str.isalpha, text))  # 1,5 and 3/5 are numbers
    return ";".join(sorted(parts)) if is_set else look(text)


def _without_finery(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(MINUS)
    return "".join(letter for letter in plain if unicodedata.category(letter) != "Cf").strip()


KEYS = {CASE: as_one_case, NUMBERS: as_one_number, NAMES: look}


def alike(texts: Iterable[str], key: Callable[[str], str] = look) -> list[list[str]]:
    """The texts that have one key, two or more together."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(key(text), []).append(text)
    return [sorted(group, key=str.swapcase) for group in groups.values() if len(group) > 1]


def one_of_each(
    counts: Mapping[str, int], key: Callable[[str], str], preferred: Iterable[str] = ()
) -> dict[str, str]:
    """For each text the one that stands for all of its key: a preferred one, else the most frequent."""
    chosen = {key(text): text for text in reversed(list(preferred))}
    for text in sorted(counts, key=lambda text: (-counts[text], text)):
        chosen.setdefault(key(text), text)
    return {text: chosen[key(text)] for text in counts}


def is_placeholder(label: str) -> bool:
    return label.casefold() in PLACEHOLDERS


def named(texts: Iterable[str], most: int = 10) -> str:
    """'a', 'b' and 'c', of many the first."""
    quoted = [f"'{text}'" for text in texts]
    if len(quoted) > most:
        quoted = [*quoted[:most], f"{len(quoted) - most} more"]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


MOST_PAIRS = 5
IN_WORDS = ("no", "one", "two", "three", "four", "five")


def in_words(n: int) -> str:
    return IN_WORDS[n] if n < len(IN_WORDS) else str(n)


def sentences_on_labels(counts: Counter[str], wishes: Wishes) -> list[str]:
    """What a reader must know of these labels before the figure."""
    said = []
    odd = [label for label in counts if is_placeholder(label) and label not in wishes.order]
    if odd:
        rows = sum(counts[label] for label in odd)
        one = len(odd) == 1
        counts_as, they, them = (
            ("counts as a label", "it means", "it")
            if one
            else ("count as labels", "they mean", "them")
        )
        said.append(
            f"{named(odd)} {counts_as}: {_rows(rows)}. If {they} that a label is missing, leave {them} out with "
            f"{wishes.advice_on_missing(odd)}."
        )
    said += sentences_on_alike(counts, "labels", wishes)
    return said


def sentences_on_alike(counts: Counter[str], noun: str, wishes: Wishes) -> list[str]:
    """A sentence for each group of labels or raters that look alike."""
    key = look_of_label if noun == "labels" else look
    return [
        f"{named(group)} are counted as {in_words(len(group))} {noun}: {_rows(sum(counts[text] for text in group))}; "
        f"{_remedy(group, noun, wishes)}."
        for group in alike(counts, key)
    ]


def sentences_on_items(single: Mapping[str, str], none_has_two: bool, wishes: Wishes) -> list[str]:
    """What to say of the items with one rating, whose raters are given: which names look like another rater's."""
    raters = dict(zip(single.values(), single, strict=True))
    if len(raters) < 2:
        return []
    groups = [group for group in alike(single) if len({single[name] for name in group}) > 1]
    if groups:
        what = (
            "No item has two ratings"
            if none_has_two
            else f"{sum(map(len, groups)):,} items have one rating each"
        )
        more = f"; {len(groups) - MOST_PAIRS:,} more" if len(groups) > MOST_PAIRS else ""
        pairs = "; ".join(map(named, groups[:MOST_PAIRS]))
        return [
            f"{what}, and their names look alike: {pairs}{more}; fold them with {wishes.advice(NAMES)}."
        ]
    if none_has_two:
        examples = ", ".join(f"'{name}' by {rater}" for rater, name in islice(raters.items(), 5))
        return [
            f"No item has two ratings, and no two names look alike. Items are, for example: {examples}."
        ]
    return []


def _remedy(group: list[str], noun: str, wishes: Wishes) -> str:
    if noun == "raters":
        return f"fold them with {wishes.advice(NAMES)}"
    for fold in (CASE, NUMBERS):
        if len(set(map(KEYS[fold], group))) == 1:
            return f"fold them with {wishes.advice(fold)}"
    return "write them in one way"


def _rows(n: int) -> str:
    return f"{n:,} row{'' if n == 1 else 's'}"
