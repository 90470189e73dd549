"""How a frozen report is cited: BibTeX and plain text. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime

from pages.latex import escaped


@dataclass(frozen=True)
class Citation:
    """What a citation is made of. `authors` as they want to be named, `address` where the report is published."""

    number: int
    study: str
    slug: str
    frozen_at: datetime
    app_version: str
    sha256: str
    authors: str = ""
    address: str = ""


def plain(cited: Citation) -> str:
    """One paragraph for a text."""
    who = f"{cited.authors.rstrip('.')} " if cited.authors else ""
    day = cited.frozen_at.date().isoformat()
    where = f" {cited.address}" if cited.address else ""
    return (
        f"{who}({cited.frozen_at.year}). {cited.study}: frozen report {cited.number}. Computed by Sic et Non "
        f"{cited.app_version}, frozen on {day}, sha256 {cited.sha256}.{where}"
    )


def bibtex(cited: Citation) -> str:
    """An entry for a .bib file. Without authors it has none: who wrote a report is not in it."""
    fields = [
        ("author", escaped(cited.authors)),
        ("title", f"{{{escaped(cited.study)}: frozen report {cited.number}}}"),
        ("year", str(cited.frozen_at.year)),
        ("month", str(cited.frozen_at.month)),
        ("howpublished", f"Computed by Sic et Non {escaped(cited.app_version)}"),
        ("note", f"Frozen on {cited.frozen_at.date().isoformat()}, sha256 {cited.sha256}"),
        # An address is no text: BibTeX styles give it to \url, which wants it as it is.
        ("url", cited.address),
    ]
    key = re.sub(r"[^a-z0-9]+", "-", cited.slug.lower()).strip("-") or "report"
    lines = [f"  {name} = {{{value}}}," for name, value in fields if value]
    return "\n".join([f"@misc{{{key}-{cited.number},", *lines, "}"]) + "\n"
