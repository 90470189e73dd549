"""What all charts are drawn with: text, the frame with its title and description, colours. Pure.

Widths are percentages and letters pixels, so that a chart fits any column and stays readable. Colours are
presentation attributes, which a strict Content-Security-Policy permits; a stylesheet overrides them through
the classes (static/css/evaluation.css). Every text is escaped.
"""

import re
from html import escape

# Fill, and the ink that can be read on it (contrast at least 4.5 to 1).
FILLS = {
    "correct": ("#20638f", "#ffffff"),
    "partially correct": ("#e5b956", "#1d1d1d"),
    "incorrect": ("#a8442f", "#ffffff"),
    "unlabelled": ("#d2d2d2", "#1d1d1d"),
}
OTHER_FILL = ("#6b6b6b", "#ffffff")
# So many letters of a label and its n fit a line 290 pixels wide.
LETTERS = 30


def frame(body: str, *, height: int, title: str, describe: str, key: str) -> str:
    """A whole chart; `key` makes its element ids unique on a page."""
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="100%" height="{height}" '
        f'font-family="system-ui, sans-serif" aria-labelledby="{slug(key)}-t {slug(key)}-d">'
        f'<title id="{slug(key)}-t">{safe(title)}</title>'
        f'<desc id="{slug(key)}-d">{safe(describe)}</desc>{body}</svg>'
    )


def written(
    text: str,
    x: str,
    y: float,
    kind: str,
    *,
    anchor: str = "start",
    fill: str = "currentColor",
    dx: int = 0,
    letters: int = LETTERS,
) -> str:
    """A line of text, shortened in its middle to so many letters; its own title then has it whole."""
    shift = f' dx="{dx}"' if dx else ""
    shown = shortened(text, letters)
    whole = f"<title>{safe(text)}</title>" if shown != text else ""
    return (
        f'<text class="{kind}" x="{x}" y="{y}"{shift} fill="{fill}" font-size="13" '
        f'text-anchor="{anchor}">{whole}{safe(shown)}</text>'
    )


def in_two_lines(text: str, x: str, y: int, anchor: str) -> list[str]:
    """A label in at most two lines, so that it fits a narrow column."""
    first, _, rest = text.partition(" ")
    if not rest:
        return [written(first, x, y + 7, "chart-label", anchor=anchor)]
    return [
        written(line, x, y + 14 * place, "chart-label", anchor=anchor)
        for place, line in enumerate((first, rest))
    ]


def shortened(text: str, letters: int = LETTERS) -> str:
    """The text with its middle left out: models differ at either end."""
    if len(text) <= letters:
        return text
    end = (letters - 1) // 2
    return f"{text[: letters - 1 - end]}\N{HORIZONTAL ELLIPSIS}{text[-end:]}"


def slug(name: str) -> str:
    """The name as a class or an id."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def safe(text: str) -> str:
    """Escaped, and without the characters that XML cannot hold."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "", text))
