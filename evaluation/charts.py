"""Charts as SVG markup: plain functions from data to text. Pure.

Widths are percentages and letters pixels, so that a chart fits any column and stays readable. Colours are
presentation attributes, which a strict Content-Security-Policy permits; a stylesheet overrides them through
the classes (static/css/evaluation.css). Every text is escaped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

BAR, GAP, CAPTION = 22, 12, 18
LEGEND_LINE, LEGEND_COLUMNS = 20, 2
# Fill, and the ink that can be read on it (contrast at least 4.5 to 1).
FILLS = {
    "correct": ("#20638f", "#ffffff"),
    "partially correct": ("#e5b956", "#1d1d1d"),
    "incorrect": ("#a8442f", "#ffffff"),
    "unlabelled": ("#d2d2d2", "#1d1d1d"),
}
OTHER_FILL = ("#6b6b6b", "#ffffff")
# A narrower segment than this share has no room for its number; the table beside the chart has it.
ROOM_FOR_A_NUMBER = 0.07


@dataclass(frozen=True)
class Bar:
    """One stacked bar; `counts` follow the chart's order of names."""

    label: str
    counts: tuple[int, ...]


def stacked_bars(
    bars: Sequence[Bar], names: Sequence[tuple[str, str]], *, title: str, describe: str, key: str
) -> str:
    """Stacked bars of equal length, each its own 100 %.

    `names` are (class key, label) in stacking order; `key` makes the chart's element ids unique on a page.
    """
    body: list[str] = _legend(names)
    y = LEGEND_LINE * -(-len(names) // LEGEND_COLUMNS) + 6
    for bar in bars:
        body += _bar(bar, names, y)
        y += CAPTION + BAR + GAP
    return _svg("".join(body), height=y, title=title, describe=describe, key=key)


def _bar(bar: Bar, names: Sequence[tuple[str, str]], y: int) -> list[str]:
    total = sum(bar.counts)
    parts = [
        _label(bar.label, "0", y + 13, "chart-label"),
        _label(f"n = {total}", "100%", y + 13, "chart-n", anchor="end"),
    ]
    if not total:
        parts.append(_label("no responses counted", "0", y + CAPTION + 15, "chart-n"))
    done = 0
    for (name, label), count in zip(names, bar.counts, strict=True):
        if count:
            parts += _segment(name, label, count, (done, total), y + CAPTION)
        done += count
    return parts


def _segment(name: str, label: str, count: int, place: tuple[int, int], y: int) -> list[str]:
    done, total = place
    fill, ink = FILLS.get(name, OTHER_FILL)
    left, width = 100 * done / total, 100 * count / total
    parts = [
        f'<rect class="seg seg-{_slug(name)}" x="{left:.3f}%" y="{y}" width="{width:.3f}%" height="{BAR}" '
        f'fill="{fill}" stroke="#ffffff" stroke-width="1">'
        f"<title>{_text(label)}: {count} of {total}</title></rect>"
    ]
    if count / total >= ROOM_FOR_A_NUMBER:
        middle = f"{left + width / 2:.3f}%"
        ink_class = f"ink ink-{_slug(name)}"
        parts.append(_label(str(count), middle, y + 15, ink_class, anchor="middle", fill=ink))
    return parts


def _legend(names: Sequence[tuple[str, str]]) -> list[str]:
    parts = []
    for place, (name, label) in enumerate(names):
        line, column = divmod(place, LEGEND_COLUMNS)
        x, y = f"{100 * column / LEGEND_COLUMNS:.3f}%", LEGEND_LINE * line
        fill = FILLS.get(name, OTHER_FILL)[0]
        parts.append(
            f'<rect class="seg seg-{_slug(name)}" x="{x}" y="{y + 2}" width="12" height="14" fill="{fill}"/>'
        )
        # dx: pixels from a percentage, which no length can say.
        parts.append(_label(label, x, y + 14, "chart-legend", dx=18))
    return parts


def confusion_matrix(
    table: Sequence[Sequence[int]],
    labels: Sequence[str],
    *,
    sides: tuple[str, str],
    title: str,
    describe: str,
    key: str,
) -> str:
    """A k x k table as shaded squares: rows the first side's labels, columns the second's."""
    size = len(labels)
    step, tall, top = 100 / (size + 1), 44, 56
    most = max((count for row in table for count in row), default=0)
    body = [
        _label(f"{sides[0]} (rows) and {sides[1]} (columns)", "0", 13, "chart-label"),
        *(
            piece
            for place, label in enumerate(labels)
            for piece in _words(label, f"{step * (place + 1.5):.3f}%", 32, "middle")
        ),
    ]
    for i, row in enumerate(table):
        y = top + i * tall
        body += _words(labels[i], "0", y + 20, "start")
        for j, count in enumerate(row):
            body += _square(count, most, (step * (j + 1), y, step, tall), i == j)
    return _svg(
        "".join(body), height=top + size * tall + 2, title=title, describe=describe, key=key
    )


def _square(count: int, most: int, box: tuple[float, int, float, int], agree: bool) -> list[str]:
    x, y, width, height = box
    # At most half-opaque, so that the page's own ink stays readable on it in light and dark.
    shade = 0.5 * count / most if most else 0
    kind = "square square-agree" if agree else "square"
    return [
        f'<rect class="{kind}" x="{x:.3f}%" y="{y}" width="{width:.3f}%" height="{height}" fill="#20638f" '
        f'fill-opacity="{shade:.3f}" stroke="#8a8a8a" stroke-width="{2 if agree else 1}"/>',
        _label(str(count), f"{x + width / 2:.3f}%", y + 27, "chart-count", anchor="middle"),
    ]


def _words(label: str, x: str, y: int, anchor: str) -> list[str]:
    """A label in at most two lines, so that it fits a narrow column."""
    first, _, rest = label.partition(" ")
    if not rest:
        return [_label(first, x, y + 7, "chart-label", anchor=anchor)]
    return [
        _label(line, x, y + 14 * place, "chart-label", anchor=anchor)
        for place, line in enumerate((first, rest))
    ]


def _label(
    text: str,
    x: str,
    y: int,
    kind: str,
    *,
    anchor: str = "start",
    fill: str = "currentColor",
    dx: int = 0,
) -> str:
    shift = f' dx="{dx}"' if dx else ""
    return (
        f'<text class="{kind}" x="{x}" y="{y}"{shift} fill="{fill}" font-size="13" '
        f'text-anchor="{anchor}">{_text(text)}</text>'
    )


def _svg(body: str, *, height: int, title: str, describe: str, key: str) -> str:
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="100%" height="{height}" '
        f'font-family="system-ui, sans-serif" aria-labelledby="{_slug(key)}-t {_slug(key)}-d">'
        f'<title id="{_slug(key)}-t">{_text(title)}</title>'
        f'<desc id="{_slug(key)}-d">{_text(describe)}</desc>{body}</svg>'
    )


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _text(value: str) -> str:
    """Escaped, and without the control characters that XML cannot hold."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]", "", value))
