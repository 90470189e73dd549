"""What the benches work on: pages with a tag, whole annotations, sessions of people. Invented, of the paper's sizes."""

import random
from collections.abc import Iterator
from pathlib import Path

WORDS = (
    *("the", "of", "and", "in", "was", "to", "a", "as", "by", "with", "division", "bridge", "village"),
    *("founded", "century", "river", "company", "battle", "station", "album", "census", "district"),
)  # fmt: skip
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


def write_pages(path: Path, n: int, name: str = "Kettle Mill", first: int = 100_000) -> None:
    """A MediaWiki export of n pages with a paragraph and a tag each, their ids from `first` on."""
    from tests.wikifetch.factories import export, page, revision

    pages = (
        page(pageid, title, revision(pageid * 1000 + 1, f"'''{title}''' {paragraph}{RAW}"))
        for pageid, (title, paragraph) in enumerate(paragraphs(n, name), first)
    )
    base = "https://demonstration.example/wiki/Main_Page"
    path.write_text(export(*pages, base=base), encoding="utf-8")


def read_pages(path: Path) -> None:
    """Store the pages and their tags, as a fetch from a file does."""
    from wikifetch import fetch, newfetch

    fetch.finished(newfetch.fetch_of_files([path]), lambda run, seconds: None)


def passages(drawn: random.Random) -> dict[str, str]:
    """Both passages, as copied and stand-alone, of the paper's length."""
    names = (f"passage_{n}_{form}" for n in (1, 2) for form in ("copied", "standalone"))
    return {name: f"{prose(drawn, PASSAGE)}." for name in names}


def entries() -> dict:
    """A whole annotation with passages of the paper's length."""
    from tests.annotation.factories import whole

    longer = passages(random.Random(3)).items()
    return whole(**{name: f"{whole()[name]} {text}" for name, text in longer})


def records(n: int) -> list[dict]:
    """Annotated records of the published form, one a title."""
    from tests.datasets.factories import annotation, record

    drawn, made = random.Random(4), []
    for title in titles(n):
        texts = {
            f"paragraph{letter}_{key}": f"{prose(drawn, PASSAGE)}."
            for letter in "AB"
            for key in ("information", "information_standalone")
        }
        article = prose(drawn, PARAGRAPH)
        made.append(record(title=title, paragraph_A_clean=article, given=annotation(**texts)))
    return made


def label_studio_tasks(n: int) -> list[dict]:
    """The same records as Label Studio exports them."""
    from datasets.labelstudio.tasks import data_of, results_of

    def exported(number: int, record: dict) -> dict:
        made = {
            "id": number,
            "completed_by": 1 + number % 2,
            "result": results_of(record),
            "was_cancelled": False,
            "ground_truth": False,
            "lead_time": 42.5,
            "created_at": "2026-11-25T10:00:00.000000Z",
            "updated_at": "2026-11-25T10:00:00.000000Z",
            "prediction": {},
            "unique_id": f"{number:032x}",
        }
        return {"id": number, "data": data_of(record), "annotations": [made], "predictions": []}

    return [exported(number, record) for number, record in enumerate(records(n), 1)]


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
            for chosen in value if isinstance(value, list) else [value]:
                yield name, str(chosen)
    for finding in check(entered):
        yield "checked", finding.key
    for n in (1, 2):
        yield "checked", f"not_in_article:passage_{n}_copied"


def session_of(person) -> str:
    """The cookie of a session that this person has just begun."""
    from django.test import Client

    client = Client()
    client.force_login(person)
    return client.cookies["sicetnon_session"].value
