"""Stacked bars. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.charts import axis
from evaluation.charts.svg import (
    FILLS,
    HATCHES,
    LINE,
    NARROWEST,
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
    """One stacked bar; `counts` follow the chart's order of parts."""

    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True)
class BarPart:
    """What bars are made of. `tone` is a key of FILLS; the first part of a tone is plain, the next have a `hatch`."""

    key: str
    label: str
    tone: str
    hatch: int = 0

    @property
    def colours(self) -> tuple[str, str]:
        """Fill and ink."""
        return FILLS[self.tone]


def stacked_bars(
    bars: Sequence[StackedBar],
    parts: Sequence[BarPart],
    *,
    title: str,
    describe: str,
    key: str,
    wide: int = NARROWEST,
) -> str:
    """Stacked bars of equal length, each its own 100 %.

    `parts` are in stacking order; `key` makes the chart's element ids unique on a page.
    """
    body, y = _legend(parts, wide, key)
    body = [*(_pattern(part, key) for part in parts if part.hatch), *body]
    for bar in bars:
        caption = LINE * len(lines_of(bar.label, _room(bar, wide))) + 2
        body += _bar(bar, parts, y, (caption, wide), key)
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
    bar: StackedBar, parts: Sequence[BarPart], y: int, size: tuple[int, int], key: str
) -> list[str]:
    (caption, wide), total = size, sum(bar.counts)
    body = [
        written(bar.label, "0", y + 13, "chart-label", room=_room(bar, wide)),
        written(_n(bar), "100%", y + 13, "chart-n", anchor="end"),
    ]
    if not total:
        body.append(written("no responses counted", "0", y + caption + 15, "chart-n"))
    done = 0
    for part, count in zip(parts, bar.counts, strict=True):
        if count:
            body += _segment(part, count, (done, total), (y + caption, wide), key)
        done += count
    return body


def _segment(
    part: BarPart, count: int, place: tuple[int, int], size: tuple[int, int], key: str
) -> list[str]:
    (done, total), (y, wide), (fill, ink) = place, size, part.colours
    left, width = 100 * done / total, 100 * count / total
    box = f'x="{left:.3f}%" y="{y}" width="{width:.3f}%" height="{BAR}"'
    body = [
        f'<rect class="seg seg-{slug(part.key)}" {box} fill="{fill}" stroke="#ffffff" stroke-width="1">'
        f"<title>{safe(part.label)}: {count} of {total}</title></rect>",
        *_hatched(part, box, key),
    ]
    # Where there is no room for the number, the table next to the chart has it.
    room = SANS.width(str(count)) + 4
    if wide * count / total >= room:
        middle = f"{left + width / 2:.3f}%"
        if part.hatch:
            body.append(
                f'<rect class="plate" x="{middle}" y="{y + 3}" width="{room:g}" height="{BAR - 6}" '
                f'transform="translate({-room / 2:g} 0)" fill="{fill}"/>'
            )
        ink_class = f"ink ink-{slug(part.key)}"
        body.append(written(str(count), middle, y + 15, ink_class, anchor="middle", fill=ink))
    return body


def _pattern(part: BarPart, key: str) -> str:
    return (
        f'<pattern id="{slug(key)}-{slug(part.key)}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<path class="hatch" d="{HATCHES[part.hatch - 1]}" stroke="{part.colours[1]}" stroke-width="1.5" '
        'stroke-opacity="0.7" fill="none"/></pattern>'
    )


def _hatched(part: BarPart, box: str, key: str) -> list[str]:
    """What is drawn over a hatched part's fill; the mouse finds the title below."""
    over = f'fill="url(#{slug(key)}-{slug(part.key)})" pointer-events="none"'
    return [f"<rect {box} {over}/>"] if part.hatch else []


def _legend(parts: Sequence[BarPart], wide: int, key: str) -> tuple[list[str], int]:
    """The squares with their labels, and where they end."""
    body: list[str] = []
    y, room = 0, wide / LEGEND_COLUMNS - SQUARE - 4
    for start in range(0, len(parts), LEGEND_COLUMNS):
        row = parts[start : start + LEGEND_COLUMNS]
        for column, part in enumerate(row):
            x, fill = f"{100 * column / LEGEND_COLUMNS:.3f}%", part.colours[0]
            box = f'x="{x}" y="{y + 2}" width="12" height="14"'
            body.append(f'<rect class="seg seg-{slug(part.key)}" {box} fill="{fill}"/>')
            body += _hatched(part, box, key)
            # dx adds pixels to a percentage.
            body.append(written(part.label, x, y + 14, "chart-legend", dx=SQUARE, room=room))
        y += LINE * max(len(lines_of(part.label, room)) for part in row) + 4
    return body, y + 6
