"""Texts of people in YAML and Markdown. Pure."""

import json
import re

NOT_GIVEN = "(not given)"

# JSON holds these as they are; a reader of YAML refuses them or takes some for line ends.
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_MARKS = re.compile(r"([\\`*_\[\]<>#|~&{}])")
# What makes a list, a heading or a rule at the beginning of a line.
_STARTS = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")


def yaml_text(text: str) -> str:
    """The text as a scalar of YAML: a string of JSON is one, on one line."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def inline(text: str) -> str:
    """The text on one line of Markdown, which shows it as it is."""
    return _line(" ".join(text.split())) or NOT_GIVEN


def block(text: str) -> str:
    """The text as a quotation in Markdown, with its lines."""
    lines = text.strip().splitlines() or [NOT_GIVEN]
    # Two blanks at its end keep a line a line.
    return "\n".join(f"> {_line(line)}  " if line.strip() else ">" for line in lines)


def fenced(text: str) -> str:
    """The text as a block of code, whose fence is longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text.rstrip()}\n{fence}"


def _line(text: str) -> str:
    marked = _MARKS.sub(r"\\\1", text)
    return _STARTS.sub(lambda found: found[1] + _escaped_start(found[2]), marked)


def _escaped_start(mark: str) -> str:
    # Of “1.” the full stop makes the list.
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"
