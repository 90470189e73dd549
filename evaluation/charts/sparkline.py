"""A sparkline: how a number went, in the height of two lines. Pure."""

from collections.abc import Sequence

from evaluation.charts.svg import frame, safe, written

TALL, FOOT = 40, 20


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
