"""What a tag holds: its parameters, date, reason, the article it contradicts, and so its kind. Pure."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import mwparserfromhell

from wikifetch.wikitext.languages import PARAMETERS, spoken
from wikifetch.wikitext.limits import too_hostile
from wikifetch.wikitext.plain import without_spans
from wikifetch.wikitext.positions.unread import unread_spans
from wikifetch.wikitext.tag_names import CONTRADICT_OTHER
from wikifetch.wikitext.templates.arguments import is_position

# A positional parameter that says how much a banner speaks of; it names no article.
_ENTITY = re.compile(r"&#?\w{1,31};")
_SCOPES = {
    "section", "article", "lead", "lede", "paragraph", "list", "table", "page", "",
    "abschnitt", "artikel", "einleitung", "absatz", "liste", "tabelle", "seite",
    "introduction", "paragraphe", "tableau",
    "artículo", "sección", "introducción", "párrafo", "lista", "tabla", "página",
}  # fmt: skip
_LINK = re.compile(r"\[\[[^\[\]]*\]\]")
_MAX_TITLE = 255
_MAX_OTHERS = 300  # characters of all titles
BETWEEN_TITLES = " | "  # no title has a bar
# Of a tag that is remembered: revision after revision of a history has it.
_SHORT = 2_000


@dataclass(frozen=True)
class TagFields:
    """Parameters as (name, value) in order, names stripped, values as written.

    The rest is without comments and with characters in place of entities. `other_article` may be several titles, with
    BETWEEN_TITLES between them.
    """

    params: tuple[tuple[str, str], ...]
    date: str
    reason: str
    other_article: str
    kind: str


def read_tag(raw: str, kind_by_name: str) -> TagFields:
    """Read a tag, braces included, whose template is of `kind_by_name`.

    `reason` is reason=, else about=, else "" (PROTOCOL: the published tagReason), under their names in any language. An
    article named by article=, or by position in a contradicts-other template, makes the tag a contradict-other; there
    links are the articles, if any value is one.
    """
    read = _read_short_tag if len(raw) <= _SHORT else _read_tag
    return read(raw, kind_by_name)


def _read_tag(raw: str, kind_by_name: str) -> TagFields:
    params = parse_parameters(raw)
    named = {name.lower(): _decoded(_without_comments(value)) for name, value in params}
    # Another language's name counts where the English one is not given.
    values = {PARAMETERS.get(name, name): value for name, value in named.items()} | named
    article = values.get("article", "")
    others = [*map(_title, _LINK.findall(article))] or [_title(article)]
    kind = CONTRADICT_OTHER if any(others) else kind_by_name
    if not any(others) and kind_by_name == CONTRADICT_OTHER:
        given = [value for name, value in values.items() if is_position(name)]
        links = [value for value in given if _LINK.fullmatch(value)]
        others = [_title(value) for value in links or given if value.casefold() not in _SCOPES]
    reason = values.get("reason") or values.get("about") or ""
    return TagFields(params, values.get("date", ""), reason, _joined(others), kind)


_read_short_tag = lru_cache(maxsize=256)(_read_tag)


# 5 May 2020, 1er mai 2020, 5 de mayo de 2020
_MONTH_AND_YEAR = re.compile(
    r"(?:\d{1,2}(?:er|\.)?\s+(?:de\s+)?)?([^\W\d_]+)\.?,?\s*(?:del?\s+)?((?:19|20)\d\d)",
    re.IGNORECASE,
)
# 2020年5月, 2020년 5월 1일
_EASTERN_MONTH = re.compile(r"((?:19|20)\d\d)[年년]\s?(\d{1,2})[月월](?:\s?\d{1,2}[日일])?")
_ISO_MONTH = re.compile(r"((?:19|20)\d\d)-(\d\d)(?:-\d\d)?")


def month_of(words: str) -> date | None:
    """The first day of the month that a tag's `date` names, in ISO or a language of languages.json; else None."""
    words = " ".join(words.split())
    if match := _MONTH_AND_YEAR.fullmatch(words):
        number, year = spoken().month(match[1]), int(match[2])
    elif match := _ISO_MONTH.fullmatch(words) or _EASTERN_MONTH.fullmatch(words):
        number, year = int(match[2]), int(match[1])
    else:
        return None
    return date(year, number, 1) if 1 <= number <= 12 else None


def parse_parameters(raw: str) -> tuple[tuple[str, str], ...]:
    """Names and values of a template's parameters; positions count from "1"."""
    if too_hostile(raw):
        return _split_plainly(raw)
    templates = mwparserfromhell.parse(raw).filter_templates(recursive=False)
    if not templates:
        return _split_plainly(raw)
    return tuple((str(p.name).strip(), str(p.value)) for p in templates[0].params)


def _split_plainly(raw: str) -> tuple[tuple[str, str], ...]:
    """Parameters by their bars alone, nested templates and all; for tags too hostile for the tree parser."""
    params, position = [], 0
    for part in raw[2:-2].split("|")[1:1000]:
        name, equals, value = part.partition("=")
        position += not equals
        params.append((name.strip(), value) if equals else (str(position), part))
    return tuple(params)


def _without_comments(value: str) -> str:
    return without_spans(value, unread_spans(value, ("none",))).strip()


def _decoded(value: str) -> str:
    """With characters in place of entities, but for those that would begin markup."""
    return _ENTITY.sub(lambda entity: _character(entity[0]), value).strip()


def _character(entity: str) -> str:
    character = html.unescape(entity)
    return entity if character in {"<", "[", "{"} else character


def _joined(titles: Iterable[str]) -> str:
    """Each title once, as many as a row holds."""
    joined = ""
    for title in filter(None, dict.fromkeys(titles)):
        longer = f"{joined}{BETWEEN_TITLES}{title}" if joined else title
        joined = longer if len(longer) <= _MAX_OTHERS else joined
    return joined


def _title(value: str) -> str:
    """A page's title out of `Title`, `[[Title]]`, `[[:Title#Section|label]]`; "" for what is none."""
    inner = re.search(r"\[\[([^\[\]|]*)", value)
    title = (inner.group(1) if inner else value).strip().removeprefix(":")
    title = " ".join(title.partition("#")[0].replace("_", " ").split())
    return title if len(title) <= _MAX_TITLE and not re.search(r"[<>{}\[\]|]", title) else ""
