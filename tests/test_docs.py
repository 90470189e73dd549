"""Pages, anchors, commands and options that the documentation names exist."""

import re
from itertools import chain
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"manage\.py ([a-z_]+)([^\n`|]*)")
FILE = re.compile(r"(?<![\w./-])(\w[\w./-]*\.(?:py|js|html|css))\b")
# A library, a pattern of names, and files that a reader writes or unpacks.
NO_FILES = {
    *("Chart.js", "ROOM/states.py", "take.py", "send.py", "back.py"),
    "bundle/inspect/wikicontradict.py",
}
OPTION = re.compile(r"(?<!\S)\[?(--[a-z][a-z-]*)")


def anchors(page):
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_a_target(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_their_options_exist(page):
    known = get_commands()
    for name, rest in COMMAND.findall(page.read_text(encoding="utf-8")):
        assert name in known, name
        command = load_command_class(known[name], name)
        options = command.create_parser("manage.py", name)._option_string_actions
        for option in OPTION.findall(rest):
            assert option in options, f"{name} {option}"


def test_files_that_are_named_exist():
    folders = [part for part in ROOT.iterdir() if not part.name.startswith(".")]
    tree = chain(folders, *(part.rglob("*.*") for part in folders))
    there = {f"/{path.relative_to(ROOT).as_posix()}" for path in tree}
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(FILE.findall(text)) - NO_FILES
    assert sorted(f for f in named if not any(path.endswith(f"/{f}") for path in there)) == []


def test_every_command_of_the_project_is_documented():
    rooms = {path.parent.name for path in ROOT.glob("*/apps.py")}
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    ours = sorted(name for name, app in get_commands().items() if app in rooms)
    assert [name for name in ours if name not in text] == []


def test_every_page_of_the_documentation_can_be_reached_from_its_index():
    """By links from page to page; a link to a folder leads to all its pages."""
    reached, ahead = set(), [ROOT / "docs" / "index.md"]
    while ahead:
        page = ahead.pop()
        if page.is_dir():
            ahead += page.glob("*.md")
        elif page.suffix == ".md" and page.is_file() and page not in reached:
            reached.add(page)
            links = LINK.findall(page.read_text(encoding="utf-8"))
            ahead += [(page.parent / link.partition("#")[0]).resolve() for link in links]
    assert sorted(page.name for page in set((ROOT / "docs").rglob("*.md")) - reached) == []


def test_the_index_and_the_operators_page_lead_to_each_page_of_theirs():
    for index, pages in (("index.md", "*.md"), ("operators.md", "operators/*.md")):
        linked = LINK.findall((ROOT / "docs" / index).read_text(encoding="utf-8"))
        linked = {(ROOT / "docs" / link.partition("#")[0]).resolve() for link in linked}
        missing = set((ROOT / "docs").glob(pages)) - linked - {ROOT / "docs" / index}
        assert sorted(page.name for page in missing) == []
