"""Charts as PNG, drawn by resvg with the fonts that the machine has."""

from functools import cache

import resvg_py

from evaluation.charts.standalone import standalone
from leases.refusal import Refusal

# Two pixels for one: sharp in print at the size that the chart has on a page.
ZOOM = 2
FAMILIES = ("DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica")
NO_FONT = (
    "The server has no font to write the labels with, so it makes no PNG. Take the SVG, or have a font installed "
    "(on Debian: fonts-dejavu-core)."
)


def png(svg: str) -> bytes:
    """A chart as a PNG on white; raises Refusal where no font is installed, rather than leave the labels out."""
    family = font_family()
    if family is None:
        raise Refusal(NO_FONT, status=503)
    return _drawn(standalone(svg), family)


@cache
def font_family() -> str | None:
    """The first family that text shows in; None where none does."""
    blank = _drawn(_probe(""), FAMILIES[0])
    return next((name for name in FAMILIES if _drawn(_probe("Mm"), name) != blank), None)


def _probe(text: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">'
        f'<text x="2" y="16" font-family="sans-serif" font-size="13">{text}</text></svg>'
    )


def _drawn(svg: str, family: str) -> bytes:
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, zoom=ZOOM, font_family=family, sans_serif_family=family
        )
    )
