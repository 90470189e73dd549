"""The guideline as text: its parts, what is shown of them, and what changed."""

import pytest

from annotation.guideline_text import PARTS, body_of, changed_parts, html_of, html_parts, parts_of
from annotation.guidelines import FOLDER, body_of_files
from datasets.taxonomy import DIMENSIONS

TEXTS = {anchor: f"## {name}\n\nText." for anchor, name in PARTS.items()}


def test_a_body_has_the_parts_that_it_was_joined_from():
    assert parts_of(body_of(TEXTS)) == TEXTS


def test_a_body_without_a_part_has_an_empty_one():
    assert parts_of("<!-- step-1 -->\nRead.\n") == {**dict.fromkeys(PARTS, ""), "step-1": "Read."}


@pytest.mark.parametrize(
    ("markdown", "never"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("A <img src=x onerror=alert(1)> in a line", "<img"),
        ("[Read](javascript:alert(1))", "href"),
        ("[Read](data:text/html,x)", "href"),
        ("![A picture](https://elsewhere.example/a.png)", "<img"),
        ("<!-- step-9 -->", "<!--"),
        ("| a | b |\n|:-:|--:|\n| 1 | 2 |", "style"),
    ],
)
def test_nothing_active_is_rendered(markdown, never):
    assert never not in html_of(markdown)


def test_a_link_opens_in_a_tab_of_its_own_and_says_so():
    html = html_of("[Read](https://wiki.example/wiki/A) and [below](#step-2)")
    assert 'href="https://wiki.example/wiki/A" target="_blank" rel="noopener noreferrer"' in html
    assert html.count("(opens in a new tab)") == html.count("target=") == 1


def test_only_the_parts_that_differ_are_compared():
    after = body_of({**TEXTS, "step-2": TEXTS["step-2"] + " More."})
    ((name, pieces),) = changed_parts(body_of(TEXTS), after)
    assert name == PARTS["step-2"]
    assert [piece.text for piece in pieces if piece.kind == "new"] == [" More."]


def test_the_files_have_an_example_of_each_step_and_of_each_option():
    for anchor in PARTS:
        assert "example" in (FOLDER / f"{anchor}.md").read_text(encoding="utf-8").lower()
    html = html_parts(body_of_files())["step-4"]
    options = [option.label for dimension in DIMENSIONS for option in dimension.options]
    assert len(options) == 25
    assert [label for label in options if f"<td>{label}</td>" not in html] == []
