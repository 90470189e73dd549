"""A chart of a page as a file of its own: black on white, with a size. Pure."""

import re

WIDTH, MARGIN = 720, 16
_SIZE = re.compile(r'width="100%" height="([0-9.]+)"')


def standalone(svg: str) -> str:
    """The chart for a paper or a slide: WIDTH pixels wide, its colours no longer the page's."""
    size = _SIZE.search(svg)
    if size is None:
        raise ValueError("This is not the markup of a chart of this project.")
    height = float(size[1])
    inner = _SIZE.sub(
        f'x="{MARGIN}" y="{MARGIN}" width="{WIDTH - 2 * MARGIN}" height="{height:g}" overflow="visible"',
        svg,
        count=1,
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height + 2 * MARGIN:g}" '
        f'color="#1f2328"><rect width="100%" height="100%" fill="#ffffff"/>{inner}</svg>\n'
    )
