"""Reading wikitext: finding inconsistency tags and the text around them. Pure."""

from wikifetch.wikitext.finder import PageReading, TagSeen, find_tags
from wikifetch.wikitext.tag_names import KNOWN_NAMES, TagNames

__all__ = ["KNOWN_NAMES", "PageReading", "TagNames", "TagSeen", "find_tags"]
