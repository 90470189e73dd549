"""What all charts are drawn with: text, the frame with its title and description, colours. Pure.

Widths are percentages and letters pixels, so that a chart fits any column and stays readable. Colours are
presentation attributes, which a strict Content-Security-Policy permits; on a dark page a stylesheet replaces each
(static/css/evaluation.css). Every text is escaped.
"""

import re
from html import escape

from evaluation.charts.letters import Font, fitted

# By the tone of a verdict: the fill, and the ink that can be read on it (contrast at least 4.5 to 1).
MISSING = "missing"
FILLS = {
    "good": ("#20638f", "#ffffff"),
    "middling": ("#e5b956", "#1d1d1d"),
    "bad": ("#a8442f", "#ffffff"),
    "neutral": ("#6d5a9c", "#ffffff"),
    MISSING: ("#d2d2d2", "#1d1d1d"),
}
# Lines of an 8 x 8 tile, for the second verdict of a tone and those after it.
HATCHES = (
    "M-2 2L2 -2M0 8L8 0M6 10L10 6",
    "M-2 6L2 10M0 0L8 8M6 -2L10 2",
    "M4 0V8",
    "M0 4H8",
    "M4 0V8M0 4H8",
)
# Pixels: text is 13 high, and a chart of a page at least so wide (static/css/evaluation.css: .panels).
LINE, NARROWEST = 16, 244
SANS = Font(thin=3.9, narrow=6.0, usual=8.4, capital=9.8, wide=13.0)
MOST_LINES = 5


def frame(body: str, *, height: int, title: str, describe: str, key: str) -> str:
    """A whole chart; `key` makes its element ids unique on a page."""
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="100%" height="{height}" '
        f'font-family="system-ui, sans-serif" aria-labelledby="{slug(key)}-t {slug(key)}-d">'
        f'<title id="{slug(key)}-t">{safe(title)}</title>'
        f'<desc id="{slug(key)}-d">{safe(describe)}</desc>{body}</svg>'
    )


def lines_of(text: str, room: float) -> list[str]:
    """The lines that a text takes in so many pixels."""
    return fitted(text, SANS, room, MOST_LINES)


def written(
    text: str,
    x: str,
    y: float,
    kind: str,
    *,
    anchor: str = "start",
    fill: str = "currentColor",
    dx: int = 0,
    room: float | None = None,
) -> str:
    """Text in the lines that it takes in `room` pixels, the first at `y`; where some is cut, its title has it whole."""
    shift = f' dx="{dx}"' if dx else ""
    first, *others = lines_of(text, room) if room else [text]
    lines = safe(first) + "".join(
        f'<tspan x="{x}"{shift} dy="{LINE}">{safe(line)}</tspan>' for line in others
    )
    cut = len("".join([first, *others]).replace(" ", "")) < len("".join(text.split()))
    whole = f"<title>{safe(text)}</title>" if cut else ""
    return (
        f'<text class="{kind}" x="{x}" y="{y}"{shift} fill="{fill}" font-size="13" '
        f'text-anchor="{anchor}">{whole}{lines}</text>'
    )


def slug(name: str) -> str:
    """The name as a class or an id."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def safe(text: str) -> str:
    """Escaped, and without the characters that XML cannot hold."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "", text))
