"""A heat map of pairs: one square for each two of several people. Pure."""

from collections.abc import Mapping, Sequence

from evaluation.charts.svg import LINE, NARROWEST, frame, lines_of, safe, written

TALL, TOP = 34, 24
# The share of the width that the names take.
NAMES = 32


def pair_heat_map(
    names: Sequence[str],
    values: Mapping[tuple[str, str], float | None],
    *,
    title: str,
    describe: str,
    key: str,
    wide: int = NARROWEST,
) -> str:
    """The lower triangle of names against names: the number in each square, a darker square for a higher one.

    `values` are by two names in either order, -1..1; None is drawn as a dash, a pair that is not there stays
    empty. Rows are numbered, and columns go by these numbers, so that it fits a narrow page.
    """
    size = len(names) - 1
    step, room = (100 - NAMES) / max(size, 1), NAMES * wide / 100 - 4
    labels = [f"{row}  {name}" for row, name in enumerate(names, start=1)]
    tall = max(TALL, *(LINE * len(lines_of(label, room)) + 8 for label in labels))
    body = [written("Judge", "0", 15, "chart-n")]
    body += [
        written(
            str(column + 1),
            f"{NAMES + step * (column + 0.5):.3f}%",
            15,
            "chart-label",
            anchor="middle",
        )
        for column in range(size)
    ]
    for row, name in enumerate(names):
        y = TOP + row * tall
        middle = y + tall / 2 + 5 - LINE * (len(lines_of(labels[row], room)) - 1) / 2
        body.append(written(labels[row], "0", middle, "chart-label", room=room))
        for column, other in enumerate(names[:row]):
            both = (name, other) if (name, other) in values else (other, name)
            if both in values:
                box = (NAMES + step * column, y, step, tall)
                body += _square(f"{name} and {other}", values[both], box)
    height = TOP + len(names) * tall + 2
    return frame("".join(body), height=height, title=title, describe=describe, key=key)


def _square(who: str, value: float | None, box: tuple[float, int, float, int]) -> list[str]:
    x, y, width, tall = box
    # At most half-opaque, so that the page's own ink stays readable on it in light and dark.
    shade = 0.5 * max(value, 0) if value is not None else 0
    shown = "\N{EN DASH}" if value is None else _short(value)
    label = f"{who}: {'undefined' if value is None else f'{round(value, 3) + 0.0:.3f}'}"
    return [
        f'<rect class="square" x="{x:.3f}%" y="{y}" width="{width:.3f}%" height="{tall}" fill="#20638f" '
        f'fill-opacity="{shade:.3f}" stroke="#8a8a8a" stroke-width="1"><title>{safe(label)}</title></rect>',
        written(shown, f"{x + width / 2:.3f}%", y + tall / 2 + 5, "chart-count", anchor="middle"),
    ]


def _short(value: float) -> str:
    """Two places without the zero before them, which every square would repeat."""
    text = f"{round(value, 2) + 0.0:.2f}"
    return text.replace("0.", ".", 1).replace("-", "\N{MINUS SIGN}")
