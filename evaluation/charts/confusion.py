"""A confusion matrix as shaded squares. Pure."""

from collections.abc import Sequence

from evaluation.charts.svg import LINE, NARROWEST, frame, lines_of, written

TALL = 44
# The columns of more labels are too narrow for words.
MOST_NAMED = 4


def confusion_matrix(
    table: Sequence[Sequence[int]],
    labels: Sequence[str],
    *,
    sides: tuple[str, str],
    title: str,
    describe: str,
    key: str,
    wide: int = NARROWEST,
) -> str:
    """A k x k table as shaded squares: rows the first side's labels, columns the second's.

    Columns that are too narrow for a label's words are numbered, and rows have the number and the label.
    """
    size, heads, before = len(labels), labels, 1
    if size > MOST_NAMED or _breaks_a_word(labels, _room(size, before, wide)):
        heads = [str(n) for n in range(1, size + 1)]
        labels, before = [f"{n} {label}" for n, label in zip(heads, labels, strict=True)], 2
    step, room = 100 / (size + before), _room(size, before, wide)
    body, y = [], 13
    for side in (f"Rows: {sides[0]}", f"Columns: {sides[1]}"):
        body.append(written(side, "0", y, "chart-label", room=wide))
        y += LINE * len(lines_of(side, wide)) + 1
    body += [
        written(
            head,
            f"{step * (n + before + 0.5):.3f}%",
            y + 3,
            "chart-label",
            anchor="middle",
            room=room,
        )
        for n, head in enumerate(heads)
    ]
    most = [max(len(lines_of(text, room)) for text in texts) for texts in (heads, labels)]
    top, tall = y + LINE * most[0] - 6, max(TALL, LINE * most[1] + 8)
    largest = max((count for row in table for count in row), default=0)
    for i, row in enumerate(table):
        y = top + i * tall
        middle = y + tall / 2 + 5 - LINE * (len(lines_of(labels[i], room)) - 1) / 2
        body.append(written(labels[i], "0", middle, "chart-label", room=room))
        for j, count in enumerate(row):
            body += _square(count, largest, (step * (j + before), y, step, tall), i == j)
    return frame(
        "".join(body), height=top + size * tall + 2, title=title, describe=describe, key=key
    )


def _room(size: int, before: int, wide: int) -> float:
    """Widths are estimates from above, and broken words are hard to read: a label may be wider than its column."""
    return before * wide / (size + before) + 6


def _breaks_a_word(labels: Sequence[str], room: float) -> bool:
    words = (word for label in labels for word in label.split())
    return any(len(lines_of(word, room)) > 1 for word in words)


def _square(count: int, most: int, box: tuple[float, int, float, int], agree: bool) -> list[str]:
    x, y, width, height = box
    # At most half-opaque, so that the page's own ink stays readable on it in light and dark.
    shade = 0.5 * count / most if most else 0
    kind = "square square-agree" if agree else "square"
    return [
        f'<rect class="{kind}" x="{x:.3f}%" y="{y}" width="{width:.3f}%" height="{height}" fill="#20638f" '
        f'fill-opacity="{shade:.3f}" stroke="#8a8a8a" stroke-width="{2 if agree else 1}"/>',
        written(
            str(count), f"{x + width / 2:.3f}%", y + height / 2 + 5, "chart-count", anchor="middle"
        ),
    ]
