"""What the test wiki holds, and what a right fetcher finds in it. Written for these tests."""

from dataclasses import dataclass, field

from tests.wikifetch.factories import export, page, revision

TEMPLATES = {
    "Inconsistent": "<sup>[<i>inconsistent</i>]</sup>",
    "Self-contradictory": "<div>This {{{1|article}}} appears to contradict itself.</div>",
    "Contradicts other": "<div>This article appears to contradict [[{{{1}}}]].</div>",
    "Inconsistent citations": "<div>Citations.</div>",
    "Convert": "{{{1}}} {{{2}}}",
    "Multiple issues": "<div>{{{1|}}}</div>",
    "Infobox mill": '{| class="infobox"\n| Opened || {{{opened|}}}\n|}',
}
REDIRECTS = {
    "Contradict-inline": "Inconsistent",
    "Contradictory inline": "Inconsistent",
    "At odds": "Inconsistent",  # a name that only this wiki has
    "Contradict": "Self-contradictory",
    "Contradict-other": "Contradicts other",
}


@dataclass(frozen=True)
class Found:
    """A tag as it must be found."""

    title: str
    kind: str
    raw: str
    date: str = ""
    reason: str = ""
    other: str = ""
    section: str = ""


# Number of the text that introduced the tags of an article, where it is not the first that holds one.
INTRODUCED = {"Came back": 3}


AWKWARD_TITLES = [
    "Who built it?", "Mill & Sons + Co", 'The "Old" mill', "Mill's end", "100% mill", "Мельница", "水車小屋",
    "A/B mill; C=D",
]  # fmt: skip


@dataclass
class Seed:
    """Articles with their histories, oldest text first; `talk` pages; the tags that live in the last texts."""

    articles: dict[str, list[str]] = field(default_factory=dict)
    talk: dict[str, str] = field(default_factory=dict)
    truth: set[Found] = field(default_factory=set)

    def add(self, title, *texts, talk="", tags=()):
        self.articles[title] = list(texts)
        if talk:
            self.talk[title] = talk
        self.truth |= {Found(title, *tag) for tag in tags}


def seed() -> Seed:
    wiki = Seed()
    _special_cases(wiki)
    for n in range(60):
        raw = f"{{{{Inconsistent|date=May {2000 + n % 20}|reason=The lead says {1700 + n}}}}}"
        before = f"'''Mill {n:02}''' was built by [[Ann]] in {1800 + n}.<ref>Book, p. {n}</ref>"
        tag = ("inconsistent", raw, f"May {2000 + n % 20}", f"The lead says {1700 + n}")
        wiki.add(f"Mill {n:02}", before, f"{before}{raw} It stands.", tags=[tag])
    return wiki


def _special_cases(wiki: Seed) -> None:
    raw = "{{contradictory inline| reason = It is {{convert|4|m}} above|date=June 2019}}"
    text = f"Lead.\n\n== Height ==\nIt is {{{{convert|5|m}}}} high.{raw}"
    tag = ("inconsistent", raw, "June 2019", "It is {{convert|4|m}} above", "", "Height")
    wiki.add("Łódź “mill” & ½", "Lead.", text, talk="== Height ==\nFour or five?", tags=[tag])

    raw = "{{At odds}}"
    wiki.add("Named by this wiki alone", f"Old.{raw}", tags=[("inconsistent", raw)])

    raw = "{{contradict|about=the year|date=May 2020}}"
    text = f"{{{{Multiple issues|\n{raw}\n}}}}\nThe mill."
    wiki.add("Among issues", text, tags=[("self-contradictory", raw, "May 2020", "the year")])

    raw = "{{contradict|article=Mill 01|about=age}}"
    tag = ("contradict-other", raw, "", "age", "Mill 01", "Age")
    wiki.add("By parameter", f"Lead.\n\n== Age ==\n{raw}\nOld.", tags=[tag])

    raw = "{{Contradict-other|[[Mill 02]]|date=July 2018}}"
    wiki.add(
        "By position", f"{raw}\nOld.", tags=[("contradict-other", raw, "July 2018", "", "Mill 02")]
    )

    raw = "{{Contradict-other|[[:ancient mill#Age]]}}"
    wiki.add(
        "By a redirect", f"{raw}\nOld.", tags=[("contradict-other", raw, "", "", "ancient mill")]
    )
    wiki.add("Ancient mill", "#REDIRECT [[Without tags]]")

    first, second = "{{Inconsistent|reason=a}}", "{{Contradict-inline|reason=b}}"
    tags = [("inconsistent", first, "", "a"), ("inconsistent", second, "", "b")]
    wiki.add("Two in one block", f"One.{first} Two.{second}", tags=tags)

    raw = "{{Inconsistent|date=May 2020}}"
    wiki.add("In an infobox", f"{{{{Infobox mill\n| opened = 1801{raw}\n}}}}\nOld.",
             tags=[("inconsistent", raw, "May 2020")])  # fmt: skip

    wiki.add("Resolved", f"Old.{raw}", "Old.")
    raw = "{{Inconsistent|date=May 2020}}"
    wiki.add(
        "Vandalised",
        f"Old.{raw} Yes.",
        "lol",
        f"Old.{raw} Yes.",
        tags=[("inconsistent", raw, "May 2020")],
    )
    raw = "{{Inconsistent|reason=1811 below}}"
    dated = "{{Inconsistent|reason=1811 below|date=May 2021}}"
    tag = ("inconsistent", dated, "May 2021", "1811 below")
    wiki.add("Dated later", "Old.", f"Old.{raw}", f"Old.{dated}", f"Old.{dated} Yes.", tags=[tag])

    tag = ("inconsistent", raw, "", "1811 below")
    wiki.add("Came back", "Old.", f"Old.{raw}", "Very old.", f"Quite old.{raw}", tags=[tag])

    # Longer than what one request gives, and the tag is from long before.
    long = [f"Built by Ann.{raw if n >= 20 else ''} Edited {n} times." for n in range(130)]
    wiki.add("Much edited", *long, tags=[tag])

    raw = "{{Inconsistent|reason=Two sizes}}"
    for title in AWKWARD_TITLES:
        wiki.add(title, f"Old.{raw}", tags=[("inconsistent", raw, "", "Two sizes")])

    wiki.add("Look-alike", "{{Inconsistent citations}} Old. <nowiki>{{Inconsistent}}</nowiki>")
    wiki.add("Without tags", "Old.", talk="Nothing to see.")


def export_text(wiki: Seed) -> str:
    """The seed as a MediaWiki export."""
    pages, revid = [], 0
    numbered = [(0, title, texts) for title, texts in wiki.articles.items()]
    numbered += [(1, f"Talk:{title}", [text]) for title, text in wiki.talk.items()]
    numbered += [(10, f"Template:{name}", [text]) for name, text in TEMPLATES.items()]
    targets = {name: f"#REDIRECT [[Template:{target}]]" for name, target in REDIRECTS.items()}
    numbered += [(10, f"Template:{name}", [text]) for name, text in targets.items()]
    for pageid, (namespace, title, texts) in enumerate(numbered, start=1):
        revisions = []
        for number, text in enumerate(texts):
            revid += 1
            time = f"2020-{1 + number // 28:02}-{1 + number % 28:02}T00:00:00Z"
            revisions.append(revision(revid, text, summary=f"edit {number}", time=time))
        pages.append(page(pageid, title, *revisions, ns=namespace))
    return export(*pages)
