"""Turning the events of an XML parser into pages and revisions. Pure."""

from dataclasses import dataclass
from xml.parsers import expat

from leases.refusal import Refusal
from wikifetch.history.pages_seen import RevisionSeen, time_in_utc
from wikifetch.wikitext.limits import MAX_PAGE_BYTES

_MAX_DEPTH = 12
_MAX_FIELD = 64 * 1024
# A tag or comment that ends nowhere: the parser reads it from its start with each chunk.
_MAX_TOKEN = 1024 * 1024
# What comes before the first page, namespaces and all, is a few thousand bytes.
_MAX_HEAD = 1024 * 1024
_REVISION = ("mediawiki", "page", "revision")
_NAMESPACE = ("mediawiki", "siteinfo", "namespaces", "namespace")
_KEPT = {
    _NAMESPACE,
    ("mediawiki", "siteinfo", "base"),
    ("mediawiki", "siteinfo", "sitename"),
    ("mediawiki", "page", "title"),
    ("mediawiki", "page", "ns"),
    ("mediawiki", "page", "id"),
    *((*_REVISION, name) for name in ("id", "parentid", "timestamp", "comment", "text")),
    (*_REVISION, "contributor", "username"),
    (*_REVISION, "contributor", "ip"),
}


class DumpError(Refusal):
    """A file that cannot be read as a MediaWiki export; the message says what to do."""


@dataclass(frozen=True)
class DumpPageHead:
    """What comes before a page's revisions; `number` counts pages, so that no two heads are equal."""

    number: int
    pageid: int
    title: str
    namespace: int
    is_redirect: bool
    redirect_to: str


class DumpReader:
    """Feed it bytes; it gives what they completed. When it is `in_pages`, what the file says of its wiki is known.

    That is `base`, `site_name` and the names of `namespaces` by their numbers.
    """

    def __init__(self) -> None:
        self.base = ""
        self.site_name = ""
        self.namespaces: dict[str, str] = {}
        self._key = ""
        self._path: list[str] = []
        self._words: list[str] | None = None
        self._size = 0
        self._page: dict[str, str] = {}
        self._head: DumpPageHead | None = None
        self._pages = 0
        self._revision: dict[str, str] = {}
        self._done: list[tuple[DumpPageHead, RevisionSeen | None]] = []
        self._given = False
        self._fed = 0
        self.in_pages = False
        self._parser = self._made_parser()

    def feed(self, chunk: bytes) -> list[tuple[DumpPageHead, RevisionSeen | None]]:
        """What these bytes completed; empty bytes are the end. Raises DumpError or ExpatError."""
        self._parser.Parse(chunk, not chunk)
        self._fed += len(chunk)
        self._check_progress()
        done, self._done = self._done, []
        return done

    def _check_progress(self) -> None:
        if self._fed - self._parser.CurrentByteIndex > _MAX_TOKEN:
            raise DumpError(
                f"The file holds a tag or comment of over {_MAX_TOKEN // 2**20} MiB, which no MediaWiki export "
                "does. It was not read."
            )
        if self._fed > _MAX_HEAD and not self.in_pages:
            raise DumpError(
                f"The file holds no page in its first {_MAX_HEAD // 2**20} MiB, so it is no MediaWiki export."
            )

    def unfinished(self, error: expat.ExpatError) -> bool:
        """Whether the file simply stopped: within an element, or before any."""
        errors = expat.errors
        stopped = {
            errors.XML_ERROR_NO_ELEMENTS,
            errors.XML_ERROR_UNCLOSED_TOKEN,
            errors.XML_ERROR_PARTIAL_CHAR,
        }
        return expat.errors.messages.get(error.code) in stopped

    def _made_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 256 * 1024
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.EntityDeclHandler = self._refuse_doctype
        parser.XmlDeclHandler = self._check_encoding
        return parser

    @staticmethod
    def _refuse_doctype(*_: object) -> None:
        raise DumpError(
            "The file declares a document type or entities, which no MediaWiki export does. It was not read."
        )

    @staticmethod
    def _check_encoding(version: str, encoding: str | None, standalone: int) -> None:
        if encoding and encoding.lower() not in {"utf-8", "utf8"}:
            raise DumpError(
                f"The file is in {encoding}; MediaWiki exports are in UTF-8. Convert it first."
            )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if len(self._path) == 1 and name != "mediawiki":
            raise DumpError(
                f"This is no MediaWiki export: it begins with <{name[:60]}>, not with <mediawiki>."
            )
        if len(self._path) > _MAX_DEPTH:
            raise DumpError(
                "The file nests elements deeper than any MediaWiki export. It was not read."
            )
        path = tuple(self._path)
        if path == _REVISION[:2]:
            self._page, self._head, self._given = {}, None, False
            self.in_pages = True
        elif path == _NAMESPACE:
            self._key = attributes.get("key", "")
        elif path == (*_REVISION[:2], "redirect"):
            self._page["redirect"] = attributes.get("title", "")
        elif path == _REVISION:
            self._revision = {}
        elif path == (*_REVISION, "text"):
            self._revision["absent"] = _why_absent(attributes)
        if path in _KEPT:
            self._words, self._size = [], 0

    def _characters(self, words: str) -> None:
        if self._words is None:
            return
        self._size += len(words)
        limit = MAX_PAGE_BYTES if self._path[-1] == "text" else _MAX_FIELD
        if self._size <= limit:
            self._words.append(words)
        elif self._path[-1] != "text":
            raise DumpError(
                f"<{self._path[-1]}> is longer than {_MAX_FIELD // 1024} KiB. The file was not read."
            )

    def _end(self, name: str) -> None:
        path = tuple(self._path)
        self._path.pop()
        if path in _KEPT and self._words is not None:
            self._keep(path, "".join(self._words))
            self._words = None
        if path == _REVISION:
            self._done.append((self._head_of_page(), _revision_of(self._revision)))
            self._given = True
        elif path == _REVISION[:2] and not self._given:
            self._done.append((self._head_of_page(), None))

    def _keep(self, path: tuple[str, ...], words: str) -> None:
        name = path[-1]
        if path == _NAMESPACE:
            self.namespaces[self._key] = words.strip()
        elif path[1] == "siteinfo":
            self.base = words.strip() if name == "base" else self.base
            self.site_name = words.strip() if name == "sitename" else self.site_name
        elif path[: len(_REVISION)] != _REVISION:
            self._page[name] = words
        elif name == "text" and self._size > MAX_PAGE_BYTES:
            self._revision["absent"] = f"Its text is over {MAX_PAGE_BYTES // 2**20} MiB."
        elif name != "text" or words or not self._revision.get("absent"):
            self._revision[name] = words

    def _head_of_page(self) -> DumpPageHead:
        if self._head is None:
            self._pages += 1
            page = self._page
            self._head = DumpPageHead(
                self._pages,
                _number(page.get("id"), "a page's id"),
                page.get("title", "").strip(),
                _number(page.get("ns", "0").strip().removeprefix("-"), "a page's namespace"),
                "redirect" in page,
                page.get("redirect", "").strip(),
            )
        return self._head


def _why_absent(attributes: dict[str, str]) -> str:
    """Why an empty <text> is no text: hidden by the wiki, or an export of histories without content."""
    if "deleted" in attributes:
        return "The wiki hides its text."
    if attributes.get("bytes", "0") != "0":
        return "The file holds no text of it."
    return ""


def _revision_of(fields: dict[str, str]) -> RevisionSeen:
    text = fields.get("text")
    parent = fields.get("parentid")
    return RevisionSeen(
        revid=_number(fields.get("id"), "a revision's id"),
        parent_revid=_number(parent, "a parent's id") if parent else None,
        timestamp=time_in_utc(fields.get("timestamp", "")),
        editor=fields.get("username") or fields.get("ip") or "",
        summary=fields.get("comment", ""),
        text=text,
        no_text="" if text is not None else fields.get("absent") or "The file holds no text of it.",
    )


def _number(words: str | None, what: str) -> int:
    digits = (words or "").strip()
    if digits.isdecimal() and digits.isascii() and len(digits) < 19:
        return int(digits)
    raise DumpError(f"{what.capitalize()} is {digits[:40]!r}, not a number. The file was not read.")
