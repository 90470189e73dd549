"""A flow diagram: what is left after each step, and why the rest is not. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.charts.svg import LINE, NARROWEST, SANS, frame, lines_of, written

BOX, ROOM, INDENT = 34, 12, 40


@dataclass(frozen=True)
class FlowBox:
    """A step with what is left at it, and before it the sentences on what was lost or changed on the way."""

    label: str
    count: str
    before: tuple[str, ...] = ()


def flow_diagram(
    stages: Sequence[FlowBox], *, title: str, describe: str, key: str, wide: int = NARROWEST
) -> str:
    """Boxes from top to bottom, an arrow between two, the losses written next to the arrow."""
    body: list[str] = []
    y = 1
    for place, stage in enumerate(stages):
        if place:
            down = y + ROOM // 2 + 13
            for reason in stage.before:
                body.append(written(reason, str(INDENT), down, "chart-n", room=wide - INDENT))
                down += LINE * len(lines_of(reason, wide - INDENT)) + 2
            end = max(down - 13 + ROOM // 2, y + LINE + ROOM)
            body += _arrow(y, end - y)
            y = end
        body += _box(stage, y, wide)
        y += _tall(stage, wide)
    return frame("".join(body), height=y + 2, title=title, describe=describe, key=key)


def _room(stage: FlowBox, wide: int) -> tuple[float, bool]:
    """For the label, next to the number; or above it, where the label is broken next to it and there is not."""
    whole = 0.97 * wide - 20
    beside = whole - SANS.width(stage.count)
    is_above = beside < SANS.width(stage.label) <= whole
    return whole if is_above else beside, is_above


def _tall(stage: FlowBox, wide: int) -> int:
    room, is_above = _room(stage, wide)
    return BOX + LINE * (len(lines_of(stage.label, room)) - 1 + is_above)


def _box(stage: FlowBox, y: int, wide: int) -> list[str]:
    room, is_above = _room(stage, wide)
    return [
        f'<rect class="flow-box" x="1" y="{y}" width="99%" height="{_tall(stage, wide)}" rx="3" fill="#20638f" '
        'fill-opacity="0.1" stroke="#72777d" stroke-width="1"/>',
        written(stage.label, "10", y + 22, "chart-label", room=room),
        written(stage.count, "97%", y + 22 + LINE * is_above, "chart-count", anchor="end"),
    ]


def _arrow(y: int, tall: int) -> list[str]:
    end = y + tall
    return [
        f'<line class="arrow" x1="20" y1="{y}" x2="20" y2="{end - 6}" stroke="currentColor" stroke-width="1.5"/>',
        f'<path class="arrow-head" d="M14 {end - 8} L26 {end - 8} L20 {end} Z" fill="currentColor"/>',
    ]
