"""The smallest unit that holds a tag, its section and scope."""

import pytest

from wikifetch.wikitext import find_tags

TAG = "{{Inconsistent|date=May 2020}}"
BANNER = "{{Self-contradictory|date=May 2020}}"

TABLE = """Before.
{| class="wikitable"
|+ Owners%
! Year !! Owner
|-
| 1801 || [[Ann Kettle]]
|- style="x"
| 1820@
| Tom Kettle
|}
After."""

# Name of the case: (the page, the block), with @ for the tag and % for nothing.
CASES = {
    "paragraph": ("One.\n\nTwo.@ More.\nStill two.\n\nThree.", "Two.@ More.\nStill two."),
    "list item": ("* One\n* Two@\n* Three", "* Two@"),
    "list item next to text": ("Text\n* One@\nText", "* One@"),
    "text next to list items": ("* One\nText@\n* Two", "Text@"),
    "nested list item": ("** Deep@\n** Other", "** Deep@"),
    "heading": ("== Rise@ ==\nText", "== Rise@ =="),
    "caption": ("[[File:A.jpg|thumb|In 1801@]]\nText", "[[File:A.jpg|thumb|In 1801@]]"),
    "caption in a paragraph": (
        "One [[File:A.jpg|thumb|In [[1801]]@|alt=x]] two.",
        "[[File:A.jpg|thumb|In [[1801]]@|alt=x]]",
    ),
    "one of two captions on a line": (
        "[[File:A.jpg|thumb|One]] [[File:B.jpg|thumb|Two@]]\nText",
        "[[File:B.jpg|thumb|Two@]]",
    ),
    "text next to a caption": (
        "[[File:A.jpg|thumb|One]] Two@.\n\nText",
        "[[File:A.jpg|thumb|One]] Two@.",
    ),
    "text between a caption and a link": (
        "[[File:A.jpg|thumb|One]] Two@. In [[Kent]]\nThree",
        "[[File:A.jpg|thumb|One]] Two@. In [[Kent]]",
    ),
    "text below captions": (
        "[[File:A.jpg|thumb|[http://e.org One]]] [[File:B.jpg|thumb|In [[Kent]]]]\nTwo@",
        "Two@",
    ),
    "gallery": ("<gallery>\nA.jpg|One\nB.jpg|Two@\n</gallery>", "B.jpg|Two@"),
    "infobox field": (
        "{{Infobox mill\n| name = A\n| opened = 1801@\n| x = y\n}}",
        "| opened = 1801@",
    ),
    "infobox with bars at the ends of lines": (
        "{{Infobox mill |\n name = A |\n opened = 1801@ |\n}}",
        "|\n opened = 1801@",
    ),
    "list in an infobox": ("{{Infobox\n| made = {{plainlist|\n* Iron@\n* Oak\n}}\n}}", "* Iron@"),
    "table row": (TABLE, "| 1820@\n| Tom Kettle"),
    "table caption": (TABLE.replace("@", "").replace("%", "@"), "|+ Owners@"),
    "table never closed": ("{|\n| 1801@ || Ann\n\n== Next ==\nText", "| 1801@ || Ann"),
    "table never closed above another": (
        "{|\n| 1801@ || Ann\n\n== Next ==\n{|\n| x\n|}\n",
        "| 1801@ || Ann",
    ),
    "row of a table in a table": ("{|\n|-\n|\n{|\n| in@ || side\n|}\n|}", "| in@ || side"),
    "below an infobox": ("{{Infobox\n| a = b\n}}\nThe mill@ is old.", "The mill@ is old."),
    "on an infobox's last line": ("{{Infobox\n| a = b\n}} The mill@ is old.", "The mill@ is old."),
    "paragraph of a quotation": ("{{quote|\nOne.\n\nTwo@.\n}}", "Two@."),
    "note in a paragraph": ("Text {{efn|A note@}} more.", "Text {{efn|A note@}} more."),
    "reference over lines": (
        "One<ref>{{c\n| a = b\n}}</ref> @.",
        "One<ref>{{c\n| a = b\n}}</ref> @.",
    ),
    "reference with empty lines": (
        "One.\n\nTwo<ref>a\n\n* b\n</ref> @.",
        "Two<ref>a\n\n* b\n</ref> @.",
    ),
    "item with a reference over lines": (
        "* One<ref>a\n* b\n</ref> @.\n* Two",
        "* One<ref>a\n* b\n</ref> @.",
    ),
    "reference that is never closed": ("One<ref>a\n\nTwo@.", "Two@."),
    "item with a template over lines": (
        "* The weir is {{convert|12\n|m}} high.@\n* The mill",
        "* The weir is {{convert|12\n|m}} high.@",
    ),
    "item with a comment over lines": ("* A <!-- b\n* c --> d@\n* E", "* A <!-- b\n* c --> d@"),
    "item with a link over lines": (
        "* The [[Weir|old\nweir]] is@\n* E",
        "* The [[Weir|old\nweir]] is@",
    ),
    "item with the tag in a template over lines": (
        "* The {{nowrap|weir\nis 12@}} m.\n* E",
        "* The {{nowrap|weir\nis 12@}} m.",
    ),
    "item with the tag in a note over lines": (
        "* The weir{{efn|\n| 1 = Or 13.@\n}} is\n* E",
        "* The weir{{efn|\n| 1 = Or 13.@\n}} is",
    ),
    "paragraph with a template that begins a line": (
        "The weir is\n{{convert|12\n|m}} high.@\nIt stands.\n\nOne.",
        "The weir is\n{{convert|12\n|m}} high.@\nIt stands.",
    ),
    "paragraph with empty lines in a template and nowiki": (
        "One.\n\nTwo {{lang|de|x\n\n* y}}@ <nowiki>a\n\nb</nowiki>.\n\nThree",
        "Two {{lang|de|x\n\n* y}}@ <nowiki>a\n\nb</nowiki>.",
    ),
    "row with marks of rows in a template, a reference and a comment": (
        "{|\n|-\n| A || {{cvt|12\n|-\n|m}}<ref>\n|-\n</ref><!--\n|-\n-->@\n| b\n|-\n| c\n|}",
        "| A || {{cvt|12\n|-\n|m}}<ref>\n|-\n</ref><!--\n|-\n-->@\n| b",
    ),
    "row in a reference": (
        "A<ref>\n{|\n|-\n| b@\n|}\n</ref> c.\n\nD",
        "A<ref>\n{|\n|-\n| b@\n|}\n</ref> c.",
    ),
    "field of a citation": (
        "A.<ref>{{cite book\n| title = T\n| quote = 13 m@\n}}</ref> B.\n\nC",
        "A.<ref>{{cite book\n| title = T\n| quote = 13 m@\n}}</ref> B.",
    ),
    "infobox field with a template over lines": (
        "{{Infobox\n| a = {{cvt|12\n|m}} high@\n| b = c\n}}",
        "| a = {{cvt|12\n|m}} high@",
    ),
    "item of a list in a template in a field": (
        "{{Infobox\n| a = {{plainlist|\n* {{cvt|12\n|m}}@\n* c\n}}\n| b = c\n}}",
        "* {{cvt|12\n|m}}@",
    ),
    "line of a gallery with a template over lines": (
        "<gallery>\nA.jpg|Is {{cvt|12\n|m}}@\nB.jpg|x\n</gallery>",
        "A.jpg|Is {{cvt|12\n|m}}@",
    ),
    # What MediaWiki makes a paragraph or an item of its own.
    "text next to a preformatted text": ("One.\n<pre>a</pre> Two@.\nThree.", "Two@."),
    "text above a line that begins with a blank": ("One@.\n Two.\nThree.", "One@."),
    "lines that begin with a blank": ("One.\n Two.\n Three@.\nFour.", "Two.\n Three@."),
    "line that begins with a comment and a blank": (
        "One.\n<!-- c --> Two@.\nThree.",
        "<!-- c --> Two@.",
    ),
    "line that begins with unread text": (
        "One.\n<nowiki>[[a</nowiki> Two@.",
        "One.\n<nowiki>[[a</nowiki> Two@.",
    ),
    "text after a quotation in HTML": (
        "One <blockquote>two</blockquote> three@.\nFour.",
        "three@.",
    ),
    "text before a division": ("One@. <div>\nTwo.\n</div>", "One@."),
    "text below a list of references": (
        "One.\n<references>\n<ref name=a>b</ref>\n</references>\nTwo@.",
        "Two@.",
    ),
    "text below a rule": ("One.\n----\nTwo@.", "Two@."),
    "text below an unknown template on a line": ("One.\n{{Mills of Kent|all}}\nTwo@.", "Two@."),
    "text around a line that is a tag": ("One.\n@\nTwo.", "One.\n@\nTwo."),
    "definition of a term on its line": ("; [[a:b]] <b>c:d</b> https://e.org: Two@\n: x", "Two@"),
    "term with a definition on its line": (
        "; Weir {{nowrap|a:b}}@: 12 m",
        "; Weir {{nowrap|a:b}}@",
    ),
    "item after a comment": ("One.\n<!-- c -->* Two@.\nThree.", "<!-- c -->* Two@."),
    "heading after noinclude": (
        "<noinclude>== Two@ ==\nThree.</noinclude>",
        "<noinclude>== Two@ ==",
    ),
    "heading with a template over lines": (
        "One.\n== Two {{cvt|12\n|m}}@ ==\nThree.",
        "== Two {{cvt|12\n|m}}@ ==",
    ),
    "table caption with a template over lines": (
        "{|\n|+ Is {{cvt|12\n|m}} high@\n| 1\n|}",
        "|+ Is {{cvt|12\n|m}} high@",
    ),
    "caption that ends in an external link": (
        "[[File:A.jpg|thumb|One@ [https://e.org two]]]\nThree.",
        "[[File:A.jpg|thumb|One@ [https://e.org two]]]",
    ),
    "item with brackets that close on another line": (
        "* The [[weir|is [[12]]@\n* b]] c",
        "* The [[weir|is [[12]]@",
    ),
    "caption with brackets in a template": (
        "[[File:A.jpg|thumb|One {{cn|reason=a]] b}} two@]]\nThree.",
        "[[File:A.jpg|thumb|One {{cn|reason=a]] b}} two@]]",
    ),
    "field with brackets in a template": (
        "{{Infobox\n| a = 1 {{cn|reason=a]]}} m@\n| b = c\n}}",
        "| a = 1 {{cn|reason=a]]}} m@",
    ),
    "field with an argument": ("{{Infobox\n| a = {{{x|1}}} m@\n| b = c\n}}", "| a = {{{x|1}}} m@"),
    "text in braces that can be no template": ("* The {{weir is\n* 12@ m}}", "* 12@ m}}"),
    "row of HTML on the same line as another": (
        "<table><tr><td>{{cvt|12\n|m}}</td></tr><tr><td>1@</td></tr></table>",
        "<tr><td>1@</td></tr>",
    ),
    "line of a comment": ("One@.\n<!-- hush -->\nTwo.", "One@.\n<!-- hush -->\nTwo."),
}


@pytest.mark.parametrize("case", CASES)
def test_the_block_is_the_smallest_unit(case):
    text, block = (part.replace("@", TAG).replace("%", "") for part in CASES[case])
    (tag,) = find_tags(text).tags
    assert tag.block == block
    assert text[tag.block_start : tag.block_start + len(block)] == block
    assert tag.block_clean == block.replace(TAG, "")
    assert tag.scope is None


def test_a_tag_over_several_lines_stays_whole():
    (tag,) = find_tags("One.\n\nTwo.{{Inconsistent\n|reason=x\n}} Three.\n\nFour.").tags
    assert tag.block == "Two.{{Inconsistent\n|reason=x\n}} Three."


ARTICLE = f"""{{{{Short description|Mill}}}}
{BANNER}
The mill is old.

== History ==
Built in 1801.

=== Fire ===
It burned.

== Owners ==
Ann Kettle.
"""


def test_a_banner_on_top_speaks_of_the_lead():
    (tag,) = find_tags(ARTICLE).tags
    assert (tag.scope, tag.section) == ("lead", ())
    assert tag.block == f"{{{{Short description|Mill}}}}\n{BANNER}\nThe mill is old."


def test_a_banner_below_a_heading_speaks_of_the_section_and_its_sub_sections():
    text = ARTICLE.replace(BANNER, "").replace("== History ==\n", f"== History ==\n{BANNER}\n")
    (tag,) = find_tags(text).tags
    assert (tag.scope, tag.section) == ("section", ("History",))
    assert tag.block.startswith(f"== History ==\n{BANNER}")
    assert tag.block.endswith("=== Fire ===\nIt burned.")


def test_a_heading_in_a_note_ends_no_section():
    text = f"== A ==\n{BANNER}\nOne<ref>\n== B ==\n</ref> two.\n\n== C ==\nThree."
    (tag,) = find_tags(text).tags
    assert tag.block.endswith("</ref> two.")


def test_a_banner_among_multiple_issues_speaks_of_the_lead():
    text = f"{{{{Multiple issues|\n{BANNER}\n{{{{Unreferenced}}}}\n}}}}\nThe mill.\n\n== History ==\nOld."
    (tag,) = find_tags(text).tags
    assert tag.scope == "lead"
    assert tag.block_clean == "{{Multiple issues|\n\n{{Unreferenced}}\n}}\nThe mill."


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("== The ''old'' [[Mill|mill]] ==", "The old mill"),
        ("==Rise{{citation needed}}==", "Rise"),
        ("== Rise == <!-- note -->", "Rise"),
        ("== Fish & chips ==", "Fish & chips"),
        ("=== = ===", "="),
    ],
)
def test_section_names_are_words(heading, words):
    (tag,) = find_tags(f"{heading}\nText.{TAG}").tags
    assert tag.section == (words,)


@pytest.mark.parametrize("line", ["= not closed", "text == Rise ==", "<!-- == Rise == -->", "="])
def test_what_looks_like_a_heading_and_is_none(line):
    (tag,) = find_tags(f"{line}\n\nText.{TAG}").tags
    assert tag.section == ()


def test_the_path_leads_through_all_headings_above():
    text = f"== A ==\n=== B ===\n== C ==\n==== D ====\n=== E ===\nText.{TAG}"
    (tag,) = find_tags(text).tags
    assert tag.section == ("C", "E")


def test_words_next_to_a_picture_are_read_without_its_caption():
    text = f"[[File:A.jpg|thumb|The cap]] The mill was built in 1801.{TAG} It is in [[Kent]]"
    (tag,) = find_tags(text).tags
    words = "The mill was built in 1801. It is in Kent"
    assert (tag.block_kind, tag.words.text) == ("paragraph", words)
