"""How a release is cited, and the source of its records with it: plain text and BibTeX."""

import re

from datasets.description import doi_of
from datasets.models import Release
from datasets.releasing.bundle.source import Source, names, on_one_line, source_in
from pages.latex import escaped


def title_of(release: Release) -> str:
    return on_one_line(release.about.get("title") or release.collection.name)


def source_of(release: Release) -> Source | None:
    """What the release's records are from."""
    collection = release.collection
    return source_in(release.about, collection.declaration.source if collection.is_declared else "")


def plain(release: Release, address: str) -> str:
    """One paragraph for a text; the DOI stands in place of the address."""
    who = ", ".join(names(release.about.get("creators", [])))
    source = source_of(release)
    parts = [
        who,
        f"({release.created_at.year}). {title_of(release)}, version {release.version}.",
        f"Made with Sic et Non {release.app_version}, sha256 {release.sha256}.",
        f"https://doi.org/{release.doi}" if release.doi else address,
        f"Its records are from: {source.plain}" if source else "",
    ]
    return " ".join(filter(None, parts))


def bibtex(release: Release, address: str) -> str:
    """Entries for a .bib file: the release, and the source of its records. Without names one has no author."""
    key = re.sub(r"[^a-z0-9]+", "-", f"{release.collection.name}-{release.version}".lower()).strip(
        "-"
    )
    entry = _entry(
        key,
        author=_authors(names(release.about.get("creators", []))),
        title=f"{{{escaped(title_of(release))}}}",
        version=escaped(release.version),
        year=str(release.created_at.year),
        howpublished=f"Made with Sic et Non {escaped(release.app_version)}",
        note=f"sha256 {release.sha256}",
        doi=release.doi,
        url="" if release.doi else address,
    )
    source = source_of(release)
    return f"{entry}\n{_source_entry(f'{key}-source', source)}" if source else entry


def _source_entry(key: str, source: Source) -> str:
    # One DOI and one address are fields; a second address is in the note.
    links = [
        link
        for link in (source.paper, source.data)
        if link and (not source.doi or doi_of(link) != source.doi)
    ]
    said = [escaped(source.citation)] if source.citation != source.name else []
    return _entry(
        key,
        author=_authors(source.authors),
        title=f"{{{escaped(source.name)}}}",
        year=source.year,
        note=" ".join([*said, *(rf"Data: \url{{{link}}}" for link in links[1:])]),
        doi=source.doi,
        url=links[0] if links else "",
    )


def _authors(found: list[str]) -> str:
    # Braces keep a name whole: an institution has no family name.
    return " and ".join(f"{{{escaped(name)}}}" for name in found)


def _entry(key: str, **fields: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"]) + "\n"
