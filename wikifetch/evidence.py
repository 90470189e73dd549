"""What is known of a tag besides its article: the edit that added it, the talk page, how the page has moved on."""

import re
import time
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString

from pages.worddiff import Piece, word_diff
from wikifetch.article_html import wikitext_html
from wikifetch.models import Sighting, Tag, TalkPage
from wikifetch.purging import TEXT_HIDDEN
from wikifetch.source.wikis import names_shown, words_of_wiki
from wikifetch.states import TagState
from wikifetch.wikitext.article import MAX_SECONDS
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.parameters import month_of, read_tag
from wikifetch.wikitext.talk import TalkSection, talk_sections

_BOT = re.compile(r"bot\b|bot\d*$", re.IGNORECASE)


@dataclass(frozen=True)
class ShownIntroduction:
    tag: Tag

    def __bool__(self) -> bool:
        return self.tag.introduced_revid is not None

    @cached_property
    def diff(self) -> list[Piece]:
        """The change of the block; empty where the block is not known."""
        tag = self.tag
        if not tag.introduced_block:
            return []
        return word_diff(tag.introduced_parent_block, tag.introduced_block)

    @property
    def permalink(self) -> str:
        return self.tag.article.permalink(self.tag.introduced_revid)

    @property
    def by_a_bot(self) -> bool:
        """Whether the editor's name is a bot's, as wikis ask of them."""
        return bool(_BOT.search(self.tag.introduced_by))

    @property
    def dated_later(self) -> bool:
        """Whether the month was added by a later edit, mostly a bot's; False where this edit's tag is not known."""
        tag = self.tag
        if not tag.introduced_raw or tag.latest is None or not tag.latest.month:
            return False
        with speaking(words_of_wiki(tag.article.wiki)):
            return month_of(read_tag(tag.introduced_raw, tag.kind).date) is None


@dataclass(frozen=True)
class ShownTalk:
    section: TalkSection
    html: SafeString


def talk_of(sighting: Sighting) -> list[ShownTalk]:
    """The sections of the article's talk page, those to the point first; empty where there is none."""
    talk: TalkPage | None = getattr(sighting.tag.article, "talk", None)
    if talk is None:
        return []
    tag = sighting.tag
    hints = [sighting.reason, tag.introduced_summary, sighting.section, sighting.other_article]
    names = names_shown(sighting.tag.article.wiki)
    # The sections share the time that one article has.
    until = time.thread_time() + MAX_SECONDS
    return [
        ShownTalk(
            section,
            wikitext_html(section.wikitext, None, names, seconds=until - time.thread_time()),
        )
        for section in talk_sections(talk.wikitext, hints)
    ]


def moved_on(sighting: Sighting) -> str:
    """How the article differs now from what was pinned, as far as this tag goes; "" where it does not."""
    tag = sighting.tag
    if sighting.revision.set_aside == TEXT_HIDDEN:
        return (
            "The wiki has hidden the text of this revision since it was fetched, so it was taken out here too. "
            "What you have copied from it stays."
        )
    if tag.state == TagState.GONE:
        return "The tag is gone from the article since. What you see here is the revision that was pinned."
    if tag.latest_id == sighting.pk or (latest := tag.latest) is None:
        return ""
    if latest.reason != sighting.reason:
        return f"The tag's reason has changed since; it is now: {latest.reason or 'none'}."
    if latest.block_clean != sighting.block_clean:
        return "The text around the tag has changed since. What you see here is the revision that was pinned."
    return "The article has been edited since; the tagged text is the same."
