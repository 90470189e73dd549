"""What generated pages are made of: text of our own, of a mill and its weir; and the templates that they use."""

FIELDS = (
    "reason",
    "date",
    "about",
    "article",
    "1",
    "section",
)  # in the order in which a tag prints them
INLINE = (
    "Inconsistent", "Contradict-inline", "Inconsistent inline", "Contradictory inline", "Contradiction inline",
)  # fmt: skip
BANNERS = {
    "Self-contradictory": "self-contradictory",
    "Contradict": "self-contradictory",
    "Contradiction": "self-contradictory",
    "Contradicts other": "contradict-other",
    "Contradict-other": "contradict-other",
}


def _printing(kind: str, element: str) -> str:
    """A tag's template: ⟦kind¦reason¦date¦…⟧, with ∅ for what is not given."""
    values = "¦".join(f"{{{{#tag:nowiki|{{{{{{{name}|∅}}}}}}}}}}" for name in FIELDS)
    return f'<{element} class="oracle">⟦{kind}¦{values}⟧</{element}>'


TEMPLATES = {
    "Convert": "{{#if:x|{{{1}}}}} {{#if:x|{{{2}}}}}",
    "Nowrap": "<span>{{{1}}}</span>",
    "Lang": "<i>{{{2}}}</i>",
    "Circa": "c. {{{1}}}",
    "Efn": "{{#tag:ref|{{{1}}}|group=lower-alpha}}",
    "Notelist": '<references group="lower-alpha"/>',
    "Infobox mill": "{|\n| opened: || {{{opened|}}}\n|-\n| height: || {{{height|}}}\n|}",
    "Panel": '<div class="panel">\n{{{1}}}\n</div>',
    "Plainlist": "<div>\n{{{1}}}\n</div>",
    **dict.fromkeys(INLINE, _printing("inconsistent", "sup")),
    **{name: _printing(kind, "div") for name, kind in BANNERS.items()},
}

THINGS = (
    "weir",
    "mill",
    "wheel",
    "sluice",
    "pond",
    "barn",
    "kiln",
    "gate",
    "tower",
    "bridge",
    "lane",
)
VERBS = ("is", "was", "stands", "measures", "rises", "had")
ENDS = ("m high", "feet wide", "years old", "tons in weight", "steps from the lane", "% full")

# Ways to write “The @ is 12 m high”: @ is the thing, … what follows it, ¤ the whole, § a further one, ⏎ a newline.
SENTENCES = """
'''¤|The '''@''' …|The ''@'' …|The ''@ '''…''|The l'''@''' …|The ''''@'' …|The '''''@''' …''
The [[@]] …|The [[Old @~@]] …|The [[@]]s …|The [[:Category:@s]] …|¤ [[Category:@s]]|The [[Old @~the ''old'' @]] …
The [[Old @~{{nowrap~@}}]] …|The [[Old @~a [b] @]] …|¤ [[File:Mill.jpg~20px]]
The [[@ …|The @]] …|The {{@ …|The @}} …|The [@ …|The {@} …
The [https://example.org/@ @] …|¤ [https://example.org/a]|¤ https://example.org/@
The @<!-- a [[comment {{ --> …|The <!-- {{inconsistent}} -->@ …|The <nowiki>{{@}}</nowiki> …|The <nowiki>[[@</nowiki> …
The <nowiki/>@ …|The @ &amp; &ndash; &#8364; …|The @&nbsp;…|The &lt;b&gt;@ …|¤ < 5 > 3 & more|The <@> …
¤ {{convert~12~m}}|¤ {{convert~12⏎~m}}|The {{nowrap~@ …}}|The {{nowrap~''@'' [[a~b]]}} …|The {{lang~de~@}} …
¤ {{circa~1847}}|¤<ref>§</ref>|¤<ref name="@">§</ref>|¤{{efn~§}}|The <b>@</b> …|The <b>@ …|The @</small> …
The <span style='x'>@</span> …|The @<br>…|The @<br />…|The @<sub>2</sub> …|¤ 10<sup>3</sup>
The <u>@ …</u>|The <code>@</code> …|The @ … __NOTOC__|The -{@}- …|The -{zh-cn:@;zh-tw:b}- …|The {{!}} @ …|The @ {{=}} …
The @\u200e …|The @ … -- ~ …|The {{#if:x~@~no}} …|The {{#if:~no~@}} …|The {{#ifeq:a~b~no~@}} …|The {{lc:@}} …
The {{{@~…}}} …|The {{{@}}} …|The <includeonly>@</includeonly> …|The <noinclude>@</noinclude> …
"""
# Ways to write a tag's reason.
VALUES = """
¤|¤|¤|¤ = x|= ¤|[[Mill~¤]]|[[Mill]] ¤|see [[Mill#Age~a]], ¤|¤ {{convert~3~m}}|'''¤'''|<!-- a ~ b -->¤
<nowiki>~</nowiki> ¤|<nowiki>}}</nowiki> ¤|¤ {{!}} x|x {{=}} ¤|&quot;¤&quot; &lt; 3|¤ <b>x</b>
[https://example.org/?a=b ¤]|{{nowrap~{{circa~1}}~x}} ¤|¤]]|¤}|¤<br>two|¤⏎⏎two|¤⏎* two|{{{x~¤}}}|¤ [a~b|¤ -{a}-
<ref>¤</ref> x|¤ {x}|¤ {~ x|{{#if:x~¤}}|[[¤|{{nowrap~¤|-{ ¤|
"""
DATES = (
    "May 2020",
    "2020-05",
    "May&nbsp;2020",
    "May <!-- or June --> 2020",
    "",
    " May 2020 ",
    "{{nowrap|May}} 2020",
)
ARTICLES = ("Mill", "[[Mill]]", "[[:Mill|the mill]]", "Tom &amp; Ann", "Rock &#39;n&#39; roll", "")
# What cells, captions and the arguments of templates are written without: they would end in it.
BREAKING = ("{{!}}", "-- ~", "''''", "<b>@ ", "[[@ ", "{{@ ", "@}} ", "[[¤", "{{nowrap~¤", "-{ ¤")
UNENDED = ("<b>@ ",)
NOTES = ("<ref", "efn")
