"""The block of a tag by the data-mw of Parsoid's HTML, where that leaves no doubt."""

import json
import re

import pytest

from tests.wikifetch.factories import TAG
from tests.wikifetch.fakewiki import Answer
from tests.wikifetch.test_fetching_html import fetched, marked_words
from wikifetch.models import Sighting
from wikifetch.shownarticle import shown_article, wikis_article
from wikifetch.wikihtml.calls import place_of, tag_call

pytestmark = pytest.mark.django_db

NAME, PARAMS = "Inconsistent", {"date": {"wt": "May 2020"}}
OTHER = "{{Inconsistent|reason=other|date=May 2020}}"


@pytest.fixture
def live(live):
    live.size = 1
    return live


def made(params=PARAMS, name=NAME, *more):
    """The tag as Parsoid shows it."""
    template = {"target": {"wt": name, "href": f"./Template:{name}"}, "params": params, "i": 0}
    data = json.dumps({"parts": [{"template": template}, *more]})
    return (
        f"""<sup class="Inline-Template" typeof="mw:Transclusion" about="#mwt1" id="mwAb" data-mw='{data}'>"""
        "[<i>inconsistent</i>]</sup>"
    )


def page(revid, body):
    about = f"http://127.0.0.1/wiki/Special:Redirect/revision/{revid}"
    return f'<!DOCTYPE html>\n<html about="{about}"><body><section>{body}</section></body></html>'


A, B = made(), made({"reason": {"wt": " other "}, "date": {"wt": "May 2020"}}, "inconsistent\n")
BARE = "<sup>[<i>inconsistent</i>]</sup>"
NOTES = (
    '<ol class="mw-references references"><li about="#cite_note-1" id="cite_note-1"><span rel="mw:referencedBy">'
    '<a href="./Mill#cite_ref-1"><span class="mw-linkback-text">1 </span></a></span> <a rel="mw:referencedBy">'
    '<span class="mw-linkback-text">↑ </span></a> <span class="mw-reference-text">Says 6.@</span></li></ol>'
)
NUMBER = '<sup class="mw-ref reference"><a href="./Mill#cite_note-1"><span class="mw-reflink-text">[1]</span></a></sup>'
AMBOX = (
    '<table class="ambox" data-mw=\'{"parts":[{"template":{"target":{"wt":"Self-contradictory"},"params":{}}}]}\'>'
    "<tr><td>This contradicts itself.</td></tr></table>"
)
BARE_AMBOX = re.sub(" data-mw='[^']*'", "", AMBOX)
STYLED = f"<style{re.search(' data-mw=.[^>]*', AMBOX)[0]}>.ambox{{}}</style>{BARE_AMBOX}"
# The wikitext and the wiki's HTML; what is marked for each tag, and which of the tags shown it is; None: not found.
PLACES = {
    "words that a template says otherwise": (
        f"It is {{{{weir height}}}} high.{TAG}\n\nB.{OTHER}",
        f"<p>It is twelve metres and a half, or 41 feet, in all.{A}</p><p>B.{B}</p>",
        [(["It is twelve metres and a half, or 41 feet, in all."], 0), (["B."], 1)],
    ),
    "equal words in equal paragraphs of which one has a tag": (
        f"Same.{OTHER}\n\nSame.{TAG}", f"<p>Same.{B}</p><p>Same.{A}</p>", [(["Same."], 0), (["Same."], 1)],
    ),
    "equal tags, the n-th": (
        f"One is 6 m.{TAG}\n\nTwo is 7 m.{TAG}",
        f"<p>One is 6 m.{A}</p><p>Two is 7 m.{A}</p>",
        [(["One is 6 m."], 0), (["Two is 7 m."], 1)],
    ),
    "equal tags, one of them in an argument": (
        f"{{{{Infobox mill\n| opened = 1801{TAG}\n}}}}\nOne is 6 m.{TAG}",
        f'<table class="infobox"><tr><th>Opened</th><td>1801{BARE}</td></tr></table><p>One is 6 m.{A}</p>',
        [(["Opened1801"], 0), (["One is 6 m."], 1)],
    ),
    "the n-th of equal tags is elsewhere": (
        f"One is 6 m.{TAG}\n\nTwo is 7 m.{TAG}",
        f"<p>Nothing of it.{A}</p><p>Two is 7 m.{A}</p>",
        [None, (["Two is 7 m."], 1)],
    ),
    "equal tags in the text and in a note": (
        f"One.<ref>Says 6.{TAG}</ref> Two.{TAG}",
        f"<p>One.{NUMBER} Two.{A}</p>" + NOTES.replace("@", A),
        [(["Says 6."], 1), (["One. Two."], 0)],
    ),
    "in a note whose words differ": (
        f"One.<ref>{{{{x}}}} says 6.{TAG}</ref>",
        f"<p>One.{NUMBER}</p>" + NOTES.replace("Says 6.@", f"Weir, Ann and others: The mill and its weir, p. 6.{A}"),
        [(["Weir, Ann and others: The mill and its weir, p. 6."], 0)],
    ),
    "in a gallery": (
        f"<gallery>\nA.jpg|The weir{TAG}\n</gallery>",
        '<ul class="gallery"><li class="gallerybox"><div class="thumb"><span typeof="mw:Error mw:File"><a>'
        '<span class="mw-broken-media">File:A.jpg</span></a></span></div><div class="gallerytext">'
        f"The weir{A}</div></li></ul>",
        [(["The weir"], 0)],
    ),
    "in a caption": (
        f"[[File:A.jpg|thumb|The weir{TAG}]]",
        f'<figure typeof="mw:Error mw:File/Thumb"><a>A</a><figcaption>The weir, and more{A}</figcaption></figure>',
        [(["The weir, and more"], 0)],
    ),
    "in a list item in another": (
        f"* One\n** Two{TAG}\n* Two{OTHER}",
        f"<ul><li>One<ul><li>Two{A}</li></ul></li><li>Two{B}</li></ul>",
        [(["Two"], 0), (["Two"], 1)],
    ),
    "after the second of two equal lists": (
        f"* A.\n* B.\n\nNext.\n* A.\n* B.\n{TAG}",
        f"<ul><li>A.</li><li>B.</li></ul><p>Next.</p><ul><li>A.</li><li>B.</li></ul><p>{A}</p>",
        [(["A.", "B."], 0)],
    ),
    "next to an image": (
        f"One.\n\n[[File:A.jpg|thumb|The weir]]{TAG}",
        f'<p>One.</p><figure typeof="mw:File/Thumb"><figcaption>The weir</figcaption></figure><p>{A}</p>',
        [(["The weir"], 0)],
    ),
    "in two sections of one name": (
        f"== A ==\n{{{{Self-contradictory}}}}\nOne.\n\n== A ==\nTwo.{TAG}",
        f"<h2>A</h2>{AMBOX}<p>One.</p><h2>A</h2><p>Two.{A}</p>",
        [(["One."], 0), (["Two."], 1)],
    ),
    # With TemplateStyles, data-mw is on a <style>; and a template in the arguments of another has none.
    "in the second of two sections of one name, after a style": (
        "== A ==\nOne.\n\n== A ==\n{{Self-contradictory}}\nTwo.",
        f"<h2>A</h2><p>One.</p><h2>A</h2>{STYLED}<p>Two.</p>",
        [(["Two."], 0)],
    ),
    "among banners, in the second of two sections of one name": (
        "== A ==\nOne.\n\n== A ==\n{{Multiple issues|\n{{Self-contradictory}}\n{{Orphan}}\n}}\nTwo.",
        f'<h2>A</h2><p>One.</p><h2>A</h2><table class="ambox multiple-issues"><tr><td>{BARE_AMBOX}</td></tr></table>'
        "<p>Two.</p>",
        [(["Two."], 0)],
    ),
    "in the second of two sections of which the wiki shows one": (
        "== A ==\nOne.\n\n== A ==\n{{Self-contradictory}}\nOne.", f"<h2>A</h2>{AMBOX}<p>One.</p>", [None],
    ),
    "among what several templates made": (
        f"One is 6 m.{TAG}", f"<p>One is 6 m.{made(PARAMS, NAME, 'text')}</p>", [(["One is 6 m."], 0)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_the_unit_around_what_the_tags_template_made_is_marked(live, place):
    wikitext, html, expected = PLACES[place]
    live.texts[1], live.rest = wikitext, lambda revid: Answer(page(revid, html))
    fetched("Mill 1")
    found = []
    for seen in Sighting.objects.select_related("revision__article__wiki", "tag").order_by(
        "position"
    ):
        article = shown_article(seen.revision, seen)
        if not article.origin.startswith("The wiki's own HTML"):
            found.append(None)
            continue
        assert not re.search(r"data-mw|mwA|mwt\d|↑|parts", article.html)
        tags = re.findall(r'<span class="wiki-tag"([^>]*)>', article.html)
        (current,) = (at for at, mark in enumerate(tags) if mark == ' aria-current="true"')
        found.append((marked_words(article.html), current))
    assert found == expected


TEMPLATE = {"template": {"target": {"wt": NAME}, "params": PARAMS}}
ODD = [
    "", "{", "[" * 5_000, "7", "null", "[]", "{}", '{"parts": 7}', '{"parts": [7, "text", null]}',
    *map(json.dumps, (
        {"parts": [{"template": 7}]},
        {"parts": [{"template": {"target": 7, "params": 7}}]},
        {"parts": [{"template": {"target": {"wt": 7}, "params": {"date": 7}}}]},
        {"parts": [{"template": {"target": {"wt": NAME}, "params": {"date": {"wt": 7}}}}]},
        {"parts": [{"template": {"target": {"wt": NAME}, "params": {}}}]},
        {"parts": [{"template": {"target": {"wt": "Other"}, "params": PARAMS}}]},
        {"parts": [TEMPLATE, TEMPLATE]},
        {"parts": ["before", TEMPLATE]},
    )),
]  # fmt: skip


@pytest.mark.parametrize("data", ODD)
def test_data_that_is_odd_or_says_more_than_one_template_tells_no_place(data):
    article = wikis_article(f"<p>One.<sup data-mw='{data}'>[<i>inconsistent</i>]</sup></p>")
    assert place_of(article, tag_call(NAME, [("date", "May 2020")])) is None


def test_what_is_hidden_or_taken_back_tells_no_place_of_another():
    hidden = f'<p style="display:none">{A}</p><p>{made().replace("[<i>inconsistent</i>]", "")}</p>'
    article = wikis_article(f"{hidden}<p>One.{A}</p>")
    place = place_of(article, tag_call("inconsistent ", [("date", " May 2020")]))
    assert place is not None
    assert article.tags == [place]
