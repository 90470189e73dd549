"""Blocks as a person reads them: numbers kept, citations and files left out and listed."""

import pytest

from wikifetch.wikitext.limits import MAX_BLOCK_CHARS
from wikifetch.wikitext.readable import readable


@pytest.mark.parametrize(
    ("wikitext", "words"),
    [
        ("{{convert|412|m|ft|abbr=on}} long", "412 m (1,352 ft) long"),
        ("{{cvt|10|to|20|km}}", "10 to 20 km"),
        ("{{convert|6|ft|2|in|m}}", "6 ft 2 in (1.88 m)"),
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
        ("One.<br>Two.<br/ >Three.</br>Four.", "One.\nTwo.\nThree.\nFour."),
        ("<div class=x>\n<center>Built</small> </DIV>in <blockquote>1801", "Built\nin\n1801"),
        (
            "x<y and <divide> or <nowiki><div></nowiki> &lt;div&gt;",
            "x<y and <divide> or <div> <div>",
        ),
        ("<nowiki>{{x}}</nowiki>", "{{x}}"),
        ("Seen<!-- not this --> here", "Seen here"),
        ("{{nowrap|{{nowrap|{{convert|4|m}}}}}}", "4 m"),
        ("{{formatnum:1234}}", "1234"),
        ("{{#if:x|12|13}} m {{#if: <!-- c --> |12|13}} {{#if:{{{1|}}}|a}}", "12 m 13"),
        ("{{#ifeq:a| a|12|13}} {{#ifeq:a|b|12}} {{#ifeq:a|b|12|''13''}}", "12 13"),
        ("{{#switch:b|a=1|b|c=2|3}} {{#switch:z|a=1|#default=2}} {{#switch:z|a=1|3}}", "2 2 3"),
        ("{{lc:WEIR}} {{ucfirst:weir}} {{uc:a}} {{lcfirst:Ab}}", "weir Weir A ab"),
        ("{{{1|12}}} m {{{1}}} {{{a|b|c}}}", "12 m {{{1}}} b"),
        ("The <code>{{nowrap|12 m}}</code>", "The 12 m"),
        ("<nowiki>a&nbsp;&lt;b</nowiki> <pre>12 <nowiki>{{x}}</nowiki></pre>", "a <b 12 {{x}}"),
        ("See https://e.org/a{{cn|date=May 2020}}", "See https://e.org/a"),
        (
            "One<ref>a</small> b</ref> two</b> <references>\n<ref name=a>b</i></ref>\n</references>",
            "One two",
        ),
        ("The {{weir is 12 m", "The {{weir is 12 m"),
        ("It is 12 m</center> high [[Category:Mills]].{{cn}} Yes", "It is 12 m\nhigh. Yes"),
        ("The {{nowrap|12 [[m}} is", "The {{nowrap|12 [[m}} is"),
        ("The {{nowrap|12 -{ m}} is", "The {{nowrap|12 -{ m}} is"),
        ("<onlyinclude>One</onlyinclude> <noinclude>two", "One two"),
        ("{{<!-- c -->inconsistent|reason=a}}", ""),
    ],
)
def test_what_a_reader_sees(wikitext, words):
    assert readable(wikitext).text == words


FACTS = [
    ("{{chem|SO|4|2-}} {{chem|NH|4|+}} {{chem|C|2|H|6|O}}", "SO4^2− NH4+ C2H6O"),
    ("{{chem|C|''n''|H|2''n''+2}} {{chem|Fe|3+}}", "CnH2n+2 Fe^3+"),
    ("{{chem2|SO4(2-)}} {{chem2|2H2 + O2 -> 2H2O}} {{CO2}}", "SO4^2− 2H2 + O2 → 2H2O CO2"),
    ("{{INR|5000}} {{INRConvert|1.5|c}}", "₹5000 ₹1.5 crore"),
    ("{{mi|5}} {{mi to km|26}} {{ft to m|10}}", "5 mi 26 mi 10 ft"),
    ("{{nts|10000}} {{nts| 13}} {{nts|1,000}} {{nts|x}} {{ntsh|5}}5", "10,000 13 1,000 x 5"),
    ("{{nts|5000|prefix=~|suffix=%}}", "~5,000%"),
    ("{{height|ft=5|in=2}} {{height|m=1.57}} {{height|cm=157}}", "5 ft 2 in 1.57 m 157 cm"),
    ("{{age|1990|5|2|2020|5|1}} {{age|1990|5|2|2020|5|2}}", "29 30"),
    ("{{age|1990|5|2}}", "[counted from 2 May 1990]"),
    ("{{age in years and days|1990|5|2|2020|5|1}}", "2 May 1990 – 1 May 2020"),
    ("{{Start and end dates|1990|1|2|1991|3|4}}", "2 January 1990 – 4 March 1991"),
    ("{{film date|1990|1|2|Rome|1990|3|4}}", "2 January 1990 (Rome), 4 March 1990"),
    ("{{birth-date and age|2 May 1990}} {{birth year and age|1990}}", "2 May 1990 1990"),
    ("{{coord|13|19|N|169|9|5|W|type:event|name=Landing}}", "13°19′N 169°9′5″W"),
    ("{{coord|12.5|-3.2|display=title}} {{coord|12.5|N|3.2|W}} {{coord}}", "12.5°N 3.2°W 12.5°N 3.2°W"),
    ("{{sortname|Ann|Kettle|Ann Kettle (miller)}} {{sort|001|First}} {{hs|5}}", "Ann Kettle First"),
    ("{{flagicon|ECU}} {{flag|China}} {{flag|NL|name=Dutch Republic}}", "China Dutch Republic"),
    ("{{flagcountry|USA}} {{flagathlete|[[Ann Kettle]]|USA}}", "USA Ann Kettle (USA)"),
    ("{{OldStyleDate|February 2|1905|January 20}}", "February 2 [O.S. January 20] 1905"),
    ("{{OldStyleDateDY|17 January|1706|6 January 1705}}", "17 January 1706 [O.S. 6 January 1705]"),
    ("{{OldStyleDateNY|22 February|11 February 1731}}", "22 February [O.S. 11 February 1731]"),
    ("{{OS2NS|20 January|1905|2 February}}", "20 January [2 February N.S.] 1905"),
    ("{{reign|1066|1087}} {{floruit|1066}} {{fl.|1066|1087}}", "r. 1066–1087 fl. 1066 fl. 1066–1087"),
    ("{{marriage|Tom|1990|2000|end=div}} {{marriage|Tom|1990}}", "Tom (m. 1990; div. 2000) Tom (m. 1990)"),
    ("{{marriage|Tom|1990|2000}} {{marriage|Tom}}", "Tom (m. 1990–2000) Tom"),
    ("{{Nihongo|Tokyo|東京|Tōkyō|city|now}} {{nihongo||合気|Aiki}}", "Tokyo (東京, Tōkyō, city) now Aiki (合気)"),
    ("{{IPAc-en|uk|ˈ|æ|l|audio=a.ogg}} {{respell|AL|gə-ri}}", "UK: /ˈæl/ AL-gə-ri"),
    ("{{IPA-de|ˈalbɛɐ̯t|lang}} {{IPA|/a/}} {{angbr|a}}", "[ˈalbɛɐ̯t] /a/ ⟨a⟩"),
    ("{{HMS|Ajax|22|6}} {{USS|Hornet|CV-12}} {{sclass|Iowa|ship}}", "HMS Ajax USS Hornet (CV-12) Iowa-class ship"),
    ("{{ship|RMS|Titanic}} {{ship|HMS|Ajax|22}} {{MV|Ann}}", "RMS Titanic HMS Ajax (22) MV Ann"),
    ("{{fossil range|370|0}} {{fossil range|Late Silurian|Recent}}", "370–0 Ma Late Silurian–Recent"),
    ("{{RailGauge|1435mm}} {{bartable|87.5|%|2}} 2{{e|24}}", "1435 mm 87.5% 2×10^24"),
    ("x{{su|p=2|b=i}} {{sqrt|2}} {{gaps|1|234}} {{music|flat}}", "x_i^2 √2 1 234 ♭"),
    ("{{yes}} {{no|Not yet}} {{n/a}} {{won}} {{increase}} 5", "Yes Not yet N/A Won ▲ 5"),
    ("A{{·}}B{{'s}}{{clear}}{{toc right}} {{fr icon}} {{in lang|de|xx}}", "A · B's (in French) (in German and xx)"),
    ("{{Bibleverse|Mark|3:25|KJV}} {{ISBN|1|2}} {{vol.|3}}", "Mark 3:25 ISBN 1, 2 vol. 3"),
    ("{{quote|It turns.|Ann|Letters}}", "It turns.\n— Ann, Letters"),
    ("{{legend|#f00|Mills}} {{resize|120%|[[Ann]]}} {{Template:Flag|Peru}}", "Mills Ann Peru"),
    (
        "{{cite book|last=Kettle|first=Ann|last2=Dow|title=The Mills|year=1900|publisher=Press|pages=4–5|isbn=1}}",
        "Kettle, Ann; Dow (1900). The Mills. Press. pp. 4–5.",
    ),
    (
        "{{Cite journal|author=A. Kettle|title=Water|journal=Mills|volume=2|issue=3|date=May 1900|page=4}}",
        "A. Kettle (May 1900). “Water”. Mills. 2(3). p. 4.",
    ),
    ("{{cite web|title=Mills|url=https://e.org|date=2001}} {{citation}}", "Mills. 2001."),
    ("__NOTOC__Text __FILE__ snake_case", "Text snake_case"),
]  # fmt: skip


@pytest.mark.parametrize(("wikitext", "words"), FACTS)
def test_facts_in_templates_are_words(wikitext, words):
    result = readable(wikitext)
    assert (result.text, result.left_out) == (words, ())


# What MediaWiki shows of each.
APOSTROPHES = [
    ("'''The weir is 12 m high. It stands.", "The weir is 12 m high. It stands."),
    ("L'''Herald'' dit 12 m. L'''écluse''' est haute.", "LHerald dit 12 m. L'écluse est haute."),
    ("'''Bold'' is\n''italic'' and '''bold'''", "'Bold is\nitalic and bold"),
    ("The ''''weir'''' and ''''''mill''''''", "The 'weir' and 'mill'"),
    ("The '''''weir'' is''' 12 m 's", "The weir is 12 m 's"),
    ("One ''two '''three'' 12''' [[A|''Four'']] {{nowrap|'''5''' m}}", "One two three 12 Four 5 m"),
    ("A '''''", "A"),
]  # fmt: skip


@pytest.mark.parametrize(("wikitext", "words"), APOSTROPHES)
def test_apostrophes_are_balanced_for_each_line(wikitext, words):
    assert readable(wikitext).text == words


# As Module:Convert of the English Wikipedia rounds them.
CONVERTED = [
    ("{{convert|22|e6acre|km2}}", "22 million acres (89,000 km2)"),
    ("{{convert|83|kg|lb}} {{convert|70|kg|lb}}", "83 kg (183 lb) 70 kg (150 lb)"),
    ("{{convert|5|mi|km|1}} {{cvt|1,200|m|ft|-2}}", "5 mi (8.0 km) 1,200 m (3,900 ft)"),
    ("{{convert|10|to|20|km|mi}}", "10 to 20 km (6.2 to 12.4 mi)"),
    ("{{convert|3|x|4|m|ft}}", "3 × 4 m (9.8 × 13.1 ft)"),
    ("{{convert|100|F|C}} {{convert|-40|C|F}}", "100 °F (38 °C) -40 °C (−40 °F)"),
    ("{{convert|1.8|m|ftin}} {{convert|6|ft|2|in|cm}}", "1.8 m (5 ft 11 in) 6 ft 2 in (188 cm)"),
    ("{{convert|5|km|mi nmi}}", "5 km (3.1 mi; 2.7 nmi)"),
    ("{{convert|5|sqmi|km2|order=flip}}", "13 km2 (5 sq mi)"),
    ("{{convert|5|mi|km|disp=out}} {{convert|5|mi|km|disp=or}}", "8.0 km 5 mi or 8.0 km"),
    ("{{convert|120|PD/km2|/sqmi}}", "120 PD/km2 (310/sq mi)"),
    ("{{convert|5000|acre|ha|sigfig=2}} {{convert|1/2|in|mm}}", "5000 acres (2,000 ha) 1/2 in (13 mm)"),
    ("{{convert|5|USqt|L}} {{convert|2|imppt|mL}}", "5 US qt (4.7 L) 2 imp pt (1,100 mL)"),
    ("{{convert|300|kg/m3|lb/cuft}} {{convert|30|lb/in2|kPa}}", "300 kg/m3 (19 lb/cu ft) 30 lb/in2 (210 kPa)"),
    ("{{convert|0|m|ft}} {{convert|0|K|C}}", "0 m (0 ft) 0 K (−273.15 °C)"),
    ("{{convert|3|km}} {{convert|12|ells|m}} {{convert|some|km|mi}}", "3 km 12 ells some km"),
    ("{{convert|9|km|kg}} {{convert|1/0|km|mi}} {{convert|}}", "9 km 1/0 km"),
]  # fmt: skip


@pytest.mark.parametrize(("wikitext", "words"), CONVERTED)
def test_a_number_is_converted_into_the_unit_that_is_named(wikitext, words):
    assert readable(wikitext).text == words


WRAPPED = [
    ("{{color|green|very high}} {{font color|blue|1,200}} {{colour|red|5}}", "very high 1,200 5"),
    ("{{font color|white|blue|1,200}} {{background color|#ff0|5 m}}", "1,200 5 m"),
    ("{{nowrap|{{color|red|1,200}} t}}", "1,200 t"),
    ("{{clarify span|Built in 1890|date=May 2020}}", "Built in 1890"),
    ("{{citation needed span|text=Built in 1890}}", "Built in 1890"),
    ("{{Failed verification span|Built in {{circa|1890}}}}", "Built in c. 1890"),
    ("{{disputed span|Built}} {{better source needed span|in}} {{cn-span|1890}}", "Built in 1890"),
    ("{{plusminus|5}} {{±|5|3}} 5 {{pm}} 1", "±5 +5/−3 5 ± 1"),
    ("{{bibleverse||John|3:16}} {{bibleverse|1|Kings|3:16|KJV}}", "John 3:16 1 Kings 3:16"),
    ("{{bibleverse|II|Kings|3:16}} {{bibleref|Mark|3:25}}", "II Kings 3:16 Mark 3:25"),
    ("{{link-interwiki|en=Bob|lang=de}} {{ill|Ann|de}}", "Bob Ann"),
]  # fmt: skip


@pytest.mark.parametrize(("wikitext", "words"), WRAPPED)
def test_what_wraps_words_keeps_them(wikitext, words):
    result = readable(wikitext)
    assert (result.text, result.left_out) == (words, ())


# Unknown templates on lines of their own.
STATED = [
    ("A\n\n{{Track listing\n| title1 = A\n| length1 = 3:45\n}}\n\nB", "A\n\ntitle1: A\nlength1: 3:45\n\nB"),
    ("A\n{{Historical populations|1900|500|1910|600|footnote=x}}", "A\n\n1900: 500\n1910: 600\nfootnote: x"),
    ("{{Football box\n|team1=[[Ann]]\n|score={{nowrap|2-1}}\n}}", "team1: Ann\nscore: 2-1"),
    ("{{Episode list\n| EpisodeNumber = 2 \n| Viewers=\n| LineColor = #fff\n}}", "EpisodeNumber: 2"),
    ("{{columns-list|colwidth=20em|\n* One 5\n* Two 6\n}}", "One 5\nTwo 6"),
    ("{{Election box begin|title=Kent}}\n{{Election box candidate|votes=5}}", "title: Kent\n\nvotes: 5"),
    ("{{Collapse section|The weir is 12 m high.|title=Heights}}", "The weir is 12 m high.\ntitle: Heights"),
    ("{{Football box|score={{Score|2|1}}}}", "score: 2\n1"),
    ("{{Population|1900=500|2 = 600|700}}", "1900: 500\n600\n700"),
    ("In {{Track listing|title1=A}} there", "In there"),
    ("{{Unreferenced section|date=May 2020}}{{cn}}", ""),
    ("{{Refimprove|section|date=May 2020}}", ""),
    ("{{Self-contradictory|about=its height|date=May 2020}}", ""),
    ("{{Article issues|contradict=May 2009|refimprove=May 2008}}", ""),
    ("{{Mills of Kent}}", ""),
    ("{{sfn|Kettle|1900}}", ""),
]  # fmt: skip


@pytest.mark.parametrize(("wikitext", "words"), STATED)
def test_what_an_unknown_template_is_given_is_read(wikitext, words):
    result = readable(wikitext)
    assert (result.text, bool(result.left_out)) == (words, words in {"", "In there"})


HATNOTES = [
    ("{{Main|Mill}}", "Main article: Mill"),
    ("{{Main|Mill|Dam#Wall|l2=the wall}}", "Main articles: Mill and the wall"),
    ("{{See also|:Category:Mills|Dam#Wall|Mill{{!}}Old mill}}", "See also: Category:Mills, Dam § Wall and Old mill"),
    ("{{Further|[[Mill]]}}", "Further information: Mill"),
    ("{{about|the mill}}", "This article is about the mill."),
    ("{{about|it|the dam|Dam|and|Weir|section=y}}", "This section is about it. For the dam, see Dam and Weir."),
    ("{{about||other uses}}", "For other uses, see the disambiguation page."),
    ("{{for|the dam|Dam|Weir}}", "For the dam, see Dam and Weir."),
    ("{{for multi|the dam|Dam|the weir|Weir}}", "For the dam, see Dam. For the weir, see Weir."),
    ("{{distinguish|Mill|Dam}}", "Not to be confused with Mill or Dam."),
    ("{{distinguish|text=the dam}}", "Not to be confused with the dam."),
    ("{{redirect|Kettle|the dam|Dam}}", "“Kettle” redirects here. For the dam, see Dam."),
    ("{{redirect|Kettle}}", "“Kettle” redirects here. For other uses, see Kettle (disambiguation)."),
    ("{{redirect2|A|B|the dam|Dam}}", "“A” and “B” redirect here. For the dam, see Dam."),
    ("{{redirect-distinguish|A|B}}", "“A” redirects here. Not to be confused with B."),
    ("{{other uses}}", "For other uses, see the disambiguation page."),
    ("{{hatnote|See the dam.}}", "See the dam."),
    ("{{double image|left|A.png|190|B.png|240|The mill|The dam}}", "The mill\nThe dam"),
    ("{{multiple image|image1=A.png|caption1=The mill|footer=In 1801}}", "The mill\nIn 1801"),
    ("{{wide image|A.png|800px|alt=x|The mill}}", "The mill"),
    ("{{gallery|A.png|The mill|B.png|The dam}}", "The mill\nThe dam"),
]  # fmt: skip


@pytest.mark.parametrize(("wikitext", "words"), HATNOTES)
def test_hatnotes_and_captions_of_templates_are_lines(wikitext, words):
    assert readable(f"A{wikitext} B").text == f"A\n{words}\nB"


@pytest.mark.parametrize(
    ("wikitext", "words", "left_out"),
    [
        ("Built<ref>Book, p. 4</ref> here.", "Built here.", [("reference", "<ref>Book, p. 4</ref>")]),
        ('Built<ref name="a" /> here.', "Built here.", [("reference", '<ref name="a" />')]),
        ("Built {{cn|date=May 2020}}.", "Built.", [("template", "{{cn|date=May 2020}}")]),
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
        ("table row", "|+ Is {{cvt|12\n|m}}", "Is 12 m"),
        ("table row", "| 1 {{!}}{{!}} 2 {{nowrap|a{{!}}b}}", "1 | 2 a|b"),
        ("table row", "<tr><td>12 m<td>14 m</tr>", "12 m\n14 m"),
        ("table", ":{|\n|+ Owners\n| 1 || 2\n|}", "Owners\n1 | 2"),
        ("list item", "<!-- c -->* Built", "Built"),
        ("list item", "<noinclude>* Built", "Built"),
        ("caption", "[[File:A.jpg|thumb|The {{cn|reason=a]] b|date=x}} [[m]]]]", "The m"),
        ("caption", "[[File:A.jpg|thumb|a {{{1|b}}} c]]", "a b c"),
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
        "{{Infobox mill\n| name = Kettle Mill\n| opened = 1801\n| image = A.jpg\n| bgcolor = #fff\n}}\n"
        "The mill.\n\n* One\n* Two\n{| class=x\n|+ Owners\n! Year !! Owner\n|-\n| 1801 || Ann\n|}"
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
