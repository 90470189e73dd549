"""Which modules a page's script imports, so that the browser can ask for all of them at once."""

import re
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django.contrib.staticfiles import finders

IMPORTED = re.compile(r'^import\b(?!\()[^"]*"(\.[^"]+)";', re.M)


@cache
def modules_of(entry: str) -> tuple[str, ...]:
    """`entry` (a path below static/) and what it imports, directly or not; what import() loads later is left out."""
    found = [entry]
    for module in found:
        source = finders.find(module)
        assert source is not None, f"{module} is not in static/."
        for address in IMPORTED.findall(Path(source).read_text(encoding="utf-8")):
            path = normpath(PurePosixPath(module).parent / address)
            if path not in found:
                found.append(path)
    return tuple(found)
