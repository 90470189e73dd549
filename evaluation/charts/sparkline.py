"""A sparkline: how a number went, in the height of two lines. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.charts.svg import frame, safe, written

TALL, FOOT = 40, 20
CAPTION, BELOW = 24, 28
# A label has the line to itself.
LABEL_LETTERS = 42


@dataclass(frozen=True)
class Trend:
    """How one share went: its `label`, and points of (what, share 0..1 or None, the text below it)."""

    label: str
    points: tuple[tuple[str, float | None, str], ...]


def sparkline(
    points: Sequence[tuple[str, int]], *, title: str, describe: str, key: str, unit: str
) -> str:
    """Counts in order, as thin bars from 0; `points` are (label, count), the first and last label written below."""
    most = max((count for _, count in points), default=0)
    step = 100 / max(len(points), 1)
    body = []
    for place, (name, count) in enumerate(points):
        height = TALL * count / most if most else 0
        body.append(
            f'<rect class="spark" x="{step * place + step * 0.1:.3f}%" y="{TALL - height:.2f}" '
            f'width="{step * 0.8:.3f}%" height="{height:.2f}" fill="#20638f">'
            f"<title>{safe(f'{name}: {count} {unit}')}</title></rect>"
        )
    body.append(
        f'<line class="grid" x1="0" y1="{TALL}" x2="100%" y2="{TALL}" stroke="#8a8a8a" stroke-width="1"/>'
    )
    if points:
        body.append(written(points[0][0], "0", TALL + 15, "chart-n"))
    if len(points) > 1:
        body.append(written(points[-1][0], "100%", TALL + 15, "chart-n", anchor="end"))
    return frame("".join(body), height=TALL + FOOT, title=title, describe=describe, key=key)


def trend_lines(trends: Sequence[Trend], *, title: str, describe: str, key: str) -> str:
    """Each trend as a line from point to point, between a rule at 0 and one at 1; a point of None leaves a gap."""
    body = []
    each = CAPTION + TALL + BELOW
    for row, trend in enumerate(trends):
        body += _trend(trend, row * each)
    return frame(
        "".join(body), height=max(each * len(trends), 1), title=title, describe=describe, key=key
    )


def _trend(trend: Trend, top: int) -> list[str]:
    foot = top + CAPTION + TALL
    step = 100 / max(len(trend.points), 1)
    drawn = [
        (f"{step * (n + 0.5):.3f}%", _height(point[1], foot), point)
        for n, point in enumerate(trend.points)
    ]
    parts = [written(trend.label, "0", top + 13, "chart-label", letters=LABEL_LETTERS)]
    parts += [_rule(top + CAPTION), _rule(foot)]
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
