"""Stacked bars. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.charts.svg import FILLS, OTHER_FILL, frame, safe, slug, written

BAR, GAP, CAPTION = 22, 12, 18
LEGEND_LINE, LEGEND_COLUMNS = 20, 2
# A narrower segment than this share has no room for its number; the table next to the chart has it.
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
    return frame("".join(body), height=y, title=title, describe=describe, key=key)


def _bar(bar: Bar, names: Sequence[tuple[str, str]], y: int) -> list[str]:
    total = sum(bar.counts)
    parts = [
        written(bar.label, "0", y + 13, "chart-label"),
        written(f"n = {total}", "100%", y + 13, "chart-n", anchor="end"),
    ]
    if not total:
        parts.append(written("no responses counted", "0", y + CAPTION + 15, "chart-n"))
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
        f'<rect class="seg seg-{slug(name)}" x="{left:.3f}%" y="{y}" width="{width:.3f}%" height="{BAR}" '
        f'fill="{fill}" stroke="#ffffff" stroke-width="1">'
        f"<title>{safe(label)}: {count} of {total}</title></rect>"
    ]
    if count / total >= ROOM_FOR_A_NUMBER:
        middle = f"{left + width / 2:.3f}%"
        ink_class = f"ink ink-{slug(name)}"
        parts.append(written(str(count), middle, y + 15, ink_class, anchor="middle", fill=ink))
    return parts


def _legend(names: Sequence[tuple[str, str]]) -> list[str]:
    parts = []
    for place, (name, label) in enumerate(names):
        line, column = divmod(place, LEGEND_COLUMNS)
        x, y = f"{100 * column / LEGEND_COLUMNS:.3f}%", LEGEND_LINE * line
        fill = FILLS.get(name, OTHER_FILL)[0]
        parts.append(
            f'<rect class="seg seg-{slug(name)}" x="{x}" y="{y + 2}" width="12" height="14" fill="{fill}"/>'
        )
        # dx: pixels from a percentage, which no length can say.
        parts.append(written(label, x, y + 14, "chart-legend", dx=18))
    return parts
