"""An axis: which values it names, and how they are written. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, log10

from evaluation.charts.svg import written

# The height below the drawing, for the values and the title.
TALL = 42
# The width of a value with the space next to it.
VALUE = 40


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` by `step`, which is 1, 2 or 5 times a power of ten, and so are both ends."""

    first: int
    last: int
    step: float
    places: int

    @property
    def low(self) -> float:
        return self.first * self.step

    @property
    def high(self) -> float:
        return self.last * self.step

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Each value, with as many places as the step needs and a true minus sign."""
        values = [n * self.step for n in range(self.first, self.last + 1)]
        return [
            (v, f"{round(v, self.places) + 0.0:.{self.places}f}".replace("-", "\N{MINUS SIGN}"))
            for v in values
        ]

    def place(self, value: float) -> str:
        """Where a value stands, in per cent of the width; at an end what lies beyond it."""
        inside = min(max(value, self.low), self.high)
        return f"{100 * (inside - self.low) / (self.high - self.low):.3f}%"


def axis_over(low: float, high: float, wide: float) -> Axis:
    """The finest axis over `low` to `high` whose values have room in `wide` pixels."""
    finest = floor(log10((high - low) * VALUE / wide))
    for power, factor in product(range(finest, finest + 3), (1, 2, 5)):
        step = factor * 10.0**power
        # An end that is a multiple of the step but for its last digit, as 0.6 of 0.2, stays.
        first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
        if (last - first) * VALUE <= wide:
            break
    return Axis(first, last, step, max(0, -power))


def drawn(axis: Axis, spans: Iterable[tuple[float, float]], foot: float, title: str) -> list[str]:
    """A line at each value over each of the `spans` of heights, the values below `foot`, and below these the title."""
    parts, spans = [], list(spans)
    for n, (value, shown) in enumerate(ticks := axis.ticks):
        x = axis.place(value)
        anchor = "start" if n == 0 else "end" if n == len(ticks) - 1 else "middle"
        parts += [
            f'<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{end}" stroke="#8a8a8a" stroke-width="1" '
            'stroke-dasharray="1 2"/>'
            for top, end in spans
        ]
        parts.append(written(shown, x, foot + 17, "chart-n", anchor=anchor))
    return [*parts, written(title, "50%", foot + 36, "chart-n", anchor="middle")]
