"""What the benches work on: pages with a tag, whole annotations, sessions of people. Invented, of the paper's sizes."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from bench.machine import ROOT

WORDS = (
    *("the", "of", "and", "in", "was", "to", "a", "as", "by", "with", "division", "bridge", "village"),
    *("founded", "century", "river", "company", "battle", "station", "album", "census", "district"),
)  # fmt: skip
HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><siteinfo>'
    "<sitename>Wikipedia</sitename><dbname>enwiki</dbname><base>https://en.wikipedia.org/wiki/Main_Page</base>"
    "<generator>MediaWiki 1.39</generator><case>first-letter</case>"
    '<namespaces><namespace key="0" case="first-letter" /></namespaces></siteinfo>\n'
)
PAGE = (
    "<page><title>{title}</title><ns>0</ns><id>{n}</id><revision><id>{revid}</id>"
    "<timestamp>2020-01-01T00:00:00Z</timestamp><contributor><username>X</username><id>1</id></contributor>"
    '<model>wikitext</model><format>text/x-wiki</format><text xml:space="preserve">{text}</text></revision></page>\n'
)
RAW = "{{Inconsistent|date=December 2018|reason=The year}}"
PARAGRAPH, PASSAGE = 600, 400  # characters


def prose(drawn: random.Random, size: int) -> str:
    """Words and years of about so many characters."""
    words, left = [], size
    while left > 0:
        year = drawn.random() < 0.08
        words.append(str(drawn.randint(1700, 2023)) if year else drawn.choice(WORDS))
        left -= len(words[-1]) + 1
    return " ".join(words)


def titles(n: int, name: str = "Kettle Mill") -> list[str]:
    return [f"{name} {number}" for number in range(1, n + 1)]


def paragraphs(n: int, name: str = "Kettle Mill") -> list[tuple[str, str]]:
    """(title, paragraph) of n articles."""
    drawn = random.Random(7)
    return [(title, f"{prose(drawn, PARAGRAPH)}.") for title in titles(n, name)]


def write_pages(path: Path, n: int, name: str = "Kettle Mill", first: int = 1) -> None:
    """A MediaWiki export of n pages with a paragraph and a tag each, their ids from `first` on."""
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        for number, (title, paragraph) in enumerate(paragraphs(n, name), first):
            text = escape(f"'''{title}''' {paragraph}{RAW}")
            file.write(PAGE.format(title=title, n=number, revid=number + 10_000, text=text))
        file.write("</mediawiki>\n")


def read_pages(path: Path) -> None:
    """Store the pages and their tags, as a fetch from a file does."""
    from wikifetch import fetch, newfetch

    fetch.finished(newfetch.fetch_of_file(path), lambda run, seconds: None)


def passages(drawn: random.Random) -> dict[str, str]:
    """Both passages, as copied and stand-alone, of the paper's length."""
    names = (f"passage_{n}_{form}" for n in (1, 2) for form in ("copied", "standalone"))
    return {name: f"{prose(drawn, PASSAGE)}." for name in names}


def entries() -> dict:
    """A whole annotation with passages of the paper's length."""
    cases = ROOT / "tests" / "annotation" / "check_cases.json"
    whole = json.loads(cases.read_text(encoding="utf-8"))["base"]
    more = passages(random.Random(3))
    return whole | {name: f"{whole[name]} {text}" for name, text in more.items()}


def records(n: int) -> list[dict]:
    """Annotated records of the published form, one a title."""
    from tests.datasets.factories import annotation, record

    drawn = random.Random(4)
    keys = {"copied": "information", "standalone": "information_standalone"}
    return [
        record(
            title=title,
            paragraph_A_clean=prose(drawn, PARAGRAPH),
            given=annotation(
                **{
                    f"paragraph{'AB'[int(name[8]) - 1]}_{keys[name[10:]]}": text
                    for name, text in passages(drawn).items()
                }
            ),
        )
        for title in titles(n)
    ]


def form_fields(entered: dict) -> Iterator[tuple[str, str]]:
    """The fields as a browser posts them, with every warning ticked."""
    from annotation.fields.checks import check

    for name, value in entered.items():
        if name == "questions":
            for index, row in enumerate(value):
                for column, cell in row.items():
                    if cell is not False:
                        yield f"questions-{index}-{column}", cell
        else:
            for one in value if isinstance(value, list) else [value]:
                yield name, str(one)
    for finding in check(entered):
        yield "checked", finding.key


def session_of(person) -> str:
    """The cookie of a session that this person has just begun."""
    from django.test import Client

    client = Client()
    client.force_login(person)
    return client.cookies["sicetnon_session"].value
