"""How a release is cited: plain text and BibTeX."""

import re
from typing import Any

from datasets.models import Release
from pages.latex import escaped


def names(about: dict[str, Any]) -> list[str]:
    """The creators' names on one line each, in their order."""
    return [" ".join(creator["name"].split()) for creator in about.get("creators", ())]


def title_of(release: Release) -> str:
    return " ".join((release.about.get("title") or release.collection.name).split())


def plain(release: Release, address: str) -> str:
    """One paragraph for a text; the DOI stands in place of the address."""
    who = f"{', '.join(names(release.about))} " if release.about.get("creators") else ""
    where = f"https://doi.org/{release.doi}" if release.doi else address
    return (
        f"{who}({release.created_at.year}). {title_of(release)}, version {release.version}. Made with Sic et Non "
        f"{release.app_version}, sha256 {release.sha256}. {where}"
    )


def bibtex(release: Release, address: str) -> str:
    """An entry for a .bib file; without creators it has no author."""
    # Braces keep a name whole: an institution has no family name.
    who = " and ".join(f"{{{escaped(name)}}}" for name in names(release.about))
    fields = [
        ("author", who),
        ("title", f"{{{escaped(title_of(release))}}}"),
        ("version", escaped(release.version)),
        ("year", str(release.created_at.year)),
        ("howpublished", f"Made with Sic et Non {escaped(release.app_version)}"),
        ("note", f"sha256 {release.sha256}"),
        ("doi", release.doi),
        ("url", "" if release.doi else address),
    ]
    key = re.sub(r"[^a-z0-9]+", "-", f"{release.collection.name}-{release.version}".lower()).strip(
        "-"
    )
    lines = [f"  {name} = {{{value}}}," for name, value in fields if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"]) + "\n"
