"""LaTeX as readable text, and what cannot be read as it is."""

import pytest

from wikifetch.wikitext.article import render_article
from wikifetch.wikitext.formulas import MAX_CHARS, formula_text
from wikifetch.wikitext.readable import readable

FORMULAS = [
    (r"E = mc^2", "E = mc^2"),
    (r"\frac{n(n+1)}{2}", "(n(n+1))/2"),
    (r"\frac12x", "(1/2)x"),
    (r"\frac{1}{2}, \dfrac{a+b}{c}", "1/2, (a+b)/c"),
    (r"{n \over k+1}", "n/(k+1)"),
    (r"\mathbb {R} \mathsf {H}", "R H"),
    (r"A^{\mathsf {T}} A^{\dagger }", "A^T A^†"),
    (r"\overline {a_{ji}}", "overline(a_ji)"),
    (r"\overline {A^{\mathsf {T}}}", "overline(A^T)"),
    (r"10^{-5} x^{n+1} x_i x_{k,1} x^\prime f'", "10^−5 x^(n+1) x_i x_(k,1) x′ f′"),
    (r"90^\circ 1{,}234", "90° 1,234"),
    (r"\alpha \times \Omega \leq \infty", "α × Ω ≤ ∞"),
    (r"\sqrt{2} \sqrt{a+b} \sqrt[3]{x}", "√2 √(a+b) ∛x"),
    (r"\sin^2 x + 2\cos(x) \ln x", "sin^2 x + 2 cos(x) ln x"),
    (r"\text{if } x \in \mathbb{R}", "if x ∈ R"),
    (r"\left( a-b \right. \big)", "( a−b )"),
    (r"\bar{x} \vec v", "x̄ v⃗"),
    (r"\binom{n}{k} \pmod{7}", "(n choose k) (mod 7)"),
    (r"\sum_{i=1}^n i\,\%", "∑_(i=1)^n i %"),
    (r"f(\omega)~=\int f(t) {\rm d}t", "f(ω) =∫ f(t) dt"),
]


@pytest.mark.parametrize(("latex", "words"), FORMULAS)
def test_a_formula_is_readable_text(latex, words):
    assert formula_text(latex) == words


UNREADABLE = [
    r"\begin{matrix} a & b \\ c & d \end{matrix}",
    r"\unknown{x}",
    r"\frac{1}",
    r"x^",
    "{x",
    "x}",
    r"\sqrt[5]{x}",
    r"\bar{xy}",
    "",
    "{" * 1_000 + "x" + "}" * 1_000,
    "\\sqrt" * 400 + "x",
    "^" * MAX_CHARS,
    r"a\over " * 300,
    "x" * (MAX_CHARS + 1),
]


@pytest.mark.parametrize("latex", UNREADABLE)
def test_what_is_not_known_is_not_guessed(latex):
    assert formula_text(latex) is None


def test_a_formula_in_an_article_is_text_or_code():
    text = r"So <math>x < \frac{1}{2}</math> or <math>\unknown{<b>}</math>."
    assert render_article(text) == r"<p>So x &lt; 1/2 or <code>\unknown{&lt;b&gt;}</code>.</p>"
    assert readable(text).text == r"So x < 1/2 or \unknown{<b>}."
