"""Lines that a wiki sets apart from the text: hatnotes, and captions of templates with pictures. Pure."""

import re
from collections.abc import Callable

from wikifetch.wikitext.templates.arguments import Arguments
from wikifetch.wikitext.templates.facts import listed_words
from wikifetch.wikitext.templates.tabled import TABLED

_DISAMBIGUATION = "the disambiguation page"
_MOST_PICTURES = 20
_PICTURED = {
    "multiple image", "multiple images", "double image", "wide image", "tall image", "panorama", "gallery",
    "css image crop", "superimpose", "annotated image",
}  # fmt: skip


def hatnote(key: str, a: Arguments) -> str | None:
    """“Main article: A”, “For other uses, see A.”; None for a template that is no hatnote."""
    if render := _RENDERED.get(key):
        return render(a)
    if lead := TABLED["hatnotes"].get(key):
        return _with_titles(lead, a)
    return None


def is_set_apart(key: str) -> bool:
    """Whether a template is a hatnote or has pictures."""
    return key in _RENDERED or key in TABLED["hatnotes"] or key in _PICTURED


def captions(key: str, a: Arguments) -> list[str]:
    """The captions of a template with pictures; empty for another template."""
    match key:
        case "multiple image" | "multiple images":
            numbered = [a[f"caption{n}"] for n in range(1, _MOST_PICTURES)]
            found = [a["header"], *numbered, a["footer"]]
        case "double image":
            found = [a[6], a[7]]
        case "wide image" | "tall image" | "panorama":
            found = [a.first_of(3, "caption")]
        case "gallery":
            found = [a[n] for n in range(2, 2 * _MOST_PICTURES, 2)]
        case "css image crop" | "superimpose" | "annotated image":
            found = [a.first_of("caption", "description", "Description")]
        case _:
            found = []
    return [caption for caption in found if caption]


def _with_titles(lead: str, a: Arguments) -> str:
    titles = _titles(a, 1)
    if lead.startswith("Main article") and len(titles) > 1:
        lead = "Main articles: "
    if lead.startswith("Not"):
        return f"{lead}{a['text'] or listed_words(titles, 'or')}."
    if lead.startswith("For "):
        return f"{lead}{listed_words(titles) or _DISAMBIGUATION}."
    return lead + listed_words(titles)


def _about(a: Arguments) -> str:
    """{{about|this|that|its article}}"""
    what = "section" if a["section"] else "article"
    lead = f"This {what} is about {a[1]}." if a[1] else ""
    return f"{lead} {_uses(a, 2)}".strip()


def _for(a: Arguments) -> str:
    """{{for|that|its article|another}}"""
    return f"For {a[1] or 'other uses'}, see {listed_words(_titles(a, 2)) or _DISAMBIGUATION}."


def _redirect(names: int) -> Callable[[Arguments], str]:
    """{{redirect|this|that|its article}}, or with two names."""

    def render(a: Arguments) -> str:
        given = [f"“{a[n]}”" for n in range(1, names + 1)]
        uses = _uses(a, names + 1) or f"For other uses, see {a[1]} (disambiguation)."
        return f"{listed_words(given)} redirect{'s' if names == 1 else ''} here. {uses}"

    return render


def _redirect_distinguish(a: Arguments) -> str:
    return f"“{a[1]}” redirects here. Not to be confused with {listed_words(_titles(a, 2), 'or')}."


def _uses(a: Arguments, start: int) -> str:
    """Pairs of a use and its article, from that position on; “and” in place of a use goes on with the one before."""
    values = a.positional()[start - 1 :]
    sentences: list[str] = []
    for use, title in zip(values[::2], [*values[1::2], ""], strict=False):
        if use == "and" and sentences:
            sentences[-1] = f"{sentences[-1][:-1]} and {_title(title)}."
        elif use or title:
            sentences.append(f"For {use or 'other uses'}, see {_title(title) or _DISAMBIGUATION}.")
    return " ".join(sentences)


def _titles(a: Arguments, start: int) -> list[str]:
    """Titles, by their labels (l1=, label 1=)."""
    given = enumerate(a.positional()[start - 1 :], 1)
    titles = (a.first_of(f"l{n}", f"label {n}", f"label{n}") or _title(title) for n, title in given)
    return [title for title in titles if title]


def _title(words: str) -> str:
    """Mill#Wheel is Mill § Wheel, as a wiki shows it."""
    label = words.rpartition("|")[2].strip().removeprefix(":")
    return re.sub(r"(?<=.)#", " § ", label).replace("#", "§ ")


_RENDERED: dict[str, Callable[[Arguments], str]] = {
    **dict.fromkeys(("about", "about2"), _about),
    **dict.fromkeys(("for", "for2"), _for),
    **dict.fromkeys(("for multi", "for other uses"), lambda a: _uses(a, 1)),
    **dict.fromkeys(("redirect", "redirects here"), _redirect(1)),
    "redirect2": _redirect(2),
    **dict.fromkeys(("redirect-distinguish", "redirect distinguish"), _redirect_distinguish),
    **dict.fromkeys(("hatnote", "rellink", "dablink", "selfref"), lambda a: a[1]),
}
