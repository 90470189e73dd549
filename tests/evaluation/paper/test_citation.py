from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evaluation.paper.citation import Citation, bibtex, plain
from pages.latex import escaped, needs_unicode_engine

CITED = Citation(
    number=5,
    study="Models & 100 % of _tags_",
    slug="models-100-of-tags",
    frozen_at=datetime(2026, 11, 21, 9, 3, tzinfo=UTC),
    app_version="0.1.0",
    sha256="ab" * 32,
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (r"& % _ # $", r"\& \% \_ \# \$"),
        ("{ }", r"\textbraceleft{} \textbraceright{}"),
        ("[7b] *", "{[}7b] {*}"),
        ("~ ^ \\", r"\textasciitilde{} \textasciicircum{} \textbackslash{}"),
        ("a<b>c|d", r"a\textless{}b\textgreater{}c\textbar{}d"),
        ("\N{MINUS SIGN}0.5 to 0.7\N{EN DASH}0.8\N{HORIZONTAL ELLIPSIS}", r"$-$0.5 to 0.7--0.8\ldots{}"),
        ("two\nlines\tand a\x00 nul\u202e", "two lines and a nul"),
        ("Löwe Łódź Книга 本", "Löwe Łódź Книга 本"),
        (r"\input{/etc/passwd}", r"\textbackslash{}input\textbraceleft{}/etc/passwd\textbraceright{}"),
    ],
)  # fmt: skip
def test_text_becomes_source_that_says_the_same(text, source):
    assert escaped(text) == source


@pytest.mark.parametrize(
    ("text", "needed"), [("Löwe Łódź “x”", False), ("Книга", True), ("本", True), ("", False)]
)
def test_other_scripts_need_another_engine(text, needed):
    assert needs_unicode_engine(text) is needed


def test_a_citation_in_words():
    assert plain(CITED) == (
        "(2026). Models & 100 % of _tags_: frozen report 5. Computed by Sic et Non 0.1.0, frozen on 2026-11-21, "
        f"sha256 {'ab' * 32}."
    )


def test_a_citation_for_bibtex_is_escaped_and_balanced():
    entry = bibtex(replace(CITED, authors="Ash, Ada and {Bo", address="https://a.example/p/5/x_y/"))
    assert entry.startswith(
        "@misc{models-100-of-tags-5,\n  author = {Ash, Ada and \\textbraceleft{}Bo},\n"
    )
    assert r"title = {{Models \& 100 \% of \_tags\_: frozen report 5}}" in entry
    assert "url = {https://a.example/p/5/x_y/}" in entry
    # BibTeX counts every brace, one after a backslash too.
    assert entry.count("{") == entry.count("}")


def test_what_is_not_known_has_no_field():
    entry = bibtex(CITED)
    assert "author" not in entry
    assert "url" not in entry
