"""The evidence next to the form: the tag in its block, the edit that added it, the article, the talk page.

All of it belongs to the sighting that the annotation pins. For missing parts the page shows a line.
"""

from dataclasses import dataclass
from functools import cached_property

from annotation.evidence.article_text import text_sha256
from annotation.evidence.paragraphs import paragraphs, tag_text
from annotation.fields.suggesting import kind_of_block
from wikifetch.article_html import place_in_block
from wikifetch.evidence import ShownIntroduction, ShownTalk, moved_on, talk_of
from wikifetch.models import Revision, Sighting
from wikifetch.shownarticle import ShownArticle, shown_article


@dataclass(frozen=True)
class Evidence:
    """The evidence for one sighting; each part is computed on its first use."""

    sighting: Sighting

    @property
    def revision(self) -> Revision:
        return self.sighting.revision

    @cached_property
    def block(self) -> list[tuple[str, str]]:
        """The readable block in pieces, each with what it is: "tag", "copy" (another tag of the same words) or ""."""
        tag = "{{" + tag_text(self.sighting) + "}}"
        words = paragraphs(self.sighting)[0].split(tag)
        own = place_in_block(self.sighting)
        number = self.sighting.block.count(self.sighting.raw, 0, own) if own > 0 else 0
        pieces = [(words[0], "")]
        for n, text in enumerate(words[1:]):
            pieces += [(tag, "tag" if n == number else "copy"), (text, "")]
        return [(text, what) for text, what in pieces if text]

    @cached_property
    def introduction(self) -> ShownIntroduction:
        """The edit that added the tag; false if it is unknown."""
        return ShownIntroduction(self.sighting.tag)

    @cached_property
    def moved_on(self) -> str:
        """How the article differs now from the pinned revision; "" if it does not."""
        return moved_on(self.sighting)

    @cached_property
    def article(self) -> ShownArticle:
        """The article at the pinned revision, with the tag marked."""
        return shown_article(self.revision, self.sighting)

    @property
    def article_sha256(self) -> str:
        return text_sha256(self.article.html)

    @property
    def block_kind(self) -> str:
        return kind_of_block(self.sighting.block_kind)

    @cached_property
    def talk(self) -> list[ShownTalk]:
        """The talk page's sections, those about the contradiction first."""
        return talk_of(self.sighting)
