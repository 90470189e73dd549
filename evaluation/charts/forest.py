"""A forest plot: estimates with their intervals on one axis. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluation.charts import axis
from evaluation.charts.axis import Axis
from evaluation.charts.svg import LINE, NARROWEST, SANS, frame, lines_of, safe, written

LANE, GAP, CLEAR = 24, 12, 3


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


def in_per_cent(share: Estimate) -> Estimate:
    """An estimate of a share with its numbers times 100."""
    value, low, high = (
        None if end is None else 100 * end for end in (share.value, share.low, share.high)
    )
    return replace(share, value=value, low=low, high=high)


def forest_plot(
    estimates: Sequence[Estimate],
    *,
    title: str,
    describe: str,
    key: str,
    unit: str,
    ends: tuple[float, float] | None = None,
    wide: int = NARROWEST,
) -> str:
    """Each estimate as a square on its interval's line, all rows of one height, its number next to its label or below.

    The axis runs over `ends`, or over 0, 1 and what is shown; `unit` says what its values are.
    """
    shown = [end for row in estimates for end in (row.value, row.low, row.high) if end is not None]
    low, high = ends or (min(0.0, *shown, 0.0), max(1.0, *shown, 1.0))
    across = axis.axis_over(low, high, wide)
    beside = all(SANS.width(row.label) + GAP + SANS.width(row.text) <= wide for row in estimates)
    lines = [1 if beside else len(lines_of(row.label, wide)) + 1 for row in estimates]
    caption = LINE * max(lines, default=1)
    tall = len(estimates) * (caption + LANE)
    lanes = [place * (caption + LANE) + caption for place in range(len(estimates))]
    # From below the tails of a label's letters to above the next label.
    spans = ((lane + CLEAR, lane + LANE - CLEAR) for lane in lanes)
    body = axis.drawn(across, spans, tall, unit)
    for lane, estimate, n in zip(lanes, estimates, lines, strict=True):
        first, last = lane - LINE * n + 13, lane - LINE + 13
        x, anchor = ("100%", "end") if beside else ("0", "start")
        body += [
            written(estimate.label, "0", first, "chart-label", room=wide),
            written(estimate.text, x, last, "chart-n", anchor=anchor),
            *_whisker(estimate, across, lane),
        ]
    return frame("".join(body), height=tall + axis.TALL, title=title, describe=describe, key=key)


def _whisker(estimate: Estimate, across: Axis, y: int) -> list[str]:
    """A square at the value and a line over its interval, as far as there are any."""
    middle, parts = y + LANE / 2 - 2, []
    words = f"<title>{safe(f'{estimate.label}: {estimate.text}')}</title>"
    if estimate.low is not None and estimate.high is not None:
        left, right = across.place(estimate.low), across.place(estimate.high)
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
            f'<rect class="point" x="{across.place(estimate.value)}" y="{middle - 5}" width="10" height="10" '
            f'transform="translate(-5 0)" fill="#20638f">{words}</rect>'
        )
    return parts
