"""The 130 published tags (STUDY_DATA), spliced into real articles at five kinds of place each."""

import json
import re

import pytest

from wikifetch.source.dump import read_dump
from wikifetch.wikitext import find_tags

HEADING = re.compile(r"^==[^=].*==\s*$", re.MULTILINE)
SECTION = "== Spliced ==\n{}"

# The text around the unit, and the unit: {0} is the tag; None for the published paragraph itself.
PLACES = {
    "paragraph": ("Before it.\n\n{}\n\nAfter it.", None),
    "list item": ("* One.\n{}\n* Three.", "* Built in 1801.{0} It stands."),
    "table row": (
        '{{| class="wikitable"\n! Year !! What\n|-\n{}\n|-\n| 1900 || Burned\n|}}',
        "| 1801 || Built.{0} It stands.",
    ),
    "infobox field": (
        "{{{{Infobox mill\n| name = Kettle Mill\n{}\n| closed = 1900\n}}}}",
        "| opened = 1801{0}",
    ),
    "among banners": (
        "{{{{Multiple issues|\n{{{{Orphan|date=May 2009}}}}\n{}\n}}}}\nA mill.",
        "{0}",
    ),
}


@pytest.fixture(scope="module")
def records(study_data):
    path = study_data / "wikicontradict" / "wikicontradict.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def articles(study_file):
    """Real articles with at least one section."""
    pages = read_dump(study_file("wikitext/enwiki_sample.xml.bz2")).pages
    texts = [revision.text for page in pages for revision in page.revisions]
    return [text for text in texts if HEADING.search(text)]


def spliced(article, section, number):
    """The article with a section of ours before one of its own."""
    places = [match.start() for match in HEADING.finditer(article)]
    at = places[number % len(places)]
    return f"{article[:at].rstrip()}\n\n{section}\n\n{article[at:]}"


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_every_published_tag_is_read_wherever_it_is(records, articles, place):
    around, unit = PLACES[place]
    for number, record in enumerate(records):
        raw = "{{" + record["tag"] + "}}"
        (alone,) = find_tags(raw).tags
        block = record["paragraph_A"].strip() if unit is None else unit.format(raw)
        section = SECTION.format(around.format(block))
        text = spliced(articles[number * 7 % len(articles)], section, number)
        result = [tag for tag in find_tags(text).tags if tag.raw == raw]
        assert len(result) == block.count(raw), number
        for tag in result:
            assert (tag.kind, tag.date, tag.reason) == (alone.kind, alone.date, alone.reason)
            # A banner, and whatever is among banners, speaks of its section.
            wanted = block if tag.scope is None else section
            assert tag.block == wanted, number
            assert tag.block_clean == wanted.replace(raw, ""), number
            assert text[tag.position :].startswith(raw)
