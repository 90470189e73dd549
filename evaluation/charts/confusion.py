"""A confusion matrix as shaded squares. Pure."""

from collections.abc import Sequence

from evaluation.charts.svg import frame, in_two_lines, written

# So many letters of the sides' names fit a narrow page.
LETTERS = 40


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
    step, tall, top = 100 / (size + 1), 44, 73
    most = max((count for row in table for count in row), default=0)
    body = [
        written(f"Rows: {sides[0]}", "0", 13, "chart-label", letters=LETTERS),
        written(f"Columns: {sides[1]}", "0", 30, "chart-label", letters=LETTERS),
        *(
            piece
            for place, label in enumerate(labels)
            for piece in in_two_lines(label, f"{step * (place + 1.5):.3f}%", 49, "middle")
        ),
    ]
    for i, row in enumerate(table):
        y = top + i * tall
        body += in_two_lines(labels[i], "0", y + 20, "start")
        for j, count in enumerate(row):
            body += _square(count, most, (step * (j + 1), y, step, tall), i == j)
    return frame(
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
        written(str(count), f"{x + width / 2:.3f}%", y + 27, "chart-count", anchor="middle"),
    ]
