"""A citation template as a bibliography shows it. Pure."""

from itertools import count

from wikifetch.wikitext.templates.arguments import Arguments

_MOST_NAMED = 6
_CONTAINERS = (
    "journal", "work", "newspaper", "magazine", "website", "encyclopedia", "encyclopaedia", "periodical",
)  # fmt: skip


def citation(a: Arguments) -> str:
    """Kettle, Ann (1900). “Water”. The Mills. Press. pp. 4–5."""
    date = a.first_of("date", "year")
    people = _people(a) or a.first_of("vauthors", "authors", "editors", "institution")
    part, title = a.first_of("chapter", "contribution", "section", "entry"), a["title"]
    container = a.first_of(*_CONTAINERS)
    if container and not part:
        part, title = title, ""
    issue = f"({a['issue'] or a['number']})" if a["issue"] or a["number"] else ""
    pieces = (
        f"{people} ({date})" if people and date else people,
        f"“{part}”" if part else "",
        title,
        container,
        f"{a['volume']}{issue}",
        a["publisher"],
        date if not people else "",
        _pages(a),
    )
    return "".join(f"{piece.rstrip('. ')}. " for piece in pieces if piece).strip()


def _pages(a: Arguments) -> str:
    if page := a.first_of("page", "p"):
        return f"p. {page}"
    pages = a.first_of("pages", "pp", "at")
    return f"pp. {pages}" if pages else ""


def _people(a: Arguments) -> str:
    """Authors, else editors."""
    return _named(a, ("last", "author", "surname"), "first") or _named(
        a, ("editor-last", "editor"), "editor-first"
    )


def _named(a: Arguments, last: tuple[str, ...], first: str) -> str:
    people = []
    for n in count(1):
        numbers = (str(n), "") if n == 1 else (str(n),)
        family = a.first_of(*(name + number for name in last for number in numbers))
        if not family or n > _MOST_NAMED:
            break
        given = a.first_of(*(first + number for number in numbers))
        people.append(f"{family}, {given}" if given else family)
    return "; ".join(people)
