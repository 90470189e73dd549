"""What a person means who asks for an article, and what is refused before any wiki is asked."""

import pytest

from leases.refusal import Refusal
from wikifetch.source.wanted import WantedArticle, read_wanted

EN, DE, OWN_API = (
    "https://en.wikipedia.org",
    "https://de.wikipedia.org",
    "https://wiki.example.org/mills/api.php",
)
ALLOWED = [EN, DE, OWN_API, "http://localhost:8080"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Berlin", WantedArticle(EN, "Berlin")),
        ("  Kettle_Mill \n", WantedArticle(EN, "Kettle Mill")),
        ("[[Kettle Mill]]", WantedArticle(EN, "Kettle Mill")),
        ("AC/DC", WantedArticle(EN, "AC/DC")),
        ("Alien: Covenant", WantedArticle(EN, "Alien: Covenant")),
        ("Kettle Mill#History", WantedArticle(EN, "Kettle Mill")),
        ("de:Berlin", WantedArticle(DE, "Berlin")),
        (":de:Berlin", WantedArticle(DE, "Berlin")),
        ("DE: Berlin", WantedArticle(DE, "Berlin")),
        (
            "fr:Berlin",
            WantedArticle(EN, "fr:Berlin"),
        ),  # the wiki then names it a page of another wiki
        ("https://de.wikipedia.org/wiki/K%C3%B6ln", WantedArticle(DE, "Köln")),
        ("https://de.m.wikipedia.org/wiki/Berlin#Geschichte", WantedArticle(DE, "Berlin")),
        ("http://de.wikipedia.org/wiki/Berlin", WantedArticle(DE, "Berlin")),
        ("//de.wikipedia.org/wiki/Berlin", WantedArticle(DE, "Berlin")),
        ("de.wikipedia.org/wiki/Berlin", WantedArticle(DE, "Berlin")),
        ("https://DE.wikipedia.org/wiki/Was_ist_das?", WantedArticle(DE, "Was ist das")),
        (
            "https://en.wikipedia.org/w/index.php?title=Berlin&oldid=123",
            WantedArticle(EN, revid=123),
        ),
        (
            "https://en.wikipedia.org/w/index.php?title=Kettle_Mill",
            WantedArticle(EN, "Kettle Mill"),
        ),
        ("https://en.wikipedia.org/w/index.php?diff=9&oldid=8", WantedArticle(EN, revid=9)),
        ("https://en.wikipedia.org/wiki/Berlin?oldid=7", WantedArticle(EN, revid=7)),
        ("https://en.wikipedia.org/w/index.php?title=Berlin&oldid=x", WantedArticle(EN, "Berlin")),
        ("https://wiki.example.org/mills/index.php?title=Mill", WantedArticle(OWN_API, "Mill")),
        ("http://localhost:8080/wiki/Mill", WantedArticle("http://localhost:8080", "Mill")),
    ],
)
def test_titles_and_addresses(text, wanted):
    assert read_wanted(text, EN, ALLOWED) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Write the title"),
        ("\0 \x1b", "Write the title"),
        ("x" * 2_001, "2001 characters"),
        ("é" * 128, "longer than 255 bytes"),
        ("<script>alert(1)</script>", "has the character <"),
        ("Berlin|Paris", "has the character |"),
        ("{{Berlin}}", "has the character {"),
        ("#History", "no title in it"),
        ("javascript:alert(1)", "not the address of an article"),
        ("JavaScript://en.wikipedia.org/wiki/%0aalert(1)", "not the address of an article"),
        ("data:text/html,x", "not the address of an article"),
        ("file:///etc/passwd", "not the address of an article"),
        ("ftp://en.wikipedia.org/wiki/Berlin", "not the address of an article"),
        ("http://[", "not the address of an article"),
        ("https://en.wikipedia.org:port/wiki/Berlin", "not the address of an article"),
        ("https://en.wikipedia.org/", "not the address of an article"),
        ("https://en.wikipedia.org/wiki/", "not the address of an article"),
        ("https://en.wikipedia.org/wiki/%3Cscript%3E", "has the character <"),
        ("https://me:pw@en.wikipedia.org/wiki/Berlin", "not the address of an article"),
        ("https://en.wikipedia.org@127.0.0.1/wiki/Berlin", "not the address of an article"),
        ("https://fr.wikipedia.org/wiki/Berlin", "fr.wikipedia.org is not among the wikis"),
        ("https://en.wikipedia.org.evil.example/wiki/Berlin", "is not among the wikis"),
        ("https://127.0.0.1/wiki/Berlin", "127.0.0.1 is not among the wikis"),
        ("http://169.254.169.254/latest/meta-data/", "is not among the wikis"),
        ("http://[::1]/wiki/Berlin", "::1 is not among the wikis"),
        ("http://localhost:6379/wiki/Berlin", "localhost is not among the wikis"),
        ("https://wiki.example.org/other/index.php?title=Mill", "is not among the wikis"),
    ],
)
def test_what_is_refused_with_a_sentence(text, why):
    with pytest.raises(Refusal, match=why.replace("|", r"\|")):
        read_wanted(text, EN, ALLOWED)


def test_a_title_of_a_wiki_that_may_not_be_asked():
    assert read_wanted("Berlin", "", ALLOWED) == WantedArticle("", "Berlin")
    assert read_wanted("de:Berlin", "", ALLOWED) == WantedArticle("", "de:Berlin")
