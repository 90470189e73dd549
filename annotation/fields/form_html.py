"""The six steps of a form as HTML. What no text changes is rendered once, and remembered by all that decides it.

A form is rendered with a slot in place of each text, and each draft's texts are put into the slots. The rest follows
from the guideline, the options chosen, the number of questions and the filled fields. It is looked up by these, so it
cannot be out of date, and nothing in it is one person's. A form with remarks quotes what was entered: it is rendered
each time.
"""

import re
import secrets
from functools import cache, lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape, json_script
from django.utils.safestring import SafeString, mark_safe

from annotation.fields.checks import browser_rules
from annotation.fields.entries import FIELDS
from annotation.fields.presenting import Remarks, shown_row, shown_steps
from annotation.fields.steps import QUESTIONS, STEPS
from annotation.fields.walker import Entries, Field, Kind, blank, row_name, standings
from annotation.guideline_text import rendered
from annotation.models import Guideline

TEXTS = (Kind.LINE, Kind.TEXT, Kind.PLACE)
# Drawn when the process starts, so that nobody can write a slot.
MARK = secrets.token_hex(12)
SLOT = re.compile(f"{MARK}:([^:]+):")
# Field or cell name -> its text.
Texts = dict[str, str]


def steps_html(guideline: Guideline | None, entries: Entries, remarks: Remarks) -> SafeString:
    """Every step with its fields."""
    texts: Texts = {}
    outline = tuple((name, _outline(each, entries, texts)) for name, each in FIELDS.items())
    version, body = (guideline.version, guideline.body) if guideline else ("", "")
    if remarks.problems or remarks.findings or remarks.notes:
        pieces = _rendered(version, body, outline, remarks)
    else:
        pieces = _remembered(version, body, outline, remarks.filled)
    filled_in = list(pieces)
    filled_in[1::2] = [escape(texts[name]) for name in pieces[1::2]]
    return mark_safe("".join(filled_in))  # noqa: S308 - a template's output, and escaped texts


@lru_cache(maxsize=64)
def rail_html(standing: tuple[tuple[str, str], ...]) -> SafeString:
    """The list of the steps, from the name and the words of each one's standing."""
    return render_to_string("annotation/_rail.html", {"rail": zip(STEPS, standing, strict=True)})


@cache
def rules_html() -> SafeString:
    """The rules of the form for its script, which are part of the program."""
    return json_script(browser_rules(), "form-rules")


def standing_of(entries: Entries) -> tuple[tuple[str, str], ...]:
    return tuple((at.name, at.words) for at in standings(STEPS, entries))


def _outline(each: Field, entries: Entries, texts: Texts, name: str = "") -> Any:
    """The field's value, hashable, with slots in place of its texts, which go to `texts`."""
    value = entries.get(each.name, blank(each))
    if each.kind == Kind.ROWS:
        return tuple(
            tuple(
                (cell.name, _outline(cell, row, texts, row_name(each, n, cell)))
                for cell in each.fields
            )
            for n, row in enumerate(value)
        )
    if each.kind in TEXTS:
        texts[name or each.name] = value
        return f"{MARK}:{name or each.name}:"
    return tuple(value) if each.kind == Kind.MANY else value


@lru_cache(maxsize=64)
def _remembered(version: str, body: str, outline: Any, filled: frozenset[str]) -> list[str]:
    return _rendered(version, body, outline, Remarks(filled=filled))


def _rendered(version: str, body: str, outline: Any, remarks: Remarks) -> list[str]:
    """The HTML between the slots, and in turn the name of each slot."""
    entries = dict(outline)
    entries[QUESTIONS.name] = [dict(row) for row in entries[QUESTIONS.name]]
    context = {
        "steps": shown_steps(STEPS, entries, remarks, rendered(body)),
        "blank_row": shown_row(QUESTIONS, "__n__", {}, Remarks()),
        "version": version,
    }
    return SLOT.split(render_to_string("annotation/_steps.html", context))
