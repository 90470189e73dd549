"""The words of a passage as copied that its article does not have: changed by hand, or by a page's translator. Pure."""

import re
from html import unescape

from annotation.evidence.article_text import CITATION
from annotation.evidence.html_tree import TAG
from annotation.fields.matching import OUTER, WORD, folded
from pages.memory import ARTICLES

# What is never copied; the tag's own words count all the same.
_MARK = re.compile(
    r'<(sup|span)\b[^>]*\bclass="[^"]*\b(reference|wiki-tag|left-out)\b.*?</\1>', re.DOTALL
)
_INSIDE_A_LINE = {"b", "i", "s", "u", "sup", "sub", "small", "span", "code"}
# Scripts without blanks: a run of their letters may be copied in part.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)


@ARTICLES.remembers
def words_to_copy(html: str, wikitext: str) -> str:
    """Every word of an article, folded and each on a line: as it is shown, and as it is written.

    A power is copied as 10^3 and selected as 103, a part of a word may be bold: both are words. `html` is as
    `wikifetch.article_html` gives it.
    """
    tags = " ".join(mark[0] for mark in _MARK.finditer(html) if mark[2] == "wiki-tag")
    shown = _MARK.sub("", html)
    pieces = TAG.sub("\n", f"{shown} {tags}")
    texts = (unescape(text) for text in (_lines(shown, ""), _lines(shown, "^"), pieces))
    words = (word for text in (*texts, wikitext) for word in WORD.findall(folded(text)))
    return "\n".join(dict.fromkeys(words))


def _lines(html: str, power: str) -> str:
    def of(tag: re.Match[str]) -> str:
        if tag[2] not in _INSIDE_A_LINE:
            return "\n"
        return power if tag[2] == "sup" and not tag[1] else ""

    return TAG.sub(of, html)


def strange_words(passage: str, known: str) -> list[str]:
    """Those of the passage that are not among `known` (words_to_copy), as written and each once.

    Blanks, punctuation with its ellipses, and citation marks make no difference.
    """
    there = set(known.split("\n"))
    strange = (
        written.strip(OUTER)
        for written in CITATION.sub("", passage).split()
        if not all(_is_in(word, there, known) for word in WORD.findall(folded(written)))
    )
    return list(dict.fromkeys(strange))


def _is_in(word: str, there: set[str], known: str) -> bool:
    return word in there or (_UNSPACED.search(word) is not None and word in known)
