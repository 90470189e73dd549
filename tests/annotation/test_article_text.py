"""The text of an article as shown, against HTML as the rendering writes it."""

import pytest

from annotation.evidence.article_text import letters, text_and_parts, text_of_html

HTML = """
<p>The line opened.<sup class="reference">[1]</sup> It is <b>14.7</b> km &lt;long&gt;.<span class="wiki-tag">{{Inconsistent}}</span></p>
<h3>History</h3>
<p class="tagged" id="tagged-block">Built in 1974 👩‍🚀.</p>
<h4>Lines</h4>
<ul><li>U1<br>U2</li></ul>
<table class="wikitable"><caption>All</caption><tr><th>Line</th><th>Length</th></tr><tr><td>U1</td><td></td></tr></table>
<h3>Data</h3>
<table class="infobox"><tr><th>Opened</th><td>1975</td></tr></table>
<pre>
 code > "x"</pre>
"""  # noqa: E501


def at(words):
    start = text_and_parts(HTML).text.index(words)
    return start, start + len(words)


def test_both_ways_give_the_same_text():
    text = text_and_parts(HTML).text
    assert text == text_of_html(HTML)
    assert text.startswith("The line opened.[1] It is 14.7 km <long>.{{Inconsistent}}")
    assert text.endswith('\n code > "x"')


@pytest.mark.parametrize(
    ("words", "kind", "section"),
    [
        ("The line", "text", ""),
        ("Built", "text", "History"),
        ("U1U2", "list", "History / Lines"),
        ("All", "table", "History / Lines"),
        ("1975", "infobox", "Data"),
    ],
)
def test_kind_and_section_are_known_of_each_place(words, kind, section):
    start, _ = at(words)
    assert (text_and_parts(HTML).kind_at(start), text_and_parts(HTML).section_at(start)) == (
        kind,
        section,
    )


def test_the_tagged_block_is_known():
    assert text_and_parts(HTML).in_tagged(*at("1974"))
    assert not text_and_parts(HTML).in_tagged(*at("The line"))


@pytest.mark.parametrize(
    ("words", "copied", "is_right"),
    [
        ("The line opened.[1] It is 14.7 km", "The line opened. It is 14.7 km", True),
        ("The line opened.[1] It is 14.7 km", "The line opened.\nIt is 14.7 km", True),
        ("The line opened.[1] It is 14.7 km", "The line opened. It is 14.7 miles", False),
        ("The line opened.[1] It is 14.7 km", "The line opened.", False),
        ("Built in 1974 👩‍🚀.", "Built in 1974 👩‍🚀.", True),
        ("{{Inconsistent}}", "Inconsistent", False),  # a tag is never copied
        ("U1", "Line: U1 | Length:", False),  # of a list
        ("Opened1975", "Opened: 1975", True),
        ("Opened1975", "Opened: 1976", False),
    ],
)
def test_what_can_have_been_copied_from_a_place(words, copied, is_right):
    assert text_and_parts(HTML).allows(*at(words), copied) is is_right


def test_a_row_may_hold_its_headers_too():
    start = text_and_parts(HTML).text.rindex("U1")
    assert text_and_parts(HTML).allows(start, start + 2, "Line: U1 | Length:")
    assert not text_and_parts(HTML).allows(start, start + 2, "Line: U2 | Length:")


@pytest.mark.parametrize(("start", "end"), [(-1, 4), (4, 4), (5, 4), (0, 10**9)])
def test_offsets_outside_the_text_allow_nothing(start, end):
    assert not text_and_parts(HTML).allows(start, end, "The")


@pytest.mark.parametrize(
    "html", ["<p>" * 20_000, "</p>" * 20_000, "<", "", "&#x110000;"], ids=lambda html: html[:9]
)
def test_html_that_no_rendering_writes_makes_no_error(html):
    assert text_and_parts(html).text == text_of_html(html)


def test_letters_are_what_copying_never_changes():
    assert letters("10^3 m[12] [a] [citation needed]") == letters("10³ m".replace("³", "3"))
