"""The text of a guideline: one Markdown text, in parts. Pure.

A body is the introduction and the parts of the steps in their order, each below a line with its anchor.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from annotation.fields.steps import STEPS
from pages.worddiff import Piece, word_diff

INTRODUCTION = "introduction"
# Anchor of a part -> its name, in the order of the parts.
PARTS = {
    INTRODUCTION: "Introduction",
    **{step.anchor: f"Step {step.number}. {step.title}" for step in STEPS},
}
MARKER = re.compile(r"^<!-- ([a-z0-9-]+) -->$", re.MULTILINE)

# Raw HTML in a guideline is shown as text. A picture would be asked of another host, which no page may do.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def _unstyle(state: StateCore) -> None:
    """The alignment of a table's columns is a style in the page, which none may have."""
    for token in state.tokens:
        token.attrs.pop("style", None)


def _open_apart(state: StateCore) -> None:
    """A link opens in a tab of its own, and says so: next to the guideline, somebody may be writing."""
    links = [part for token in state.tokens for part in token.children or [] if part.type in LINK]
    for opening, closing in zip(links[::2], links[1::2], strict=True):
        if not str(opening.attrs["href"]).startswith("#"):
            opening.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
            closing.meta["apart"] = True


def _link_close(tokens: Sequence[Token], at: int, *_: object) -> str:
    return f"{APART if tokens[at].meta.get('apart') else ''}</a>"


LINK = ("link_open", "link_close")
APART = (
    '<span aria-hidden="true"> ↗</span><span class="visually-hidden"> (opens in a new tab)</span>'
)
MARKDOWN.core.ruler.push("unstyle", _unstyle)
MARKDOWN.core.ruler.push("open_apart", _open_apart)
MARKDOWN.renderer.rules["link_close"] = _link_close  # type: ignore[attr-defined]


def body_of(texts: Mapping[str, str]) -> str:
    """The body with these parts, by anchor."""
    return "\n".join(f"<!-- {anchor} -->\n{texts[anchor].strip()}\n" for anchor in PARTS)


def parts_of(body: str) -> dict[str, str]:
    """The Markdown of each part, by anchor; "" for a part that an older body lacks."""
    pieces = MARKER.split(body)
    texts = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    return {anchor: texts.get(anchor, "").strip() for anchor in PARTS}


@lru_cache(maxsize=16)
def html_parts(body: str) -> dict[str, str]:
    """The parts of a body as HTML, by anchor."""
    return {anchor: html_of(text) for anchor, text in parts_of(body).items()}


def html_of(text: str) -> str:
    return MARKDOWN.render(text)


def changed_parts(before: str, after: str) -> Iterator[tuple[str, list[Piece]]]:
    """Of two bodies, the name of each part that differs and what changed in it."""
    old, new = parts_of(before), parts_of(after)
    for anchor, name in PARTS.items():
        if old[anchor] != new[anchor]:
            yield name, word_diff(old[anchor], new[anchor])
