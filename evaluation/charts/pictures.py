"""Charts as files; PNG and PDF set by Typst with the machine's fonts, and with its own where the machine has none."""

from functools import cache

import typst

from evaluation.charts.standalone import WIDTHS, standalone

FORMS = ("svg", "png", "pdf")
# Dots an inch: what journals ask of a picture.
DENSITY = 300
_PAGE = b"""#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.chart), format: "svg", width: float(sys.inputs.width) * 1pt, alt: sys.inputs.alt)
"""


@cache
def _fonts() -> typst.Fonts:
    """Looking for them takes longer than drawing a chart."""
    return typst.Fonts()


def drawn(svg: str, width: str, form: str, alt: str) -> bytes:
    """A chart in one of the FORMS on white, in one of the WIDTHS; `alt` is what is read out in its place."""
    chart = standalone(svg, width)
    if form == "svg":
        return chart.encode()
    return typst.compile(
        _PAGE,
        format="pdf" if form == "pdf" else "png",
        ppi=DENSITY,
        font_paths=_fonts(),
        sys_inputs={"chart": chart, "width": str(WIDTHS[width]), "alt": alt},
        # The same chart is the same file.
        timestamp=0,
    )
