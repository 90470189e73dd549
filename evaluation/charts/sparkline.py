"""A sparkline: how a number went, in the height of two lines. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.charts.svg import LINE, NARROWEST, SANS, frame, lines_of, safe, written

TALL, FOOT, HEAD = 40, 20, 20
BELOW = 28


@dataclass(frozen=True)
class Trend:
    """How one share went: its `label`, and points of (what, share 0..1 or None, the text below it)."""

    label: str
    points: tuple[tuple[str, float | None, str], ...]


def sparkline(
    points: Sequence[tuple[str, int]], *, title: str, describe: str, key: str, unit: str
) -> str:
    """Counts a day, as thin bars from 0; `points` are (day, count), the first and last day written below."""
    most = max((count for _, count in points), default=0)
    step, foot = 100 / max(len(points), 1), HEAD + TALL
    body = [written(f"{unit.capitalize()} a day, at most {most:,}", "0", 13, "chart-n")]
    for place, (name, count) in enumerate(points):
        height = TALL * count / most if most else 0
        body.append(
            f'<rect class="spark" x="{step * place + step * 0.1:.3f}%" y="{foot - height:.2f}" '
            f'width="{step * 0.8:.3f}%" height="{height:.2f}" fill="#20638f">'
            f"<title>{safe(f'{name}: {count} {unit}')}</title></rect>"
        )
    body.append(_rule(foot))
    if points:
        body.append(written(points[0][0], "0", foot + 15, "chart-n"))
        body.append(written("Day", "50%", foot + 15, "chart-n", anchor="middle"))
    if len(points) > 1:
        body.append(written(points[-1][0], "100%", foot + 15, "chart-n", anchor="end"))
    return frame("".join(body), height=foot + FOOT, title=title, describe=describe, key=key)


def trend_lines(
    trends: Sequence[Trend],
    *,
    title: str,
    describe: str,
    key: str,
    axes: tuple[str, str],
    wide: int = NARROWEST,
) -> str:
    """Each trend as a line from point to point, between a rule at 0 and one at 100 %; a point of None leaves a gap.

    `axes` are what runs across and what goes up.
    """
    across, up = axes
    body, y = [written(up, "0", 13, "chart-n", room=wide)], LINE * len(lines_of(up, wide)) + 6
    for trend in trends:
        caption = LINE * len(lines_of(trend.label, _room(wide))) + 8
        body += _trend(trend, y, caption, wide)
        y += caption + TALL + BELOW
    body.append(written(across, "50%", y + 8, "chart-n", anchor="middle"))
    return frame("".join(body), height=y + FOOT, title=title, describe=describe, key=key)


def _room(wide: int) -> float:
    """For a trend's label, next to what the upper rule stands for."""
    return wide - SANS.width("100") - 12


def _trend(trend: Trend, top: int, caption: int, wide: int) -> list[str]:
    upper, foot = top + caption, top + caption + TALL
    step = 100 / max(len(trend.points), 1)
    drawn = [
        (f"{step * (n + 0.5):.3f}%", _height(point[1], foot), point)
        for n, point in enumerate(trend.points)
    ]
    parts = [written(trend.label, "0", top + 13, "chart-label", room=_room(wide))]
    for rule, value in ((upper, "100"), (foot, "0")):
        parts += [_rule(rule), written(value, "100%", rule - 4, "chart-n", anchor="end")]
    for (x1, y1, _), (x2, y2, _) in pairwise(drawn):
        if y1 and y2:
            parts.append(
                f'<line class="trend" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#20638f" stroke-width="2"/>'
            )
    for x, y, (name, _, text) in drawn:
        if y:
            words = f"<title>{safe(f'{trend.label}, {name}: {text}')}</title>"
            parts.append(
                f'<circle class="point" cx="{x}" cy="{y}" r="4" fill="#20638f">{words}</circle>'
            )
        parts.append(written(text, x, foot + 16, "chart-n", anchor="middle"))
    return parts


def _height(share: float | None, foot: int) -> str:
    """The height of a share above the foot; empty for none."""
    return "" if share is None else f"{foot - TALL * min(max(share, 0.0), 1.0):.2f}"


def _rule(y: int) -> str:
    return (
        f'<line class="grid" x1="0" y1="{y}" x2="100%" y2="{y}" stroke="#8a8a8a" stroke-width="1"/>'
    )
