"""The tagged block as readable text, with its tag and without."""

from wikifetch.models import Sighting
from wikifetch.source.wikis import words_of_wiki
from wikifetch.wikitext.languages import speaking
from wikifetch.wikitext.readable import readable

# Replaces the tag while the block is made readable; a private-use character, which wikitext does not contain.
PLACEHOLDER = "\ue000"


def tag_text(sighting: Sighting) -> str:
    """The tag as written, without its braces."""
    return sighting.raw.removeprefix("{{").removesuffix("}}")


def paragraphs(sighting: Sighting) -> tuple[str, str]:
    """The readable block with the tag as wikitext, and without it; both "" if the wiki has hidden the text.

    The published records have them as paragraph_A and paragraph_A_clean.
    """
    if not sighting.raw:
        return "", ""
    block = sighting.block.replace(sighting.raw, PLACEHOLDER)
    with speaking(words_of_wiki(sighting.revision.article.wiki)):
        text = readable(block, sighting.block_kind or "paragraph").text
    if PLACEHOLDER not in text:
        text = PLACEHOLDER + text
    tag = "{{" + tag_text(sighting) + "}}"
    return text.replace(PLACEHOLDER, tag), text.replace(PLACEHOLDER, "")
