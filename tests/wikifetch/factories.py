"""Exports and rows for the tests of wikifetch, as plain functions."""

import bz2
import gzip
from pathlib import Path
from xml.sax.saxutils import escape

BASE = "https://wiki.example/wiki/Main_Page"
TAG = "{{Inconsistent|date=May 2020}}"
# As articles show it.
SHOWN_TAG = f'<span class="wiki-tag" title="{TAG}">[{TAG[2:-2].partition("|")[0]}]</span>'


def revision(revid, text="", *, parent=None, by="Alice", summary="", time="2020-05-01T10:00:00Z"):
    """<revision>; `text` None leaves <text> out, a tuple gives its attributes."""
    body = f'<text xml:space="preserve">{escape(text)}</text>' if isinstance(text, str) else ""
    if isinstance(text, tuple):
        body = "<text {} />".format(" ".join(text))
    parent_id = f"<parentid>{parent}</parentid>" if parent else ""
    return (
        f"<revision><id>{revid}</id>{parent_id}<timestamp>{time}</timestamp>"
        f"<contributor><username>{escape(by)}</username><id>1</id></contributor>"
        f"<comment>{escape(summary)}</comment><model>wikitext</model>{body}</revision>"
    )


def page(pageid, title, *revisions, ns=0, redirect=""):
    target = f'<redirect title="{escape(redirect)}" />' if redirect else ""
    return (
        f"<page><title>{escape(title)}</title><ns>{ns}</ns><id>{pageid}</id>{target}"
        f"{''.join(revisions)}</page>\n"
    )


def export(
    *pages,
    base=BASE,
    head='<?xml version="1.0" encoding="utf-8"?>\n',
    version="0.11",
    namespaces=None,
):
    """A whole export as text; `namespaces` by their numbers."""
    listed = "".join(
        f'<namespace key="{key}" case="first-letter">{name}</namespace>'
        for key, name in (namespaces or {}).items()
    )
    listed = f"<namespaces>{listed}</namespaces>" if listed else ""
    info = f"<siteinfo><sitename>Example</sitename><base>{base}</base>{listed}</siteinfo>"
    info = info if base else ""
    namespace = f"http://www.mediawiki.org/xml/export-{version}/"
    return (
        f'{head}<mediawiki xmlns="{namespace}" version="{version}" xml:lang="en">\n{info}\n'
        f"{''.join(pages)}</mediawiki>\n"
    )


def written(folder: Path, text: str, name="export.xml", encoding="utf-8") -> Path:
    """The export as a file; packed where the name says so."""
    data = text.encode(encoding)
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(Path(name).suffix, bytes)
    path = folder / name
    path.write_bytes(pack(data))
    return path


def mill(text, revid=10, **columns):
    """A page called Kettle Mill with one revision of this text."""
    return page(1, "Kettle Mill", revision(revid, text, **columns))


def multistream(folder: Path, *streams, name="dump.xml.bz2", **options) -> Path:
    """An export of these streams of pages as wikis' dumps have it: the head, each stream and the end packed apart."""
    whole = export("\0", **options)
    head, end = whole.split("\0")
    path = folder / name
    parts = [head, *map("".join, streams), end]
    path.write_bytes(b"".join(bz2.compress(part.encode()) for part in parts))
    return path
