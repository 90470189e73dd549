"""All versions of a demonstration page, derived from its latest text and the list of its edits.

A page is `articles/NAME.wiki` (the latest text), `articles/NAME.toml` (title, pageid, and its edits, oldest
first) and sometimes `articles/NAME.talk.wiki`. An edit says what it changed. The earlier texts are made by taking
the edits back one by one, the latest first, so that no text is written down twice:

    before, after   these words became those
    section         this whole section was new
    template        this whole template was new

An edit marked `vandalism` was taken back by the `revert` after it; `suppressed` ones show neither text nor name.
A talk page needs no list: each comment, known by its signature, is one edit.

Pure. Every edit that does not fit the text is a ValueError that names it.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "articles"
SIGNATURE = re.compile(
    r"\[\[User:(?P<user>[^|\]]+)\|[^\]]+\]\] \(\[\[User talk:[^\]]+\]\]\) "
    r"(?P<time>\d\d:\d\d, \d{1,2} \w+ \d{4}) \(UTC\)\n"
)
HEADING = re.compile(r"^(={2,6})[ \t]*(.+?)[ \t]*\1[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Edit:
    """One revision of a page: who, when, why, and the text after it."""

    user: str
    time: datetime
    comment: str
    text: str
    minor: bool = False
    suppressed: bool = False


@dataclass(frozen=True)
class Page:
    """A page with its history, oldest first."""

    title: str
    pageid: int
    edits: tuple[Edit, ...]
    talk: tuple[Edit, ...] = ()


def pages(folder: Path = FOLDER) -> list[Page]:
    """Every page of the folder, by page id."""
    return sorted((_read(path) for path in folder.glob("*.toml")), key=lambda page: page.pageid)


def _read(path: Path) -> Page:
    known = tomllib.loads(path.read_text(encoding="utf-8"))
    latest = path.with_suffix(".wiki").read_text(encoding="utf-8")
    talk = path.with_suffix(".talk.wiki")
    try:
        return Page(
            title=known["title"],
            pageid=known["pageid"],
            edits=tuple(_edits(latest, known["revision"])),
            talk=tuple(comments(talk.read_text(encoding="utf-8"))) if talk.exists() else (),
        )
    except ValueError as problem:
        raise ValueError(f"{path.name}: {problem}") from problem


def _edits(latest: str, entries: list[dict[str, Any]]) -> Iterator[Edit]:
    for entry, text in zip(entries, texts(latest, entries), strict=True):
        yield Edit(
            user=entry["user"],
            time=entry["time"],
            comment=entry["comment"],
            text=text,
            minor=entry.get("minor", False),
            suppressed=entry.get("suppressed", False),
        )


def texts(latest: str, entries: list[dict[str, Any]]) -> list[str]:
    """The text after each edit. `latest` is the text after the last one."""
    versions: list[str] = [latest]
    later: dict[str, Any] = {}
    for entry in reversed(entries):
        if entry.get("vandalism"):
            if not later.get("revert"):
                raise ValueError(
                    f"The vandalism of {entry['time']} is not reverted by the next edit."
                )
            versions[-1] = _redo(versions[-2], entry)
        if not entry.get("revert") and not entry.get("vandalism"):
            versions.append(_undo(versions[-1], entry))
        else:
            versions.append(versions[-1] if entry.get("revert") else versions[-2])
        later = entry
    versions.pop()
    return versions[::-1]


def _undo(text: str, entry: dict[str, Any]) -> str:
    for change in reversed(entry.get("change", [])):
        if "section" in change:
            text = _without(text, section_of(text, change["section"]))
        elif "template" in change:
            text = _without(text, template_of(text, change["template"]))
        else:
            text = _swap(text, change["after"], change["before"])
    return text


def _redo(text: str, entry: dict[str, Any]) -> str:
    for change in entry["change"]:
        text = _swap(text, change["before"], change["after"])
    return text


def _without(text: str, part: str) -> str:
    return _swap(text, part, "")


def _swap(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise ValueError(
            f"This text should stand exactly once, not {text.count(old)} times: {old!r}"
        )
    return text.replace(old, new)


def section_of(text: str, title: str) -> str:
    """The section of that title with its heading, up to the next heading of its level."""
    headings = list(HEADING.finditer(text))
    for at, heading in enumerate(headings):
        if heading[2] == title:
            ends = (h.start() for h in headings[at + 1 :] if len(h[1]) <= len(heading[1]))
            return text[heading.start() : next(ends, len(text))]
    raise ValueError(f"There is no section {title!r}.")


def template_of(text: str, name: str) -> str:
    """The template of that name that starts a line and is closed by braces on a line of their own."""
    match = re.search(rf"^\{{\{{{re.escape(name)}\n.*?^\}}\}}\n", text, re.MULTILINE | re.DOTALL)
    if not match:
        raise ValueError(f"There is no template {name!r} on lines of its own.")
    return match[0]


def comments(talk: str) -> Iterator[Edit]:
    """One edit for each signed comment of a talk page, in the order of the page."""
    last = None
    for signature in SIGNATURE.finditer(talk):
        time = datetime.strptime(signature["time"], "%H:%M, %d %B %Y").replace(tzinfo=UTC)
        if last and time < last:
            raise ValueError(f"The comment of {signature['time']} is below a later one.")
        section = HEADING.findall(talk[: signature.end()])[-1][1]
        yield Edit(signature["user"], time, f"/* {section} */", talk[: signature.end()])
        last = time
    if last is None or not talk.endswith("(UTC)\n"):
        raise ValueError("A talk page ends with a signed comment.")
