"""Articles as HTML to read from: the tagged block marked, nothing that can run."""

import gc
import itertools
import re
import time
from html.parser import HTMLParser

import pytest

from tests.wikifetch.factories import SHOWN_TAG, TAG, export, mill, written
from wikifetch import fetch
from wikifetch.article_html import article_html, marked_block, wikitext_html
from wikifetch.models import Tag
from wikifetch.wikitext import find_tags
from wikifetch.wikitext.article import MAX_LINES, render_article

ARTICLE = """{{Short description|Mill}}
{{Infobox mill
| name = Kettle Mill
| opened = 1801
| empty =
}}
'''Kettle Mill''' is a [[Watermill|mill]].<ref>Book</ref> It stands 4{{nbsp}}m high.{{cn}}{{tab}}

== History ==
Built in 1801 by ''Ann''.

* One
** Two
# First

{| class="wikitable"
! Year !! colspan="2" | Owner
|-
| 1801 || Ann || Kettle
|}

<gallery>
Mill.jpg|The mill
</gallery>
{{Reflist}}
[[Category:Mills]]
"""


def html_of(text, marked=None):
    return render_article(text, marked)


@pytest.mark.parametrize(
    ("template", "rows"),
    [
        ("{{Track listing\n| title1 = A\n| length1 = 3:45\n}}", ["Title 1|A", "Length 1|3:45"]),
        ("{{Historical populations|1900|500\n|1910|600}}", ["1900|500", "1910|600"]),
        ("{{Historical populations|{{dts|1900}}|500|1910}}", ["1900|500", "1910"]),
        ("{{Population|1900=500|2 = 600}}", ["1900|500", "600"]),
        ("{{football box\n|team1=[[Ann]]\n|score=2-1\n}}", ["Team 1|Ann", "Score|2-1"]),
        ("{{Election box candidate|votes=5|change={{up}}}}", ["Votes|5", "Change|⋯"]),
        ("{{Unreferenced section|date=May 2020}}", []),
        ("{{Mills of Kent}}", []),
        ("<timeline>\nPeriod = from:1900\n</timeline>", []),
    ],
)
def test_an_unknown_template_on_its_own_is_a_table_or_an_ellipsis(template, rows):
    html = html_of(f"One.\n\n{template}\n\nTwo.")
    found = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    cells = [re.sub(r"</?(?:t[hd]|span)[^>]*>", "", row.replace("</th>", "|")) for row in found]
    assert cells == rows
    assert ("⋯</span></p>" in html) == (not rows)
    assert html.startswith("<p>One.</p>\n")
    assert html.endswith("<p>Two.</p>")


def test_a_list_in_columns_is_a_list():
    html = html_of(
        "One.\n\n{{columns-list|colwidth=20em|\n* One 5\n* Two 6\n# Three\nFour.\n}}\n\nTwo."
    )
    lists = "<ul><li>One 5</li><li>Two 6</li></ul><ol><li>Three</li></ol><p>Four.</p>"
    assert html == f"<p>One.</p>\n{lists}\n<p>Two.</p>"


@pytest.mark.parametrize(
    ("wikitext", "html"),
    [
        ("A '''b ''c''' d'' e", "A <b>b <i>c</i></b><i> d</i> e"),
        ("A ''b\nc''' d", "A <i>b</i>\nc<b> d</b>"),
        ("A '''''b''' c'' d", "A <b><i>b</i></b><i> c</i> d"),
    ],
)
def test_bold_and_italic_end_in_order_and_with_their_line(wikitext, html):
    assert html_of(wikitext) == f"<p>{html}</p>"


def test_replies_are_indented_lines_and_terms_have_definitions():
    assert render_article(": Yes.\n:: No.") == (
        '<ul class="indented"><li>Yes.</li><li class="depth-2">No.</li></ul>'
    )
    assert render_article("; Term\n: What it is.") == "<dl><dt>Term</dt><dd>What it is.</dd></dl>"


def test_an_article_becomes_simple_elements():
    html = html_of(ARTICLE)
    for piece in [
        '<table class="infobox"><tr><th>Name</th><td>Kettle Mill</td></tr><tr><th>Opened</th>',
        '<p><b>Kettle Mill</b> is a <span class="link" title="Watermill">mill</span>.',
        '<sup class="reference">[1]</sup> It stands 4 m high.<sup class="reference">[citation needed]</sup>',
        '<span class="left-out" title="{{tab}}">⋯</span></p>',
        "<h3>History</h3>",
        "<p>Built in 1801 by <i>Ann</i>.</p>",
        '<ul><li>One</li><li class="depth-2">Two</li></ul>',
        "<ol><li>First</li></ol>",
        '<th colspan="2"> Owner',
        '<ul class="gallery"><li>The mill</li></ul>',
    ]:
        assert piece in html
    assert "Category" not in html
    assert "empty" not in html


def test_a_table_that_is_never_closed_ends_with_its_section():
    html = html_of("{|\n| 1\n\n== Next ==\n{|\n| 2\n|}\n\nText.")
    assert [
        html.count(piece) for piece in ("<table", "<h3>Next</h3>", "<td> 2", "<p>Text.</p>")
    ] == [2, 1, 1, 1]


CAPTIONS = {
    "plain": ("{|\n|+ Owners\n|-\n| Ann\n|}", ["Owners"], ["Ann"]),
    "indented, in a table without a first mark": ("{|\n |+ Owners\n| Ann\n|}", ["Owners"], ["Ann"]),
    "with a style": ('{|\n|+ style="x" | Owners\n|-\n| Ann\n|}', ["Owners"], ["Ann"]),
    "with a link and a note": ("{|\n|+ [[A|Owners]]{{efn|a=b|c}}\n| Ann\n|}", ["Owners"], ["Ann"]),
    "a second one": ("{|\n|+ Owners\n|+ Heirs\n| Ann\n|}", ["Owners"], ["Heirs", "Ann"]),
    "empty": ("{|\n|+\n| Ann\n|}", [], ["Ann"]),
    "of a table in a table": ("{|\n|-\n|\n{|\n|+ Owners\n| Ann\n|}\n|}", [], ["Owners", "Ann"]),
}


@pytest.mark.parametrize("case", CAPTIONS)
def test_a_tables_caption_is_no_cell(case):
    text, captions, cells = CAPTIONS[case]
    html = re.sub(r"<sup.*?</sup>|</?span[^>]*>", "", html_of(text))
    assert [result.strip() for result in re.findall(r"<caption>([^<]*)", html)] == captions
    result = [words.strip() for words in re.findall(r"<td>([^<]*)", html)]
    assert [words for words in result if words] == cells


# The tag goes where @ is; the element that must bear the mark.
PLACES = {
    "paragraph": ("One.\n\nTwo.@\n\nThree.", "p"),
    "list item": ("* One\n* Two@\n* Three", "li"),
    "table row": ("{|\n! A\n|-\n| 1@\n|-\n| 2\n|}", "tr"),
    "table caption": ("{|\n|+ Owners@\n|-\n| 1\n|}", "caption"),
    "infobox field": ("{{Infobox\n| a = b\n| c = d@\n}}\nText.", "tr"),
    "heading": ("One.\n\n== Two@ ==\nThree.", "h3"),
    "caption": ("[[File:A.jpg|thumb|Two@]]\nThree.", "p"),
    "caption in a paragraph": ("One [[File:A.jpg|thumb|Two@|alt=x]] three.", "p"),
    "caption that the wiki does not show": ("One [[File:A.jpg|20px|Two@]] three.", "p"),
    "reference": ("One.<ref>Two@</ref>", "p"),
    "reference over lines in an item": ("* One.<ref>\n* Two\n\nThree@\n</ref> Four.\n* Five", "li"),
    "argument that is not shown": ("One {{flag|Peru|x@}} two.", "p"),
    "target of a link": ("* One\n* [[x@|Two]]", "li"),
    "template that is not shown": ("One {{tabular|x@}} two.", "p"),
    "gallery": ("<gallery>\nA.jpg|One\nB.jpg|Two@\n</gallery>", "li"),
    "quotation": ("{{quote|\nOne.\n\nTwo.@\n}}", "p"),
    "unknown template": ("{{Whatever\n| {{tabular|x@}}\n}}", "tr"),
    "field of an unknown template": ("{{Track listing\n| title1 = A\n| length1 = 3:45@\n}}", "tr"),
    "unknown template on a line": ("One.\n\n{{Track listing|title1=A|length1=3:45@}}", "tr"),
    "pair of an unknown template": ("{{Historical populations|1900|500|1910|600@}}", "tr"),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_tagged_block_is_marked_once(place):
    text, element = PLACES[place]
    text = text.replace("@", TAG)
    (tag,) = find_tags(text).tags
    html = html_of(text, (tag.block_start, tag.block_start + len(tag.block)))
    assert re.findall(
        r'<(\w+) id="tagged-block" class="(?:(?:depth-\d|caption) )?tagged">', html
    ) == [element]
    assert html.count('"tagged-block"') == 1
    assert SHOWN_TAG in html or TAG in re.sub(r'title="[^"]*"', "", html)


SHOWN = {
    "a caption": (
        "Built [[File:A.jpg|thumb|left|The [[Mill|mill]]|alt=A drawing]] in 1801.",
        '<p class="caption">The <span class="link" title="Mill">mill</span></p>\n<p>Built  in 1801.</p>',
    ),
    "a frame with settings": ("[[file:A.jpg|framed|upright=1.2|link=|Old|x200px]]", '<p class="caption">Old</p>'),
    "a thumbnail of another file": ("[[File:A.ogv|thumb=B.jpg|Film]]", '<p class="caption">Film</p>'),
    "a picture without words": ("A [[File:A.jpg|thumb|200px]] b", "<p>A  b</p>"),
    "words that the wiki does not show": ("A [[File:A.jpg|20px|Flag]] b", "<p>A  b</p>"),
    "a caption in a list": ("* A[[File:A.jpg|thumb|B]]", '<ul><li>A<br><span class="caption">B</span></li></ul>'),
    "a gallery": (
        "<gallery>\nA.jpg\nB.jpg|The mill|alt=x\nC.jpg|alt=y\n</gallery>", '<ul class="gallery"><li>The mill</li></ul>',
    ),
    "a gallery in a line": ("A <gallery>\nB.jpg|C\n</gallery>", '<p class="caption">C</p>\n<p>A</p>'),
    "a reference over lines": (
        "Built<ref>A\n\n* B\n== C ==\n</ref> in 1801.", '<p>Built<sup class="reference">[1]</sup> in 1801.</p>',
    ),
    "references over lines": ("A\n\n<references>\n<ref name=b>C\n\nD</ref>\n\nE\n</references>", "<p>A</p>"),
    "a reference that is never closed": ("A<ref>B\n\nC", "<p>A&lt;ref&gt;B</p>\n<p>C</p>"),
    "a tag in a reference": (
        f"A<ref name=b>Built in 1802{TAG}</ref> c.",
        '<p>A<sup class="reference">[1]</sup> c.</p>\n<p class="note"><sup class="reference">[1]</sup> '
        f"Built in 1802{SHOWN_TAG}</p>",
    ),
    "a tag in a note": (
        f"* A{{{{efn|Or 1802{TAG}}}}} c.",
        '<ul><li>A<sup class="reference">[1]</sup> c.<br><span class="note"><sup class="reference">[1]</sup> Or 1802'
        f"{SHOWN_TAG}</span></li></ul>",
    ),
    "captions in the middle of an item": (
        "* Built [[File:A.jpg|thumb|B]][[File:C.jpg|thumb|D]]in 1801.",
        '<ul><li>Built in 1801.<br><span class="caption">B</span><br><span class="caption">D</span></li></ul>',
    ),
    "a caption in a cell, and another in a cell of its own": (
        "{|\n| Built [[File:A.jpg|thumb|B]] in 1801. || [[File:C.jpg|thumb|D]]\n|}",
        '<div class="table-wrap" tabindex="0" role="group" aria-label="Table"><table class="wikitable"><tr>'
        '<td> Built  in 1801. <br><span class="caption">B</span></td>'
        '<td> \n<span class="caption">D</span></td></tr></table></div>',
    ),
    "a caption before a table in its cell": (
        "{|\n| A [[File:A.jpg|thumb|B]]\n{|\n| C\n|}\n|}",
        '<div class="table-wrap" tabindex="0" role="group" aria-label="Table"><table class="wikitable"><tr>'
        '<td> A \n<table><td> C\n</td></table>\n<br><span class="caption">B</span></td></tr></table></div>',
    ),
    "a field with a picture alone": (
        "{{Infobox mill\n| seen = [[File:A.jpg|thumb|The mill]]\n}}",
        '<table class="infobox"><tr><th>Seen</th><td><span class="caption">The mill</span></td></tr></table>',
    ),
    "a hatnote": (
        "{{Main|Mill & dam}}\nBuilt in 1801.",
        '<p class="hatnote">Main article: Mill &amp; dam</p>\n<p>Built in 1801.</p>',
    ),
    "captions of a template": (
        "{{multiple image\n| image1 = A.jpg\n| caption1 = The mill\n| caption2 = The dam\n}}",
        '<p class="caption">The mill</p>\n<p class="caption">The dam</p>',
    ),
    "a link": ("[[Mill]] [//e.org site]", '<p><span class="link">Mill</span> <span class="link">site</span></p>'),
}  # fmt: skip


@pytest.mark.parametrize("case", SHOWN)
def test_captions_notes_and_links_are_shown_as_such(case):
    wikitext, html = SHOWN[case]
    assert render_article(wikitext) == html


INFOBOX = """{{Infobox town
| OfficialLang = Dutch
| bgcolour = #0000FF
| frame = #abc
| image = Town.jpg
| image_size = 250px
| flag = [[File:Flag.svg|20px]]
| leader_title1 = [[Mayor]]
| leader_name1 = Ann
| leader_title2 =
| leader_name2 = Tom
| map_caption = In the north
}}"""


def test_an_infobox_has_labels_and_no_layout():
    rows = re.findall(r"<th>(.*?)</th><td>(.*?)</td>", html_of(INFOBOX))
    assert rows == [
        ("Official language", "Dutch"),
        ("Mayor", "Ann"),
        ("Leader name 2", "Tom"),
        ("Map caption", "In the north"),
    ]


@pytest.mark.parametrize("name", re.findall(r"\| (\w+) =", INFOBOX))
def test_a_tagged_field_is_shown_and_marked_whatever_it_is(name):
    text = re.sub(rf"(\| {name} =.*)", rf"\1{TAG}", INFOBOX)
    (tag,) = find_tags(text).tags
    html = html_of(text, (tag.block_start, tag.block_start + len(tag.block)))
    (row,) = re.findall(r'<tr id="tagged-block" class="tagged">(.*?)</tr>', html)
    assert SHOWN_TAG in row
    assert html.count("tagged") == 2


def test_of_two_fields_with_one_name_the_tagged_one_is_shown_too():
    text = f"{{{{Infobox\n| a = 1\n| a = 2{TAG}\n| a = 3\n| b = 4\n| b = 5\n}}}}"
    assert re.findall(r"<td>(\d)", html_of(text)) == ["2", "3", "5"]


def test_only_the_tagged_caption_is_marked():
    text = f"One [[File:A.jpg|thumb|Two{TAG}]] three [[File:B.jpg|thumb|Four]]."
    (tag,) = find_tags(text).tags
    html = html_of(text, (tag.block_start, tag.block_start + len(tag.block)))
    assert re.findall(r'tagged">([^<]*)', html) == ["Two"]


@pytest.mark.parametrize(
    ("number", "marked"),
    [(0, ["One."]), (1, ["Two."]), (2, ["P  q  r."]), (3, ["Three."]), (4, ["Four."])],
)
def test_of_several_tags_in_a_paragraph_and_its_captions_one_is_marked(number, marked):
    text = (
        "P [[File:A.jpg|thumb|One.@]] q [[File:B.jpg|thumb|Two.@]] r.@\n\n"
        "[[File:A.jpg|thumb|Three.@]]\n[[File:A.jpg|thumb|Four.@]]"
    ).replace("@", TAG)
    tag = find_tags(text).tags[number]
    html = html_of(text, (tag.block_start, tag.block_start + len(tag.block)))
    assert re.findall(r'tagged">([^<]*)', html) == marked
    assert html.count('id="tagged-block"') == 1


@pytest.mark.parametrize(
    ("number", "marked"), [(0, ["One[1] Two.[2]"]), (1, ["[1] Three."]), (2, ["[2] Four."])]
)
def test_a_note_with_a_tag_is_marked_by_itself(number, marked):
    text = "One@<ref>Three.@</ref> Two.{{efn|Four.@}}".replace("@", TAG)
    tag = find_tags(text).tags[number]
    html = html_of(text, (tag.passage.start, tag.passage.end))
    found = re.findall(r'class="(?:note )?tagged">(.*?)</p>', html)
    assert [re.sub("<span.*?</span>|<[^>]*>", "", one) for one in found] == marked


QUOTED = (
    "Before.@ <blockquote>It is 12 m.@</blockquote> Then "
    "<div>14 m@ <blockquote>or 15 m@</blockquote></div> After.@"
)


@pytest.mark.parametrize(
    ("number", "marked"),
    [(1, ["It is 12 m."]), (3, ["or 15 m"])],
)
def test_quotations_and_divisions_in_a_paragraph_are_marked_by_themselves(number, marked):
    text = QUOTED.replace("@", TAG)
    tag = find_tags(text).tags[number]
    html = html_of(text, (tag.block_start, tag.block_start + len(tag.block)))
    assert re.findall(r'tagged">([^<]*)', html) == marked
    plain = re.sub(r'<span.*?</span>| (?:id|class)="[^"]*"', "", html)
    assert plain == (
        "<p>Before.</p><blockquote><p>It is 12 m.</p></blockquote><p>Then</p><p>14 m</p>"
        "<blockquote><p>or 15 m</p></blockquote><p>After.</p>"
    )


@pytest.mark.parametrize("depth", [30, 3_000])
def test_the_words_of_divisions_deep_in_one_another_are_shown(depth):
    assert "Words" in html_of("<div>" * depth + "Words" + "</div>" * depth)


def test_all_elements_of_a_banners_section_are_marked():
    text = "Lead.\n\n== A ==\n{{Self-contradictory}}\nOne.\n\nTwo.\n\n== B ==\nThree."
    (tag,) = find_tags(text).tags
    html = html_of(text, (tag.block_start, tag.block_start + len(tag.block)))
    assert re.findall(r'class="tagged">([^<]*)', html) == ["A", "", "Two."]
    assert '<h3 id="tagged-block" class="tagged">A</h3>' in html


@pytest.mark.django_db
def test_a_table_that_takes_the_focus_is_named_by_its_caption():
    text = "{|\n|+ The ''old'' \"owners\" <ref>Book</ref>\n| Ann\n|}\n\n{|\n| Tom\n|}"
    named = [
        attributes["aria-label"]
        for element, attributes in elements(wikitext_html(text))
        if element == "div"
    ]
    assert named == ['Table The old "owners" [1]', "Table"]


@pytest.mark.parametrize(
    "wikitext",
    [
        '{| class="navbox"\n! Rank !! City !! Population\n|-\n| 1 || [[Kettle]] || 535,061\n|}',
        "{{Largest cities\n| city_1 = Kettle\n| pop_1 = 535,061\n}}",
    ],
)
def test_a_navigation_box_of_numbers_stays(wikitext):
    assert re.search(r"<td> ?535,061", html_of(wikitext))


HOSTILE = [
    '{|\n|+ "><script>alert(1)</script>" onfocus="alert(2)\n| a\n|}',
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    '<b onclick="alert(1)" style="x">b</b>',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<nowiki><script>alert(1)</script></nowiki>",
    "[javascript:alert(1) x]",
    "[[x|<script>alert(1)</script>]]",
    '{{x|"><script>alert(1)</script>}}',
    '{| \n| colspan="1\\" onload=\\"x" | a\n|}',
    "<a href='javascript:x'>x</a>",
    "== <svg onload=alert(1)> ==",
    "<iframe src='//evil.example'></iframe>",
    "<style>*{display:none}</style>",
    "<form action=x><input></form>",
]

ELEMENTS = {"p", "b", "h3", "div", "table", "caption", "tr", "td", "span", "sup"}
ATTRIBUTES = {"class", "id", "title", "colspan", "tabindex", "role", "aria-label"}


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_an_article_can_run_or_load_even_before_it_is_sanitised(text):
    for element, attributes in elements(render_article(f"{text}\n\nOld.{TAG}")):
        assert element in ELEMENTS
        assert set(attributes) <= ATTRIBUTES


@pytest.mark.django_db
def test_what_is_shown_is_sanitised_whatever_wrote_it(tmp_path, monkeypatch):
    fetch.fetch_xml(written(tmp_path, export(mill(f"Old.{TAG}"))))
    monkeypatch.setattr("wikifetch.article_html.render_article", lambda *_, **__: "".join(HOSTILE))
    seen = Tag.objects.get().latest
    for element, attributes in elements(article_html(seen.revision, seen)):
        assert element in ELEMENTS
        assert set(attributes) <= ATTRIBUTES


def elements(html):
    result = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            result.append((tag, dict(attrs)))

    Reader().feed(html)
    return result


def test_what_is_too_hostile_to_parse_comes_as_text():
    html = html_of("Fine.\n\n" + "{{a|" * 200 + "<b>")
    assert "<p>Fine.</p>" in html
    assert f"<p><code>{'{{a|' * 200}&lt;b&gt;</code></p>" in html


# n -> a text that grows with it.
SLOW = {
    "references over lines next to many tags": lambda n: ("A<ref>\nb</ref>" * 1_000 + TAG) * 25 * n,
    "links next to many tags": lambda n: ("[[a]]" * 3_000 + TAG) * 25 * n,
    "links to files next to many tags": lambda n: ("[[File:a|b]]" * 1_500 + TAG) * 25 * n,
    "links to files in links to files": lambda n: (
        "[[File:A|thumb|" * 39 + "word " * 2_500 * n + TAG + "]]" * 39
    ),
    "a width of many digits": lambda n: f"[[File:A|thumb|{'1' * 15_000 * n}]]{TAG}",
    "a long name in an infobox": lambda n: f"{{{{Infobox\n| {'image_' * 1_250 * n} = b{TAG}\n}}}}",
    "many fields": lambda n: (
        "{{Infobox\n" + "| a_name = b\n| a_title = c\n" * 2_500 * n + f"| a = {TAG}}}}}"
    ),
    "a hatnote of many uses": lambda n: f"{{{{about|{'a|' * 2_500 * n}}}}}{TAG}",
    "many rows in HTML": lambda n: (
        "<table>" + "<tr><td>a\n\n" * 3_750 * n + TAG + "</table>" + "b\n\n" * 1_250 * n
    ),
    "many coordinates": lambda n: f"{{{{coord|{'1|N|' * 2_000 * n}}}}}{TAG}",
}


def seconds_of(text):
    """Seconds of the processor, the lesser of two, without collections of garbage.

    A full collection takes seconds where the tests before have left much.
    """
    return min(_seconds_once(text), _seconds_once(text))


def _seconds_once(text):
    gc.disable()
    try:
        begun = time.thread_time()
        seen = find_tags(text)
        seen.words()
        block = seen.tags[0]
        assert html_of(text, (block.block_start, block.block_start + len(block.block)))
        return time.thread_time() - begun
    finally:
        gc.enable()


@pytest.mark.long
@pytest.mark.parametrize("case", SLOW)
def test_four_times_as_much_hostile_text_takes_about_four_times_as_long(case):
    small = seconds_of(SLOW[case](1))
    assert seconds_of(SLOW[case](4)) < 8 * small + 0.5


def test_a_page_too_long_to_parse_comes_as_one_piece_of_text():
    text = "* <b>\n" * (MAX_LINES + 1)
    html = render_article(text, (2, 5))
    assert html.startswith(
        '<pre id="tagged-block" class="tagged">&lt;b&gt;</pre>\n<pre>* &lt;b&gt;'
    )


def test_what_is_not_parsed_in_time_comes_as_text():
    assert render_article("* <b> [[mill]]", seconds=-1) == (
        "<ul><li><code>* &lt;b&gt; [[mill]]</code></li></ul>"
    )


@pytest.mark.parametrize(
    ("clock", "unparsed"),
    [("monotonic", 0), ("perf_counter", 0), ("time", 0), ("process_time", 0), ("thread_time", 2)],
)
def test_an_article_is_limited_in_its_own_processor_time_alone(monkeypatch, clock, unparsed):
    """On a busy server the processor is given to others: each look at another clock may be a minute later."""
    minutes = itertools.count()
    monkeypatch.setattr(time, clock, lambda: 60.0 * next(minutes))
    assert render_article("A [[mill]].\n\nA [[dam]].").count("[[") == unparsed


@pytest.mark.django_db
def test_a_sighting_is_marked_in_its_own_revision(tmp_path):
    text = f"Same.{TAG}\n\nSame.{TAG}"
    fetch.fetch_xml(written(tmp_path, export(mill(text))))
    second = Tag.objects.order_by("latest__position").last().latest
    html = article_html(second.revision, second)
    assert html.count("<p") == 2
    assert html.index("tagged-block") > html.index("Same.")


@pytest.mark.django_db
def test_the_blocks_wikitext_is_escaped_with_its_tag_marked(tmp_path):
    fetch.fetch_xml(written(tmp_path, export(mill(f"A <b>{TAG} c{TAG}"))))
    first, second = (seen.latest for seen in Tag.objects.order_by("latest__position"))
    assert marked_block(first) == f"A &lt;b&gt;<mark>{TAG}</mark> c{TAG}"
    assert marked_block(second) == f"A &lt;b&gt;{TAG} c<mark>{TAG}</mark>"


OTHER = "{{Inconsistent|reason=other}}"
# Tags in one unit: each of them in its turn is the open one.
TOGETHER = {
    "two in a paragraph": f"One.{TAG} Two.{OTHER}",
    "two of the same words": f"One.{TAG} Two.{TAG}",
    "in a paragraph, its caption and its note": (
        f"One.{TAG} [[File:A.jpg|thumb|Two.{TAG}]] Three<ref>Four{TAG}</ref>.{OTHER}"
    ),
    "in items of equal words": f"* One.{TAG}{TAG}\n** One.{TAG}",
    "in a row and the row below": f"{{|\n| One{TAG} || Two{TAG}\n|-\n| One{TAG} || Two\n|}}",
    "in the fields of an infobox": f"{{{{Infobox mill\n| a = 1{TAG} or 2{TAG}\n| b = 3{TAG}\n}}}}",
    "in HTML": f"One.{TAG}<blockquote>Two.{TAG}{TAG}</blockquote><ul><li>Three.{TAG}</li></ul>",
    "a banner and two in its section": f"{{{{Self-contradictory}}}}\nOne.{TAG}\n\nTwo.{OTHER}",
    "after one that is not read": f"<!-- {TAG} --><nowiki>{TAG}</nowiki> One.{TAG}{TAG}",
    "two after a list": f"* One.\n{TAG}{OTHER}",
    "two among the issues": "{{Multiple issues|\n{{Self-contradictory}}\n{{Contradicts other|B}}\n}}\nOne.",
    "two in an unknown template": f"{{{{Whatever|One.{TAG}|Two.{TAG}}}}}",
}

# Where each of them is among those that are shown, if that is another order: captions come first.
ORDER = {"in a paragraph, its caption and its note": [1, 0, 3, 2]}


@pytest.mark.django_db
@pytest.mark.parametrize("case", TOGETHER)
def test_of_tags_in_one_unit_the_open_one_is_told_apart(case, tmp_path):
    fetch.fetch_xml(written(tmp_path, export(mill(TOGETHER[case]))))
    tags = [seen.latest for seen in Tag.objects.order_by("latest__position")]
    assert len(tags) > 1
    shown = [article_html(seen.revision, seen) for seen in tags]
    elements = [
        re.findall(r'<span class="wiki-tag" title="([^"]*)"([^>]*)>', html) for html in shown
    ]
    current = [[at for at, (_, mark) in enumerate(each) if mark] for each in elements]
    assert current == [[at] for at in ORDER.get(case, range(len(tags)))]
    raws = [each[at][0] for each, (at,) in zip(elements, current, strict=True)]
    assert raws == [seen.raw.strip("|") for seen in tags]
