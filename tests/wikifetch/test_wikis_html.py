"""A wiki's own HTML, as the English Wikipedia writes it, in the elements of our rendering; the tagged block in it."""

import re
import time

import pytest

from wikifetch.article_html import sanitised
from wikifetch.shownarticle import wikis_article
from wikifetch.wikihtml.block_finding import Sought, find_block
from wikifetch.wikihtml.html_limits import too_much

TAG = (
    '<sup class="noprint Inline-Template" style="white-space:nowrap;">&#91;<i><a href="/wiki/Wikipedia:X" '
    'title="Wikipedia:X"><span title="It differs">inconsistent</span></a></i>&#93;</sup>'
)
SHOWN_TAG = '<span class="wiki-tag">[<i><span class="link" title="Wikipedia:X">inconsistent</span></i>]</span>'


def shown(html):
    return sanitised(wikis_article(html).marked([]))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(
            '<div class="mw-parser-output"><p>The mill.\n</p></div>', "<p>The mill.\n</p>", id="paragraph"
        ),
        pytest.param(f"<p>Old.{TAG}</p>", f"<p>Old.{SHOWN_TAG}</p>", id="inline tag"),
        pytest.param(
            "<p>Old.<sup>[<i>contradictory</i>]</sup></p>",
            '<p>Old.<span class="wiki-tag">[<i>contradictory</i>]</span></p>',
            id="inline tag without a class",
        ),
        pytest.param(
            '<p>Old.<sup class="noprint Inline-Template">[<i>citation needed</i>]</sup></p>',
            '<p>Old.<sup class="reference">[<i>citation needed</i>]</sup></p>',
            id="another mark is left out of copies",
        ),
        pytest.param(
            '<p>A<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">&#91;1&#93;</a></sup>.</p>',
            '<p>A<sup class="reference">[1]</sup>.</p>',
            id="reference",
        ),
        pytest.param("<p>10<sup>3</sup> m</p>", "<p>10<sup>3</sup> m</p>", id="power"),
        pytest.param(
            '<div class="mw-heading mw-heading2"><h2 id="Age">Age</h2><span class="mw-editsection">[edit]</span></div>',
            "<h3>Age</h3>",
            id="heading",
        ),
        pytest.param(
            '<h3><span class="mw-headline" id="Age">Age</span><span class="mw-editsection">[e]</span></h3>',
            "<h4>Age</h4>",
            id="heading of an older wiki",
        ),
        pytest.param(
            '<figure typeof="mw:File/Thumb"><a href="/wiki/File:A.jpg"><img src="a.jpg" alt="Alt"></a>'
            "<figcaption>The mill</figcaption></figure>",
            '<p class="caption">The mill</p>',
            id="caption",
        ),
        pytest.param(
            '<figure typeof="mw:File"><img src="a.jpg"><figcaption>Not seen</figcaption></figure>',
            "",
            id="caption that no wiki shows",
        ),
        pytest.param(
            '<div class="thumb tright"><div class="thumbinner"><a class="image"><img src="a.jpg"></a>'
            '<div class="thumbcaption"><div class="magnify"><a title="Enlarge"></a></div>The mill</div></div></div>',
            '<p class="caption">The mill</p>',
            id="caption of an older wiki",
        ),
        pytest.param(
            '<ul class="gallery"><li class="gallerybox"><div class="thumb"><img></div>'
            '<div class="gallerytext">The mill</div></li></ul>',
            '<ul class="gallery"><li><p>The mill</p></li></ul>',
            id="gallery",
        ),
        pytest.param(
            f'<table class="infobox vcard"><tbody><tr><th scope="row" class="infobox-label">Opened</th>'
            f'<td class="infobox-data">1801{TAG}</td></tr><tr><td colspan="2"><img></td></tr></tbody></table>',
            f'<table class="infobox"><tr><th>Opened</th><td>1801{SHOWN_TAG}</td></tr></table>',
            id="infobox",
        ),
        pytest.param(
            '<table class="wikitable"><caption>Mills</caption><tr><th>A</th><td rowspan="2">1</td></tr></table>',
            '<div class="table-wrap" tabindex="0" role="group" aria-label="Table Mills"><table class="wikitable">'
            '<caption>Mills</caption><tr><th>A</th><td rowspan="2">1</td></tr></table></div>',
            id="table",
        ),
        pytest.param(
            '<table class="box-Contradict metadata ambox"><tr><td><div>This <b>contradicts itself</b>.</div></td></tr>'
            "</table>",
            '<p class="hatnote"><span class="wiki-tag">   This <b>contradicts itself</b>.</span></p>',
            id="banner is left out of copies",
        ),
        pytest.param(
            '<div role="note" class="hatnote">See <a href="/wiki/Ford" title="Ford">the ford</a></div>',
            '<p class="hatnote">See <span class="link" title="Ford">the ford</span></p>',
            id="hatnote",
        ),
        pytest.param(
            '<p><a href="/wiki/Ann" class="new" title="Ann (page does not exist)">Ann</a></p>',
            '<p><span class="link">Ann</span></p>',
            id="link leads nowhere",
        ),
        pytest.param("<dl><dd>Indented</dd></dl>", '<ul class="indented"><li>Indented</li></ul>', id="indented"),
        pytest.param("<dl><dt>T</dt><dd>D</dd></dl>", "<dl><dt>T</dt><dd>D</dd></dl>", id="definitions"),
        pytest.param("<div class='center'>Words</div>", "<p>Words</p>", id="division of words"),
        pytest.param(
            '<p>So <span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">'
            r'<math alttext="{\displaystyle a^{2}}"><semantics><mrow><mi>a</mi></mrow><annotation encoding='
            r'"application/x-tex">{\displaystyle a^{2}}</annotation></semantics></math></span>'
            r'<img class="mwe-math-fallback-image-inline" alt="{\displaystyle a^{2}}"></span>.</p>',
            "<p>So a^2.</p>",
            id="formula",
        ),
        pytest.param(
            r'<p><span class="mwe-math-element"><img alt="{\displaystyle \odd{x}}"></span></p>',
            r"<p><code>\odd{x}</code></p>",
            id="formula with an unknown command",
        ),
        pytest.param(
            '<ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink">^</span> '
            '<span class="reference-text">A book</span></li></ol>',
            '<ol class="references"><li> A book</li></ol>',
            id="notes",
        ),
        pytest.param(
            '<p>A<span style="display:none">sort key</span></p><div class="navbox">B</div><div id="toc">C</div>'
            '<p><br></p><style>p{}</style><div class="noprint">D</div>',
            "<p>A</p>",
            id="what readers do not see",
        ),
    ],
)  # fmt: skip
def test_what_becomes_of_a_wikis_elements(html, expected):
    assert shown(html).strip() == expected


CITIES = [
    ("1", "Kettle", "North", "535,061"),
    ("2", "Weir", "South", "248 292<sup class='reference'>[1]</sup>"),
    ("3", "Ford", "East", "90.4"),
]
CITY_ROWS = "".join(
    f"<tr><td>{rank}</td><td><a title='{name}'>{name}</a></td><td><a>{part}</a></td><td><b>{number}</b></td></tr>"
    for rank, name, part, number in CITIES
)
RANKED = re.sub(r"<td>(\d)</td>", r"<th>\1</th>", CITY_ROWS)
LINKS = "<tr><th>Mills</th><td><ul><li><a title='A'>A</a></li><li><a title='B'>B</a></li></ul></td></tr>"
YEARS = "".join(f"<tr><td><a title='{year}'>{year}</a></td></tr>" for year in range(1990, 1999))


@pytest.mark.parametrize(
    ("html", "stays"),
    [
        (f'<table class="navbox">{CITY_ROWS}</table>', True),
        (f'<div class="navbox"><table class="nowraplinks navbox-inner">{CITY_ROWS}</table></div>', True),
        (f'<table class="navbox">{RANKED}</table>', True),
        (f'<table class="navbox"><tr><td>Largest</td><td>Ann</td><td>Tom</td></tr>{CITY_ROWS}</table>', True),
        (f'<table class="navbox">{LINKS * 5}</table>', False),
        (f'<div class="navbox"><table class="navbox-inner">{LINKS}<tr><td>1801</td></tr></table></div>', False),
        (f'<table class="navbox">{YEARS}</table>', False),
        ('<table class="navbox"><tr><td>1896 1900 1904</td></tr><tr><td>1908 1912</td></tr></table>', False),
        (f'<table class="navbox">{LINKS * 30}{CITY_ROWS}</table>', False),
        ('<div class="navbox"></div>', False),
        ('<span class="navbox">1</span>', False),
    ],
)  # fmt: skip
def test_a_navigation_box_stays_where_its_cells_are_numbers(html, stays):
    around = shown(f"<div>Words {html}</div><p>After.</p>")
    assert ("535,061" in around, "<table" in around) == (stays, stays)
    if not stays:
        assert around == "<p>Words </p><p>After.</p>"


def test_navigation_boxes_in_one_another_are_looked_at_once():
    deep = '<div class="navbox">' * 450 + f"<table>{YEARS * 100}</table>" + "</div>" * 450
    begun = time.thread_time()
    assert shown(deep) == ""
    assert time.thread_time() - begun < 4


HOSTILE = [
    "<p>Words<script>alert(1)</script></p>",
    '<p onclick="alert(1)">Words<img src=x onerror=alert(1)></p>',
    '<p>Words <a href="javascript:alert(1)">here</a></p>',
    '<p style="position:fixed" class="tagged callout">Words</p>',
    '<base href="//e.example"><meta http-equiv="refresh" content="0"><iframe src="//e.example"></iframe><p>Words</p>',
    '<p>Words</p><noscript><p title="</noscript><img src=x onerror=alert(1)>">x</p></noscript>',
    '<p>Words</p><svg></p><style><a id="</style><img src=1 onerror=alert(1)>"></svg>',
    "<p>Words</p><math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<p>Words</p><math><annotation-xml encoding='text/html'><img src=1 onerror=alert(1)></annotation-xml></math>",
    "<p>Words</p><form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<p>Words</p><svg><title><p title='</title><img src=x onerror=alert(1)>'></title></svg>",
    '<p>Words</p><span class="mwe-math-element"><img alt="&lt;img src=x onerror=alert(1)&gt;"></span>',
    '<p>Words</p><a title="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;">x</a>',
    '<p>Words</p><table><caption>&lt;img src=x onerror=alert(1)&gt; "</caption><tr><td>x</td></tr></table>',
    '<p>Words</p><!--><img src=x onerror=alert(1)>-->',
    """<p data-mw='"><img src=x onerror=alert(1)>'>Words</p>""",
    """<link data-mw="{&quot;parts&quot;:[&quot;<script>&quot;]}" rel="stylesheet" href="//e.example"><p>Words</p>""",
    '<p>Words</p><form action="//evil.example"><button formaction="javascript:alert(1)">x</button><input></form>',
    '<p>Words</p><h2 id="tagged-block">x</h2><p id="evidence-heading">y</p><li id="cite_note-1">z</li>',
]  # fmt: skip


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_of_a_hostile_wiki_reaches_the_page(html):
    out = shown(html)
    assert "Words" in out
    tags = re.findall(r"<[^>]*>", out)
    names = {re.match(r"</?(\w+)", tag)[1] for tag in tags}
    assert names <= {
        "p",
        "span",
        "li",
        "h3",
        "code",
        "div",
        "table",
        "caption",
        "tr",
        "td",
        "ul",
        "i",
    }
    assert not re.search(r"<[^>]* (?:on\w+|style|href|src|id)=", re.sub(r'"[^"]*"', '""', out))
    # Sanitising once more changes nothing: what a browser reads is what was checked.
    assert sanitised(out) == out


def test_deep_html_is_read_and_no_deeper_than_the_sanitiser_takes():
    deep = "<dl><dd>" * 450 + "Words<br>" + "</dd></dl>" * 450
    assert "Words" in shown(deep)
    assert not too_much(deep)
    assert "1000 elements in one another" in too_much("<div>" * 1_001 + "Words")
    assert "in one another" in too_much("<B>" * 1_001)
    assert "in one another" in too_much("<div></x>" * 1_001)
    assert "in one another" in too_much("<h2></h3>" * 1_001)
    assert not too_much("<DIV></div></p>" * 2_000)
    assert not too_much("<p>Words</p><br><hr><img>" * 10_000)
    assert not too_much(
        "<style>p { color: red }</style><!-- x --><p class='a' title=b>y</p>" * 2_000
    )
    assert "80000 elements" in too_much("<p>Words</p>" * 80_001)


@pytest.mark.parametrize(
    "opened",
    [
        '<div title="</div>">',
        "<div title='</div>'>",
        '<div x=1 title = "</div>" y>',
        "<div a=b\"c title='</div>'>",
        '<div></p title="</div>">',
        "<div><!-- </div> -->",
        "<div><!--></div>-->",
        "<div><style></div></style>",
        "<div><svg><style><b></div>",
        "<div/title=</div>",
        "<!--> data-mw='<div>' -->",
        "<div><style> data-mw='</style><b>' </style>",
    ],
)
def test_an_end_that_ends_nothing_hides_no_depth(opened):
    assert "in one another" in too_much(opened * 1_001)


def test_wikitext_in_data_is_no_depth():
    for data in ("""'{"wt":"<ref>a"}'""", '"{&quot;wt&quot;:&quot;<ref>a&quot;}"'):
        assert too_much(f"<p data-mw={data}></p>" * 1_001) == ""
    assert "in one another" in too_much("<p data-mw='\">' x=\"'><div>" * 1_001)


def test_html_that_never_ends_is_counted_in_a_moment():
    for hostile in ("<!--", "<style>", '<a x="', "<a x='\"", "<a =", "<a b c=", "</"):
        assert too_much(hostile * 100_000) is not None


ARTICLE = f"""
<table class="infobox"><tbody><tr><th colspan="2">Kettle Mill</th></tr>
<tr><th>Date opened</th><td>1801{TAG}</td></tr><tr><th>Closed</th><td>1950</td></tr>
<tr><th>Plan <table><tr><td>East</td></tr><tr><td>West</td></tr></table></th><td>1790{TAG}</td></tr></tbody></table>
<p>The <b>mill</b> is 412&#160;metres (1,352&#160;ft) above the ford – “high”.{TAG}</p>
<p>Twice.{TAG}</p><p>Twice.{TAG}</p><p>Once with a tag.</p><p>Once with a tag.{TAG}</p>
<figure typeof="mw:File/Thumb"><figcaption>The mill in 1801{TAG}</figcaption></figure>
<h2>Age</h2><ul><li>Old{TAG}<ul><li>Older</li></ul></li><li>Oldest</li></ul>
<h3>Below</h3><p>Deep.</p><h2>Size</h2>
<table class="wikitable"><caption>Wheels{TAG}</caption><tr><th>A</th><td>1801</td></tr>
<tr><th>B</th><td>1802{TAG}</td></tr></table><dl><dd>Indented.{TAG}</dd></dl>
<p>With a note.<sup class="reference"><a href="#cite_note-1">[1]</a></sup></p>
<div class="hatnote">Main article: Ford</div><p>The miller was called Ann Kettle, they say.</p>
<p>She wrote what follows in 1801:</p><blockquote><p>The mill is older than the ford.</p></blockquote>
<p>With a note of 5 metres, in other words.<sup class="reference"><a href="#cite_note-3">[3]</a></sup></p>
<h2>Same</h2><p>x</p><h2>Same</h2><p>y</p><h2>Notes</h2>
<ol><li id="cite_note-1">A book{TAG}</li><li id="cite_note-2">Another</li><li id="cite_note-3">A box{TAG}</li></ol>
"""


@pytest.mark.parametrize(
    ("kind", "text", "heading", "expected"),
    [
        ("infobox field", "opened: 1801", "", ["Date opened 1801"]),
        ("paragraph", 'The mill is 412 m above the ford - "high".', "",
         ["The mill is 412 metres (1,352 ft) above the ford – “high”."]),
        ("paragraph", "Twice.", "", []),
        ("paragraph", "Once with a tag.", "", ["Once with a tag."]),
        ("paragraph", "Nowhere at all.", "", []),
        ("paragraph", "", "", []),
        ("paragraph", "The mill in 1801", "", []),  # a caption is no paragraph
        ("caption", "The mill in 1801", "", ["The mill in 1801"]),
        ("list item", "Old", "Age", ["Old"]),
        ("list item", "Older", "Age", ["Older"]),
        ("list item", "Indented.", "Size", ["Indented."]),
        ("table row", "A | 1801", "Size", ["A 1801"]),
        ("infobox field", "built: 1790", "", ["Plan East West 1790"]),
        ("table row", "Wheels", "Size", ["Wheels"]),
        ("heading", "Age", "Age", ["Age"]),
        ("paragraph", "With a note.", "Size", ["With a note."]),
        ("note", "A book", "Size", ["A book"]),
        ("note", "A box", "Size", ["A box"]),
        ("note", "Oldest", "Age", []),  # an item that is no note
        ("section", "Age Old Older Oldest Below Deep.", "Age", ["Old", "Oldest", "Deep."]),
        ("paragraph", "Main article: Ford\n\nThe miller was called Ann Kettle, they say.", "",
         ["The miller was called Ann Kettle, they say."]),
        ("paragraph", "She wrote what follows in 1801:\nThe mill is older than the ford.", "",
         ["She wrote what follows in 1801:", "The mill is older than the ford."]),
        ("paragraph", "She wrote what follows in 1801:\n" + "Words that are nowhere. " * 5, "", []),
        # Its tag is in the note, which is another passage.
        ("paragraph", "With a note of 5 m in other words.", "Size", []),
        ("section", "x", "Same", []),
        ("section", "Other words than those below this heading", "Age", []),
        ("lead", "The mill is 412 m above the ford Twice Twice Once with a tag", "",
         ["Kettle Mill", "Date opened 1801", "Closed 1950", "Plan East West 1790",
          "The mill is 412 metres (1,352 ft) above the ford – “high”.",
          "Twice.", "Twice.", "Once with a tag.", "Once with a tag.", "The mill in 1801"]),
    ],
)  # fmt: skip
def test_the_tagged_block_is_found_where_exactly_one_unit_has_its_words(
    kind, text, heading, expected
):
    article = wikis_article(ARTICLE)
    found = find_block(article, Sought(kind, text, heading))
    assert [" ".join(block.text.split()) for block in found] == expected
    html = sanitised(article.marked(found))
    assert html.count('id="tagged-block"') == bool(expected)
    assert len(re.findall(r'class="(?:\w+ )?tagged"', html)) == len(expected)


def test_a_tag_is_not_found_by_a_forged_mark():
    html = '<p id="tagged-block" class="tagged wiki-tag">Forged.</p><p>Old.</p>'
    article = wikis_article(html)
    marked = article.marked(find_block(article, Sought("paragraph", "Old.")))
    assert marked.strip() == '<p>Forged.</p><p id="tagged-block" class="tagged">Old.</p>'
