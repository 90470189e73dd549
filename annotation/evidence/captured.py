"""The provenance of passages as stored: every piece checked against the article as it is shown.

A stored piece is {revision, revid, title, section, kind, start, end, sha256, wikitext, text}. `revision` is our row,
`revid` the wiki's; [start, end) are offsets in the text of the article (article_text.py), whose hash is `sha256`; both
are null where only the tagged block is known. `wikitext` is [start, end) of that block in the revision's wikitext if
the piece is from it, else null. `text` is the words as copied.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.evidence.article_text import ArticleText, letters, text_and_parts
from annotation.evidence.checking import not_in_articles
from annotation.evidence.paragraphs import paragraphs
from annotation.evidence.provenance import PASSAGES, Captured, SentPiece, held
from annotation.fields.entries import NAMES, differing, without_empty_rows
from annotation.fields.suggesting import kind_of_block, still_filled
from annotation.fields.walker import Entries
from annotation.models import Annotation
from wikifetch.article_html import block_span
from wikifetch.models import Revision, Sighting
from wikifetch.otherarticles import other_revisions
from wikifetch.shownarticle import shown_article

CHANGED = (
    "Where passage {n} was copied from could not be checked against the article, and is not kept. "
    "Its text is. To keep both, reload the page and copy the passage again."
)
Piece = dict[str, Any]


def kept_pieces(
    draft: Annotation, sent: Captured, entries: Entries
) -> dict[str, Sequence[Mapping[str, Any]]]:
    """The pieces of the passages of `entries`: those stored, and those sent and right; a wrong one gives a notice."""
    result: dict[str, Sequence[Mapping[str, Any]]] = {}
    checking = _Checking(draft)
    for n in PASSAGES:
        stored = draft.provenance.get(n, [])
        known = {(p["revision"], p["start"], p["end"], p["text"]) for p in stored}
        new = [
            s for s in sent.pieces.get(n, []) if (s.revision, s.start, s.end, s.text) not in known
        ]
        here = [piece for piece in new if held([vars(piece)], entries[f"passage_{n}_copied"])]
        for piece in here:
            if piece not in sent.checked:
                sent.checked[piece] = checking.piece(piece)
        checked = [sent.checked[piece] for piece in here]
        notice = CHANGED.format(n=n)
        if None in checked and notice not in sent.notices:
            sent.notices.append(notice)
        pieces = held([*stored, *filter(None, checked)], entries[f"passage_{n}_copied"])
        if pieces:
            result[n] = pieces
    return result


def origin_of(draft: Annotation, before: Entries, after: Entries, sent: Captured) -> dict[str, Any]:
    """The columns that say whose each entry of `after` is, and where the passages were copied from."""
    changed = set(differing(without_empty_rows(after), without_empty_rows(before)))
    pieces = kept_pieces(draft, sent, after)
    unchanged = [name for name in draft.filled if name not in changed]
    claimed = unchanged if sent.filled is None else sent.filled
    filled = still_filled(claimed, draft.filled, before, after, pieces)
    touched = {*draft.touched, *changed, *draft.filled} - set(filled)
    for n in PASSAGES:
        if changed & {"validity", f"article_{n}", f"passage_{n}_copied"}:
            sent.warnings[f"passage_{n}_copied"] = list(not_in_articles(draft, after, (n,)))
    return {
        "provenance": pieces,
        "filled": filled,
        "touched": [name for name in NAMES if name in touched],
    }


def piece_of(
    sighting: Sighting, revision: Revision, article: ArticleText, start: int, end: int, text: str
) -> Piece:
    """Of `text` copied from [start, end) of an article as it is shown."""
    in_block = revision == sighting.revision and article.in_tagged(start, end)
    return {
        **_source(revision),
        "section": article.section_at(start),
        "kind": article.kind_at(start),
        "start": start,
        "end": end,
        "sha256": article.sha256,
        "wikitext": _in_wikitext(sighting) if in_block else None,
        "text": text,
    }


def _source(revision: Revision) -> Piece:
    saved = revision.timestamp
    return {
        "revision": revision.pk,
        "revid": revision.revid,
        # The licence of a text depends on it.
        "date": saved.date().isoformat() if saved else None,
        "title": revision.article.title,
    }


def _in_wikitext(sighting: Sighting) -> list[int] | None:
    span = block_span(sighting)
    return list(span) if span else None


class _Checking:
    """Checks the pieces of one save; each article is rendered at most once."""

    def __init__(self, draft: Annotation) -> None:
        self._draft = draft
        self._shown: dict[int, tuple[Revision, ArticleText] | None] = {}

    @property
    def _sighting(self) -> Sighting:
        return self._draft.sighting

    def piece(self, sent: SentPiece) -> Piece | None:
        """As it is stored; None where it is not from there."""
        if sent.start is None or sent.end is None:
            return self._of_block(sent)
        there = self._article(sent.revision)
        if there is None:
            return None
        revision, article = there
        if sent.sha256 != article.sha256 or not article.allows(sent.start, sent.end, sent.text):
            return None
        return piece_of(self._sighting, revision, article, sent.start, sent.end, sent.text)

    def _of_block(self, sent: SentPiece) -> Piece | None:
        words = letters(sent.text)
        is_there = words and words in letters(paragraphs(self._sighting)[1])
        if sent.revision != self._sighting.revision_id or not is_there:
            return None
        return {
            **_source(self._sighting.revision),
            "section": self._sighting.section,
            "kind": kind_of_block(self._sighting.block_kind),
            "start": None,
            "end": None,
            "sha256": "",
            "wikitext": _in_wikitext(self._sighting),
            "text": sent.text,
        }

    def _article(self, pk: int) -> tuple[Revision, ArticleText] | None:
        """The text of one of the revisions that the page shows."""
        if pk not in self._shown:
            revision = self._revision(pk)
            marked = self._sighting if revision == self._sighting.revision else None
            html = shown_article(revision, marked).html if revision else ""
            self._shown[pk] = (revision, text_and_parts(html)) if revision else None
        return self._shown[pk]

    def _revision(self, pk: int) -> Revision | None:
        if pk == self._sighting.revision_id:
            return self._sighting.revision
        if asked := self._draft.asked_articles.filter(revision=pk).first():
            return asked.revision
        others = filter(None, other_revisions(self._sighting).values())
        articles = [other.article_id for other in others]
        return Revision.objects.filter(pk=pk, article__in=articles).first()
