"""What a tag speaks of where it is in a note or unknown template, or alone; its block stays the smallest unit."""

import re

import pytest

from wikifetch.wikitext import find_tags
from wikifetch.wikitext.article import render_article

TAG = "{{Inconsistent|reason=box says 14|date=May 2020}}"
TABLE = "{|class=wikitable\n! A !! B\n|-\n| Weir || 12 m\n|}"
LIST = "* The weir is 12 m high.\n* The mill is 14 m high."

# Name of the case: (the page, the block, the words of the passage), with @ for the tag.
CASES = {
    "after a table": (f"{TABLE}\n@\n\nNext.", "@", "A | B\nWeir | 12 m"),
    "after a list": (f"{LIST}\n@\n\nNext.", "@", "The weir is 12 m high.\nThe mill is 14 m high."),
    "after a gallery": (
        "<gallery>\nA.jpg|The weir\nB.jpg|The mill\n</gallery>\n@\n\nNext.",
        "@",
        "The weir\n\nThe mill",
    ),
    "after an image": (
        "One.\n\n[[File:A.jpg|thumb|The weir]]\n@\n\nNext.",
        "@",
        "The weir",
    ),
    "in a paragraph of its own": ("It is 12 m.\n\n@\n\nNext.", "@", "It is 12 m."),
    "with another tag": ("It is 12 m.\n\n{{cn}} @\n\nNext.", "{{cn}} @", "It is 12 m."),
    "below text that begins with a blank": (" It is 12 m.\n@\nNext.", "@\nNext.", "Next."),
    "after an empty table": ("It is 12 m.\n\n{|\n|-\n| style=x |\n|}\n\n@", "@", "It is 12 m."),
    "between an image and a list in HTML": (
        "[[File:A.jpg|thumb|The weir]]\n\n@\n<ul><li>It is 12 m.</li></ul>",
        "@",
        "The weir",
    ),
    "after a list in HTML and a line": ("<ul>\n<li>a</li>\n</ul>\nIt is 12 m.\n\n@", "@", "It is 12 m."),
    "after references and a line": (
        "A.<ref name=a/>\n<references>\n<ref name=a>b</ref>\n</references>\nIt is 12 m.\n\n@",
        "@",
        "It is 12 m.",
    ),
    "after an image with text beside it": (
        "One.\n[[File:A.jpg|thumb|The weir]] It is 12 m.\n\n@",
        "@",
        "It is 12 m.",
    ),
    "next to an image": (
        "One.\n\n[[File:A.jpg|thumb|The weir]]@\n\nTwo.",
        "[[File:A.jpg|thumb|The weir]]@",
        "The weir",
    ),
    "before a preformatted text": ("It is 12 m.\n\n@\n<pre>a</pre>", "@", "It is 12 m."),
    "two paragraphs on": ("It is 12 m.\n\n{{cn}}\n\n@", "@", "It is 12 m."),
    "below a heading": ("One.\n\n== Rise ==\n@\n\nIt is 12 m.", "@", "It is 12 m."),
    "alone on a page": ("@", "@", ""),
    "in an unknown wrapper": (
        "{{Collapse section|It is 12 m.@|title=Rise}}",
        "{{Collapse section|It is 12 m.@|title=Rise}}",
        "It is 12 m.",
    ),
    "in an unknown wrapper in a sentence": (
        "One {{Whatever|text=it is 12 m@}} two.",
        "One {{Whatever|text=it is 12 m@}} two.",
        "it is 12 m",
    ),
    "in a wrapper that is known": ("{{nowrap|It is@}} 12 m.", "{{nowrap|It is@}} 12 m.", "It is 12 m."),
    "in a reference": (
        "It is 12 m.<ref>Report says 13.@</ref> End.",
        "It is 12 m.<ref>Report says 13.@</ref> End.",
        "Report says 13.",
    ),
    "in a note": (
        "* It is{{efn|name=a|Report says {{cvt|13|m}}.@}} 12 m.\n* B",
        "* It is{{efn|name=a|Report says {{cvt|13|m}}.@}} 12 m.",
        "Report says 13 m.",
    ),
    "in a reference in a list of references": (
        "A.<ref name=a/>\n\n<references>\n<ref name=b>B.</ref>\n<ref name=a>Says 6.@</ref>\n</references>",
        "<references>\n<ref name=b>B.</ref>\n<ref name=a>Says 6.@</ref>\n</references>",
        "Says 6.",
    ),
    "in a reference in {{reflist}}": (
        "A.<ref name=a/>\n\n{{reflist|refs=\n<ref name=a>Says 6.@</ref>\n}}",
        "<ref name=a>Says 6.@</ref>",
        "Says 6.",
    ),
    "in a track listing": (
        "{{Track listing\n| title1 = A\n| length1 = 3:45@\n}}",
        "| length1 = 3:45@",
        "length1: 3:45",
    ),
    "in an HTML list": (
        "<ul><li>It is 12 m.</li><li>The mill is 14 m.@</li><li>C</li></ul>\nAfter.",
        "The mill is 14 m.@",
        "The mill is 14 m.",
    ),
    "in an HTML list without ends": (
        "<ol>\n<li>One\n<li>Two @\n<ul><li>in it</ul>\n<li>Three\n</ol>",
        "Two @",
        "Two",
    ),
    "in an HTML table": (
        "<table><tr><th>Weir</th><td>12 m@</td></tr><tr><td>Mill</td><td>14 m</td></tr></table>",
        "<tr><th>Weir</th><td>12 m@</td></tr>",
        "Weir | 12 m",
    ),
    "in a quotation": (
        "Before.\n<blockquote>It is 12 m.@</blockquote>\nAfter.",
        "It is 12 m.@",
        "It is 12 m.",
    ),
    "in a paragraph of a division": (
        "<div class=x>\nOne.\n\nTwo@.\n</div>\nAfter.",
        "Two@.",
        "Two.",
    ),
    "in an element that is not ended": ("One <div>two@.\nFour.", "two@.", "two."),
    "in an element in a template": (
        "One {{nowrap|<div>two@</div>}} three.",
        "One {{nowrap|<div>two@</div>}} three.",
        "One two three.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is 12 m.{{Inconsistent|reason=a<ref>b</ref>}}", "It is 12 m."),
        ("It is 12 m.\n{{Inconsistent\n|date=May 2020}}\nIt stands.", "It is 12 m.\n\nIt stands."),
        ("It is 12 m.\n\n{{<!-- c -->Inconsistent|reason=a}}", "It is 12 m."),
    ],
)
def test_what_a_tag_of_another_shape_speaks_of(text, words):
    (tag,) = find_tags(text).tags
    assert tag.words.text == words


@pytest.mark.parametrize("case", CASES)
def test_what_a_tag_speaks_of(case):
    text, block, words = (part.replace("@", TAG) for part in CASES[case])
    (tag,) = find_tags(text).tags
    assert tag.block == block
    assert tag.block_clean == block.replace(TAG, "")
    assert (tag.reason, tag.date) == ("box says 14", "May 2020")
    assert tag.words.text == words


@pytest.mark.parametrize(
    ("case", "marked"),
    [
        ("after a table", ["A B", "Weir 12 m"]),
        ("after a list", ["The weir is 12 m high.", "The mill is 14 m high."]),
        ("in a paragraph of its own", ["It is 12 m."]),
        ("in an unknown wrapper", ["It is 12 m."]),
        ("in an HTML list", ["The mill is 14 m."]),
        ("in an HTML table", ["Weir 12 m"]),
        ("in a reference", ["[1] Report says 13."]),
        ("in a reference in a list of references", ["[2] Says 6."]),
        ("in a reference in {{reflist}}", ["[2] Says 6."]),
    ],
)
def test_it_is_marked(case, marked):
    text = CASES[case][0].replace("@", TAG)
    (tag,) = find_tags(text).tags
    html = render_article(text, (tag.passage.start, tag.passage.end))
    elements = re.findall(r'class="(?:note )?tagged">(.*?)</(?:tr|p|li)>', html, re.DOTALL)
    plain = [
        re.sub(r'<span class="wiki-tag".*?</span>|<[^>]+>', "", one)
        for one in map(_spaced, elements)
    ]
    assert [" ".join(words.split()) for words in plain] == marked


def _spaced(html):
    return html.replace("</th>", " ")
