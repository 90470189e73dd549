"""A forest plot: estimates with their intervals on one axis. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from evaluation.charts.svg import frame, safe, written

LINE, LANE, AXIS = 16, 24, 26
# So many letters fit a line of a narrow page, and next to the number on that line.
LETTERS, LETTERS_BEFORE_A_NUMBER = 40, 20


@dataclass(frozen=True)
class Estimate:
    """One row: `value` with the interval `low` to `high` on the axis, any of them None where there is none.

    `text` is the same in words, or why there is no value.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    text: str


def forest_plot(
    estimates: Sequence[Estimate],
    *,
    title: str,
    describe: str,
    key: str,
    ends: tuple[float, float] | None = None,
    percent: bool = False,
    lines: int = 2,
) -> str:
    """Each estimate as a square on its interval's line; the axis runs over `ends`, or over what is shown.

    `percent` writes shares 0..1 as per cent on the axis. Label and number have a line each, or one together.
    """
    low, high = ends or _ends(estimates)
    caption = lines * LINE
    tall = len(estimates) * (caption + LANE)
    # Fifths; halves where these would be too close, quarters in a small multiple.
    wide = high - low
    steps = 4 if lines == 1 else round(wide * (5 if wide <= 1.2 else 2))
    body = _axis((low, high), steps, tall, percent)
    for place, estimate in enumerate(estimates):
        top = place * (caption + LANE)
        body += _caption(estimate, top, lines) + _whisker(estimate, (low, high), top + caption)
    return frame("".join(body), height=tall + AXIS, title=title, describe=describe, key=key)


def _ends(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """From 0, or a fifth below the least end shown, up to 1."""
    shown = [end for one in estimates for end in (one.value, one.low, one.high) if end is not None]
    return floor(5 * min(0.0, *shown, 0.0)) / 5, max(1.0, ceil(5 * max(shown, default=1.0)) / 5)


def _axis(ends: tuple[float, float], steps: int, tall: int, percent: bool) -> list[str]:
    parts, (low, high) = [], ends
    for step in range(steps + 1):
        value = round(low + (high - low) * step / steps, 3) + 0.0
        x = f"{100 * step / steps:.3f}%"
        anchor = "start" if step == 0 else "end" if step == steps else "middle"
        shown = f"{100 * value:.0f} %" if percent else f"{value:.1f}".replace("-", "\N{MINUS SIGN}")
        parts += [
            f'<line class="grid" x1="{x}" y1="0" x2="{x}" y2="{tall}" stroke="#8a8a8a" stroke-width="1" '
            'stroke-dasharray="1 3"/>',
            written(shown, x, tall + 17, "chart-n", anchor=anchor),
        ]
    return parts


def _caption(estimate: Estimate, y: int, lines: int) -> list[str]:
    if lines == 1:
        letters = LETTERS_BEFORE_A_NUMBER
        return [
            written(estimate.label, "0", y + 13, "chart-label", letters=letters),
            written(estimate.text, "100%", y + 13, "chart-n", anchor="end"),
        ]
    return [
        written(estimate.label, "0", y + 13, "chart-label", letters=LETTERS),
        written(estimate.text, "0", y + 29, "chart-n", letters=LETTERS),
    ]


def _whisker(estimate: Estimate, ends: tuple[float, float], y: int) -> list[str]:
    """A square at the value and a line over its interval, as far as there are any."""
    middle, parts = y + LANE / 2 - 2, []
    words = f"<title>{safe(f'{estimate.label}: {estimate.text}')}</title>"
    if estimate.low is not None and estimate.high is not None:
        left, right = _place(estimate.low, ends), _place(estimate.high, ends)
        parts.append(
            f'<line class="whisker" x1="{left}" y1="{middle}" x2="{right}" y2="{middle}" stroke="currentColor" '
            f'stroke-width="2">{words}</line>'
        )
        parts += [
            f'<line class="whisker" x1="{x}" y1="{middle - 5}" x2="{x}" y2="{middle + 5}" '
            'stroke="currentColor" stroke-width="2"/>'
            for x in (left, right)
        ]
    if estimate.value is not None:
        # The square is centred by the transform: its place is a percentage, its size pixels.
        parts.append(
            f'<rect class="point" x="{_place(estimate.value, ends)}" y="{middle - 5}" width="10" height="10" '
            f'transform="translate(-5 0)" fill="#20638f">{words}</rect>'
        )
    return parts


def _place(value: float, ends: tuple[float, float]) -> str:
    low, high = ends
    return f"{100 * (min(max(value, low), high) - low) / (high - low):.3f}%"
