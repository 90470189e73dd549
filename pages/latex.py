"""Text for LaTeX. Pure."""

import re

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    # Not \{: BibTeX counts braces with or without a backslash before them.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    # At the beginning of a row they would belong to the \\ that ended the one before.
    "[": "{[}",
    "*": "{*}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{MINUS SIGN}": "$-$",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{NO-BREAK SPACE}": "~",
}
# What pdfLaTeX sets as it comes: ASCII, Latin-1 and Latin Extended-A, typographic quotes.
LATIN = re.compile(r"[\x00-\u017f\u2018\u2019\u201c\u201d]*")


def escaped(text: str) -> str:
    """The text as LaTeX sets it, on one line; letters of other scripts stay as they are."""
    one_line = re.sub(r"[\t\n\r\f\v\u0085\u2028\u2029]+", " ", text)
    kept = (letter for letter in one_line if letter.isprintable() or letter == "\N{NO-BREAK SPACE}")
    return "".join(SPECIAL.get(letter, letter) for letter in kept)


def needs_unicode_engine(text: str) -> bool:
    """Whether LaTeX source `text` has letters that only LuaLaTeX or XeLaTeX set, with a font that has them."""
    return LATIN.fullmatch(text) is None
