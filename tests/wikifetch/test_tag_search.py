"""The search of a dump's XML for names of tags: it passes over no page in which the finder finds something."""

import random
from xml.sax.saxutils import escape

import pytest

from wikifetch.source.tag_search import TagSearch
from wikifetch.wikitext import KNOWN_NAMES, PageReading, TagNames, find_tags
from wikifetch.wikitext.languages import WikiWords

# Names that XML writes with entities, without ASCII, with letters that change when they are folded.
ODD = TagNames.from_spellings(
    {
        "inconsistent": ["Überarbeiten", 'Q&A\'s "x"', "Противоречие", "ςτυ", "straße", "İki"],
        "contradict-other": ["Kit-1", "\u4e2d\u6587"],
        "self-contradictory": ["Same name", "Same"],
    },
    WikiWords(template=frozenset({"šablona"})),
)
NAMES = {"known": KNOWN_NAMES, "odd": ODD}
SEARCHES = {name: TagSearch(names) for name, names in NAMES.items()}
QUOTES = {'"': "&quot;", "'": "&apos;"}


def may_find(text, names="known"):
    """Whether the search may find something in the text however XML writes it."""
    spelled = {escape(text).encode(), escape(text, QUOTES).encode()}
    found = {
        SEARCHES[names].may_find(b"{{POV" + xml + b"{{POV", 5, 5 + len(xml)) for xml in spelled
    }
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    "text",
    [
        "{{Inconsistent}}",
        "{{inconsistent|date=May 2020}}",
        "{{ \n_INCONSISTENT_ }}",
        "{{Template:Inconsistent}}",
        "{{ vorlage :_Inconsistent}}",
        '{{<!-- a & "b" -->Inconsistent}}',
        "{{ <!--x--> Template:Self-contradictory}}",
        "{{Inconsistent<!-- x -->|a}}",
        "{{Contradict_other|A}}",
        "{{Self  contradict}}",
        "{{\u200eInconsistent\u200e}}",
        "{{Incon\u200esi\u202dstent}}",
        "{{Tem\u200eplate:Inconsistent}}",
        "{{\xa0Self\u2003contradictory}}",
        "{{Incon\u017fistent}}",
        "{{Multiple issues|contradict=May 2009}}",
        "{{article_issues|POV=1|contra\u200edict=May 2009}}",
        "{{i\u017fsues|incon\ufb06ent=May 2009|inconsi\ufb06ent=May 2009}}",
        "{{Inconsistent|date",
    ],
)
def test_what_is_written_in_an_odd_way_is_found(text):
    assert find_tags(text) != PageReading()
    assert may_find(text)


@pytest.mark.parametrize(
    "text",
    [
        "{{überarbeiten}}",
        '{{ŠABLONA:Q&A\'S "X"}}',
        "{{ПРОТИВОРЕЧИЕ}}",
        "{{ΣΤΥ}}",
        "{{\u212ait-1}}",
        "{{\u4e2d\u6587}}",
    ],
)
def test_names_in_other_scripts_are_found(text):
    assert find_tags(text, ODD) != PageReading()
    assert may_find(text, "odd")


@pytest.mark.parametrize(
    "text",
    [
        "It contradicts itself, and is inconsistent.",
        "{{Multiple issues|{{POV|date=May 2009}}}}",
        "{{cite web|title=Inconsistent}}",
        "{{POV}} Inconsistent",
        "{ {Inconsistent}}",
    ],
)
def test_a_page_without_a_tag_is_not_parsed(text):
    assert not may_find(text)


SPELLED = """
{{ {{ {{ }} }} | | = { } [[ ]] <nowiki> </nowiki> <includeonly> </includeonly> <ref> </ref> {{{ }}} &nbsp; &#32;
Template: Vorlage: ŠABLONA: T: Inconsistent inconsistent INCONSISTENT contradict Contradict-other Self self-
contradictory issues Article Kit-1 \u212ait-1 ÜBERARBEITEN Q&amp;A's Στυ strasse STRASSE Straße İki iki same
"""
PIECES = [
    *SPELLED.split(),
    " ", "_", "\n", "\xa0", "\u2003", "\u200e", "\u202e", "<!-- a > b -->", "<!-- & \" ' -->", "-->", "<!--",
    "Incon\u017fi\u017ftent", "Inconsi\ufb06ent", "contra\u200edict", "Multiple issues", "multiple_issues",
    "i\u017f\u017fues", "Inconsistent inline", "Q&A's \"x\"", "date=May 2009",
]  # fmt: skip
AROUND = [
    "{{Multiple issues|%s=1}}",
    "{{%s|date=1}}",
    "{{ %s }}",
    "{{<!--x-->%s}}",
    "{{issues|%s=1}}",
]


@pytest.mark.parametrize("number", range(4))
def test_nothing_that_the_finder_finds_is_passed_over(number):
    chance = random.Random(number)
    found = 0
    for _ in range(3_000):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 12)))
        text += chance.choice(AROUND) % "".join(chance.choices(PIECES, k=chance.randint(1, 3)))
        for name, names in NAMES.items():
            if find_tags(text, names) != PageReading():
                found += 1
                assert may_find(text, name), text
    assert found > 300
