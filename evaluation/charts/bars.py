"""Stacked bars. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.charts import axis
from evaluation.charts.svg import (
    FILLS,
    LINE,
    NARROWEST,
    OTHER_FILL,
    SANS,
    frame,
    lines_of,
    safe,
    slug,
    written,
)

BAR, GAP = 22, 12
SQUARE, LEGEND_COLUMNS = 18, 2


@dataclass(frozen=True)
class StackedBar:
    """One stacked bar; `counts` follow the chart's order of names."""

    label: str
    counts: tuple[int, ...]


def stacked_bars(
    bars: Sequence[StackedBar],
    names: Sequence[tuple[str, str]],
    *,
    title: str,
    describe: str,
    key: str,
    wide: int = NARROWEST,
) -> str:
    """Stacked bars of equal length, each its own 100 %.

    `names` are (class key, label) in stacking order; `key` makes the chart's element ids unique on a page.
    """
    body, y = _legend(names, wide)
    for bar in bars:
        caption = LINE * len(lines_of(bar.label, _room(bar, wide))) + 2
        body += _bar(bar, names, y, (caption, wide))
        y += caption + BAR + GAP
    across = axis.axis_over(0, 100, wide)
    foot = y - GAP
    body += axis.drawn(across, [(foot, foot + 4)], foot, "Share of responses, %")
    return frame("".join(body), height=foot + axis.TALL, title=title, describe=describe, key=key)


def _room(bar: StackedBar, wide: int) -> float:
    """For the label, next to the number of responses."""
    return wide - GAP - SANS.width(_n(bar))


def _n(bar: StackedBar) -> str:
    return f"n = {sum(bar.counts)}"


def _bar(
    bar: StackedBar, names: Sequence[tuple[str, str]], y: int, size: tuple[int, int]
) -> list[str]:
    (caption, wide), total = size, sum(bar.counts)
    parts = [
        written(bar.label, "0", y + 13, "chart-label", room=_room(bar, wide)),
        written(_n(bar), "100%", y + 13, "chart-n", anchor="end"),
    ]
    if not total:
        parts.append(written("no responses counted", "0", y + caption + 15, "chart-n"))
    done = 0
    for (name, label), count in zip(names, bar.counts, strict=True):
        if count:
            parts += _segment(name, label, count, (done, total), (y + caption, wide))
        done += count
    return parts


def _segment(
    name: str, label: str, count: int, place: tuple[int, int], size: tuple[int, int]
) -> list[str]:
    (done, total), (y, wide) = place, size
    fill, ink = FILLS.get(name, OTHER_FILL)
    left, width = 100 * done / total, 100 * count / total
    parts = [
        f'<rect class="seg seg-{slug(name)}" x="{left:.3f}%" y="{y}" width="{width:.3f}%" height="{BAR}" '
        f'fill="{fill}" stroke="#ffffff" stroke-width="1">'
        f"<title>{safe(label)}: {count} of {total}</title></rect>"
    ]
    # Where there is no room for the number, the table next to the chart has it.
    if wide * count / total >= SANS.width(str(count)) + 4:
        middle = f"{left + width / 2:.3f}%"
        ink_class = f"ink ink-{slug(name)}"
        parts.append(written(str(count), middle, y + 15, ink_class, anchor="middle", fill=ink))
    return parts


def _legend(names: Sequence[tuple[str, str]], wide: int) -> tuple[list[str], int]:
    """The squares with their labels, and where they end."""
    parts, y, room = [], 0, wide / LEGEND_COLUMNS - SQUARE - 4
    for start in range(0, len(names), LEGEND_COLUMNS):
        row = names[start : start + LEGEND_COLUMNS]
        for column, (name, label) in enumerate(row):
            x, fill = f"{100 * column / LEGEND_COLUMNS:.3f}%", FILLS.get(name, OTHER_FILL)[0]
            parts.append(
                f'<rect class="seg seg-{slug(name)}" x="{x}" y="{y + 2}" width="12" height="14" fill="{fill}"/>'
            )
            # dx adds pixels to a percentage.
            parts.append(written(label, x, y + 14, "chart-legend", dx=SQUARE, room=room))
        y += LINE * max(len(lines_of(label, room)) for _, label in row) + 4
    return parts, y + 6
