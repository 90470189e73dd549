"""A chart of a page as a file of its own: black on white, with a size on paper. Pure."""

import re

# The widths that a chart is offered in, in points: of a column, and of a page.
COLUMN, PAGE = "column", "page"
WIDTHS = {COLUMN: 240, PAGE: 480}
# Points for a pixel: text is 8.4 pt high, and still 6 pt where a page's width is set in the 345 pt of an article.
PIXEL, MARGIN = 0.65, 8
# DejaVu Sans has the widths of letters.py; the others stand in where it is missing.
FAMILIES = "DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, sans-serif"
_SIZE = re.compile(r'width="100%" height="([0-9.]+)" font-family="[^"]*"')


def room(width: str) -> int:
    """The pixels that a chart of one of the WIDTHS is drawn in."""
    return int(WIDTHS[width] / PIXEL) - 2 * MARGIN


def standalone(svg: str, width: str) -> str:
    """A chart that was drawn for `room(width)` pixels, for a paper or a slide, no longer in the page's colours."""
    size = _SIZE.search(svg)
    if size is None:
        raise ValueError("This is not the markup of a chart of this project.")
    inside, height = room(width), float(size[1])
    inner = _SIZE.sub(
        f'x="{MARGIN}" y="{MARGIN}" width="{inside}" height="{height:g}" overflow="visible" font-family="{FAMILIES}"',
        svg,
        count=1,
    )
    wide, tall = inside + 2 * MARGIN, height + 2 * MARGIN
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide * PIXEL:g}pt" height="{tall * PIXEL:g}pt" '
        f'viewBox="0 0 {wide} {tall:g}" color="#1f2328">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{inner}</svg>\n'
    )
