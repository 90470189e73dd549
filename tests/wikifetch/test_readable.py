"""Blocks as a person reads them: numbers kept, citations and files left out and listed."""

import pytest

from wikifetch.wikitext.limits import MAX_BLOCK_CHARS
from wikifetch.wikitext.readable import readable


@pytest.mark.parametrize(
    ("wikitext", "words"),
    [
        ("{{convert|412|m|ft|abbr=on}} long", "412 m long"),
        ("{{cvt|10|to|20|km}}", "10 to 20 km"),
        ("{{convert|6|ft|2|in|m}}", "6 ft 2 in"),
        ("{{convert|5|m|0}}", "5 m"),
        ("{{convert|3|x|4|x|5|m}}", "3 × 4 × 5 m"),
        ("{{circa|1847}}", "c. 1847"),
        ("{{c.|1847|1850}}", "c. 1847 – c. 1850"),
        ("5{{nbsp}}km {{snd}} north", "5 km – north"),
        ("{{nowrap|5&nbsp;km²}}", "5 km²"),
        ("{{lang|de|Brücke}} {{langx|fr|pont}} {{lang-la|pons}}", "Brücke pont pons"),
        ("{{val|1.5|0.3|e=3|ul=km}}", "1.5±0.3×10^3 km"),
        ("{{val|9|u=m|up=s}}", "9 m/s"),
        ("{{frac|3|1|2}} {{frac|1|2}} {{frac|8}}", "3 1/2 1/2 1/8"),
        ("{{as of|2010|5|lc=y}}", "as of May 2010"),
        ("{{As of|2010}}", "As of 2010"),
        ("{{ill|Ann Kettle|de}} {{ill|A|de|lt=Tom}}", "Ann Kettle Tom"),
        ("{{birth date|1847|03|02|df=y}}", "2 March 1847"),
        ("10<sup>3</sup> m<sup>2</sup> the 1<sup>st</sup> H<sub>2</sub>O", "10^3 m^2 the 1st H2O"),
        ("'''Bold''' and ''italic''", "Bold and italic"),
        ("[[Mill|the mill]], [[Mill]], [[:Category:Mills]]", "the mill, Mill, Category:Mills"),
        ("[https://example.org label] https://example.org", "label https://example.org"),
        ("AT&amp;T &ndash; &#8364;5", "AT&T – €5"),
        ("One.<br>Two.", "One.\nTwo."),
        ("<nowiki>{{x}}</nowiki>", "{{x}}"),
        ("Seen<!-- not this --> here", "Seen here"),
        ("{{nowrap|{{nowrap|{{convert|4|m}}}}}}", "4 m"),
        ("{{formatnum:1234}}", "1234"),
    ],
)
def test_what_a_reader_sees(wikitext, words):
    assert readable(wikitext).text == words


@pytest.mark.parametrize(
    ("wikitext", "words", "left_out"),
    [
        ("Built<ref>Book, p. 4</ref> here.", "Built here.", [("reference", "<ref>Book, p. 4</ref>")]),
        ('Built<ref name="a" /> here.', "Built here.", [("reference", '<ref name="a" />')]),
        ("Built {{sfn|Kettle|1900}}.", "Built.", [("template", "{{sfn|Kettle|1900}}")]),
        ("[[File:Mill.jpg|thumb|300px|A mill]]Built.", "Built.", [("file", "[[File:Mill.jpg|thumb|300px|A mill]]")]),
        ("Built.[[Category:Mills]]", "Built.", [("category", "[[Category:Mills]]")]),
        ("{{nowrap|5 m<ref>x</ref>}}", "5 m", [("reference", "<ref>x</ref>")]),
        ("Built.<gallery>\nA.jpg|x\n</gallery>", "Built.", [("element", "<gallery>\nA.jpg|x\n</gallery>")]),
    ],
)  # fmt: skip
def test_what_is_left_out_is_listed(wikitext, words, left_out):
    result = readable(wikitext)
    assert (result.text, list(result.left_out)) == (words, left_out)


@pytest.mark.parametrize(
    ("kind", "block", "words"),
    [
        ("table row", '| 1801 || [[Ann]] || style="x" | {{convert|4|m}}\n| last', "1801 | Ann | 4 m | last"),
        ("table row", "! Year !! Owner", "Year | Owner"),
        ("table row", "|+ Owners", "Owners"),
        ("infobox field", "| opened = {{start date|1801|3}}", "opened: March 1801"),
        ("infobox field", "|\n opened = 1801", "opened: 1801"),
        ("list item", "** Built in 1801", "Built in 1801"),
        ("gallery", "Mill.jpg|The [[mill]]", "The mill"),
        ("caption", "[[File:Mill.jpg|thumb|left|The [[mill|old mill]], {{convert|4|m}}]]", "The old mill, 4 m"),
        ("caption", "[[File:A.jpg|thumb|Built in 1890|alt=A drawing]]", "Built in 1890"),
        ("caption", "[[File:A.jpg|Built in 1890|thumb|upright=1.2|x300px|class=noviewer]]", "Built in 1890"),
        ("caption", "[[File:A.jpg|thumb|1890|1891]]", "1891"),
        ("gallery", "File:A.jpg|Built in 1890|alt=A drawing", "Built in 1890"),
        ("heading", "== Rise ==", "Rise"),
    ],
)  # fmt: skip
def test_each_kind_of_block_reads_as_itself(kind, block, words):
    assert readable(block, kind).text == words


def test_a_lead_reads_with_its_infobox_its_lists_and_its_tables():
    lead = (
        "{{Infobox mill\n| name = Kettle Mill\n| opened = 1801\n| image =\n}}\nThe mill.\n\n* One\n* Two\n"
        "{| class=x\n|+ Owners\n! Year !! Owner\n|-\n| 1801 || Ann\n|}"
    )
    assert readable(lead, "lead").text == (
        "name: Kettle Mill\nopened: 1801\n\nThe mill.\n\nOne\nTwo\nOwners\nYear | Owner\n1801 | Ann"
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "{{a|" * 200 + "text",
        "[[a|" * 200 + "text",
        "<b " * 200 + "text",
        "'" * 6_000 + "text",
        "<b>" * 5_000 + "text",
        "*" * 5_000 + "text",
        "{|\n" * 20 + "text",
        "text " + "x" * MAX_BLOCK_CHARS,
    ],
)
def test_a_block_too_hostile_to_parse_is_read_plainly_and_marked(hostile):
    result = readable(hostile)
    assert result.plain
    assert "text" in result.text


def test_the_plain_reading_still_leaves_markup_out():
    block = "Built in '''1801'''<ref>x</ref> by [[Ann|her]] [https://e.org and others]." + "{" * 150
    assert readable(block).text.startswith("Built in 1801 by her and others.")
