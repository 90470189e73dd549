"""What is nearly a tag is none, and nothing that anybody writes breaks the finder."""

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikifetch.wikitext import KNOWN_NAMES, find_tags

NAMES = sorted(KNOWN_NAMES.kinds)
OTHER_NAMES = [
    "{} citations", "{}2", "non-{}", "Un{}", "{} article template", "{}/doc", "Cite {}", "{}s or not", "User:{}",
    "{}:x", "{}#x", "#if:{}", "{{{{{{{}}}}}}}", "tl|{}", "x={}",
]  # fmt: skip
NOT_READ = [
    "<!-- {{{{{}}}}} -->", "<nowiki>{{{{{}}}}}</nowiki>", "<pre>\n{{{{{}|date=May 2020}}}}\n</pre>",
    '<syntaxhighlight lang="text">{{{{{}}}}}</syntaxhighlight>', "<math>{{{{{}}}}}</math>", "[[{}]]", "[[Template:{}]]",
    "{{{{{{{}}}}}}}", "{{ {{{}}} }}", "{}", "{{{{{}", "{}}}}}", "{{{{\n{}", "<!-- {{{{{}}}}}",
]  # fmt: skip


def look_alikes():
    """2,000 texts, each a sentence with something that looks like a tag; the draw is always the same."""
    draw = random.Random(1121)
    made = [
        f"Built in 1801.{{{{{pattern.format(name)}|date=May 2020}}}} It stands."
        for pattern, name in product(OTHER_NAMES, NAMES)
        if not KNOWN_NAMES.kind_of(pattern.format(name))
    ]
    made += [
        f"Built in 1801.{pattern.format(name)} It stands."
        for pattern, name in product(NOT_READ, NAMES)
    ]
    return [" ".join(draw.choices(made, k=draw.randint(1, 4))) for _ in range(2_000)]


def test_two_thousand_look_alikes_hold_no_tag():
    taken = [text for text in look_alikes() if find_tags(text).tags]
    assert taken == []


FRAGMENTS = [
    "{{", "}}", "{{{", "}}}", "[[", "]]", "|", "=", "'''", "\n", "\n\n", "* ", "# ", "{|", "|}", "|-", "||",
    "== A ==\n", "<ref>", "</ref>", "<ref name=x/>", "<!--", "-->", "<nowiki>", "</nowiki>", "<gallery>", "</gallery>",
    "<pre>", "<math>", "{{Inconsistent}}", "{{inconsistent|date=May 2020|reason=x}}", "{{Contradict-other|[[B]]}}",
    "{{Multiple issues|", "{{Article issues|contradict=May 2009}}", "{{Infobox mill|a=", "{{convert|1|m}}",
    "Ann built it.", "\x00", "\x1a", "\ud800", "Ł", "&nbsp;", "https://x.example/?a=b",
    "{{self-contradictory\n|about=y\n}}",
]  # fmt: skip


@pytest.mark.long
@settings(max_examples=400)
@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=40).map("".join))
def test_whatever_is_written_each_tag_lies_in_its_block_and_the_block_in_the_page(text):
    reading = find_tags(text)
    for tag in reading.tags:
        assert text[tag.position : tag.position + len(tag.raw)] == tag.raw
        assert text[tag.block_start : tag.block_start + len(tag.block)] == tag.block
        assert tag.raw in tag.block
        assert tag.raw not in tag.block_clean
        assert tag.block_start <= tag.position
    assert [tag.position for tag in reading.tags] == sorted(tag.position for tag in reading.tags)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_names_between_braces_are_tags(name):
    assert len(find_tags(f"Built in 1801.{{{{{name}|date=May 2020}}}} It stands.").tags) == 1
