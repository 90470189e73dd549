"""The columns of what was read: the one place that names a revision's, a tag's and a sighting's columns. Pure."""

from wikifetch.history.introductions import Introduction, PageHistory
from wikifetch.history.tag_identity import joined_headings
from wikifetch.wikitext import TagSeen


def revision_columns(history: PageHistory) -> dict[str, object]:
    """Of the newest revision that has a text."""
    newest = history.newest
    assert newest is not None
    set_aside = history.reading.set_aside
    return {
        "revid": newest.revid,
        "parent_revid": newest.parent_revid,
        "timestamp": newest.timestamp,
        "editor": newest.editor[:255],
        "summary": newest.summary,
        "wikitext": "" if set_aside else newest.text,
        "set_aside": set_aside,
    }


def sighting_columns(seen: TagSeen) -> dict[str, object]:
    """Of a tag as it is in one revision."""
    return {
        "position": seen.position,
        "kind": seen.kind,
        "name": seen.name[:120],
        "raw": seen.raw,
        "date": seen.date[:200],
        "month": seen.month,
        "reason": seen.reason,
        "other_article": seen.other_article,
        "section": joined_headings(seen.section),
        "scope": seen.scope or "",
        "block_kind": seen.block_kind,
        "block": seen.block,
        "block_clean": seen.block_clean,
        "block_text": seen.words.text,
        "dropped": [{"what": what, "wikitext": wikitext} for what, wikitext in seen.words.left_out],
        "plain_fallback": seen.words.plain,
    }


def introduction_columns(introduction: Introduction | None) -> dict[str, object]:
    """Of a tag, on the edit that added it; none of them where that is not known."""
    if introduction is None:
        return {}
    edit = introduction.revision
    return {
        "introduced_revid": edit.revid,
        "introduced_at": edit.timestamp,
        "introduced_by": edit.editor[:255],
        "introduced_summary": edit.summary,
        "introduced_raw": introduction.raw,
        "introduced_block": introduction.block,
        "introduced_parent_revid": introduction.parent_revid,
        "introduced_parent_block": introduction.parent_block,
    }
