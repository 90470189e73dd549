"""A flow diagram: what is left after each step, and why the rest is not. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from evaluation.charts.svg import frame, written

BOX, LINE, ROOM = 34, 18, 12
# So many letters fit next to the arrow on a narrow page.
LETTERS = 36


@dataclass(frozen=True)
class Stage:
    """A step with what is left at it, and before it the sentences on what was lost or changed on the way."""

    label: str
    count: str
    before: tuple[str, ...] = ()


def flow_diagram(stages: Sequence[Stage], *, title: str, describe: str, key: str) -> str:
    """Boxes from top to bottom, an arrow between two, the losses written next to the arrow."""
    body: list[str] = []
    y = 1
    for place, stage in enumerate(stages):
        if place:
            lines = [line for reason in stage.before for line in wrap(reason, LETTERS)]
            tall = max(LINE * len(lines), LINE) + ROOM
            body += _arrow(y, tall)
            body += [
                written(line, "40", y + ROOM / 2 + LINE * number + 13, "chart-n", letters=LETTERS)
                for number, line in enumerate(lines)
            ]
            y += tall
        body += _box(stage, y)
        y += BOX
    return frame("".join(body), height=y + 2, title=title, describe=describe, key=key)


def _box(stage: Stage, y: int) -> list[str]:
    return [
        f'<rect class="flow-box" x="1" y="{y}" width="99%" height="{BOX}" rx="3" fill="#20638f" '
        'fill-opacity="0.1" stroke="#72777d" stroke-width="1"/>',
        written(stage.label, "10", y + 22, "chart-label"),
        written(stage.count, "97%", y + 22, "chart-count", anchor="end"),
    ]


def _arrow(y: int, tall: int) -> list[str]:
    end = y + tall
    return [
        f'<line class="arrow" x1="20" y1="{y}" x2="20" y2="{end - 6}" stroke="currentColor" stroke-width="1.5"/>',
        f'<path class="arrow-head" d="M14 {end - 8} L26 {end - 8} L20 {end} Z" fill="currentColor"/>',
    ]
