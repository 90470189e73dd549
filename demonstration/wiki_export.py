"""Pages with their histories as a MediaWiki export, the XML of Special:Export (schema 0.11). Pure.

Revision ids are derived from page ids, so that a page keeps them when others are added.
"""

import hashlib
import ipaddress
import zlib
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from demonstration.history import Edit, Page

SITE = "Demonstration Wiki"
DBNAME = "demowiki"
BASE = "https://demonstration.example/wiki/"
NAMESPACE = "http://www.mediawiki.org/xml/export-0.11/"
NAMESPACES = {
    -2: "Media",
    -1: "Special",
    0: "",
    1: "Talk",
    2: "User",
    3: "User talk",
    4: "Project",
    10: "Template",
}
TALK_PAGEIDS = 50_000
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def export(pages: Iterable[Page]) -> str:
    """The file's text, to be written as UTF-8."""
    return "\n".join(
        [*_head(), *(line for page in pages for line in _page(page)), "</mediawiki>", ""]
    )


def revid(pageid: int, n: int) -> int:
    """The id of a page's nth edit, counted from 1."""
    return pageid * 1000 + n


def _head() -> Iterator[str]:
    yield f'<mediawiki xmlns="{NAMESPACE}" version="0.11" xml:lang="en">'
    yield "  <siteinfo>"
    yield f"    <sitename>{SITE}</sitename>"
    yield f"    <dbname>{DBNAME}</dbname>"
    yield f"    <base>{BASE}Main_Page</base>"
    yield "    <generator>Sic et Non, demonstration set</generator>"
    yield "    <case>first-letter</case>"
    yield "    <namespaces>"
    for key, name in NAMESPACES.items():
        inside = f">{name}</namespace>" if name else " />"
        yield f'      <namespace key="{key}" case="first-letter"{inside}'
    yield "    </namespaces>"
    yield "  </siteinfo>"


def _page(page: Page) -> Iterator[str]:
    yield from _one(page.title, 0, page.pageid, page.edits)
    if page.talk:
        yield from _one(f"Talk:{page.title}", 1, TALK_PAGEIDS + page.pageid, page.talk)


def _one(title: str, namespace: int, pageid: int, edits: tuple[Edit, ...]) -> Iterator[str]:
    yield "  <page>"
    yield f"    <title>{escape(title)}</title>"
    yield f"    <ns>{namespace}</ns>"
    yield f"    <id>{pageid}</id>"
    for n, edit in enumerate(edits, 1):
        yield from _revision(edit, revid(pageid, n), revid(pageid, n - 1) if n > 1 else None)
    yield "  </page>"


def _revision(edit: Edit, number: int, parent: int | None) -> Iterator[str]:
    yield "    <revision>"
    yield f"      <id>{number}</id>"
    if parent:
        yield f"      <parentid>{parent}</parentid>"
    yield f"      <timestamp>{edit.time:%Y-%m-%dT%H:%M:%SZ}</timestamp>"
    yield from _contributor(edit)
    if edit.minor:
        yield "      <minor />"
    if edit.comment:
        yield f"      <comment>{escape(edit.comment)}</comment>"
    yield f"      <origin>{number}</origin>"
    yield "      <model>wikitext</model>"
    yield "      <format>text/x-wiki</format>"
    yield from _text(edit)
    yield "    </revision>"


def _contributor(edit: Edit) -> Iterator[str]:
    if edit.suppressed:
        yield '      <contributor deleted="deleted" />'
        return
    yield "      <contributor>"
    if _is_address(edit.user):
        yield f"        <ip>{edit.user}</ip>"
    else:
        yield f"        <username>{escape(edit.user)}</username>"
        yield f"        <id>{zlib.crc32(edit.user.encode()) % 1_000_000}</id>"
    yield "      </contributor>"


def _text(edit: Edit) -> Iterator[str]:
    text = edit.text.rstrip("\n")  # as MediaWiki stores it
    size, sha1 = len(text.encode()), base36_sha1(text)
    if edit.suppressed:
        yield f'      <text bytes="{size}" deleted="deleted" />'
        return
    yield f'      <text bytes="{size}" sha1={quoteattr(sha1)} xml:space="preserve">{escape(text)}</text>'
    yield f"      <sha1>{sha1}</sha1>"


def base36_sha1(text: str) -> str:
    """SHA-1 in 31 digits of base 36, as MediaWiki writes it."""
    number, digits = int.from_bytes(hashlib.sha1(text.encode(), usedforsecurity=False).digest()), ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits.rjust(31, "0")


def _is_address(user: str) -> bool:
    try:
        ipaddress.ip_address(user)
    except ValueError:
        return False
    return True
