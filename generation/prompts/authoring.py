"""A prompt that a person writes, in the app or as a file, checked field by field. Pure."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from generation.prompts import prompting
from generation.prompts.places import FIELDS, OF_WIKICONTRADICT, REPLY, SHOTS, Places
from generation.prompts.prompting import PLACE, WITH_OPTIONS, Form, PromptError
from protocols.declaration import WIKICONTRADICT

# What the author gives, with the most characters of each text; a title is one line.
LONGEST = {
    "name": 50,
    "label": 12,
    "title": 120,
    "template": 20_000,
    "second": 20_000,
    "source": 300,
    "criteria": 5_000,
}
# Those that may be empty, and those of several lines.
_OPTIONAL = ("second", "source", "criteria")
_LONG = ("template", "second", "criteria", "check", "shot", "text", *FIELDS, "answer")
_LISTS = {"gold": prompting.GOLD_SOURCES, "verdicts": prompting.VERDICTS}
GIVEN = (*LONGEST, *_LISTS, "revised", "examples", "form", "options", "times", "insist")
# What an example has, with the same limit as a template.
EXAMPLE = (*FIELDS, "answer")
MOST_EXAMPLES = 8
# How many options a prompt has.
OPTIONS = (2, 26)
_MADE = ("sha256", "passages", "reconstructed")
# What only the prompts of WikiContradict have.
OWN_FIELDS = ("examples", "revised", "gold", "verdicts")
_KEY = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
# An address has this in the place of a name.
_TAKEN = ("new",)


def completed(
    given: Mapping[str, Any], where: str, places: Places = OF_WIKICONTRADICT
) -> dict[str, Any]:
    """The data of a protocol's prompt from what its author gives: the fields GIVEN.

    "examples" is a list of objects with the fields of EXAMPLE. Source, criteria, form, lists, times and flags may
    be left out. Raises PromptError; `where` begins its message.
    """
    is_declared = places.protocol != WIKICONTRADICT
    if unknown := set(given) - {*GIVEN, *_MADE}:
        raise PromptError(
            f"{where} has {', '.join(sorted(unknown))}, which no prompt has. There are {', '.join(GIVEN)}."
        )
    empty: dict[str, Any] = dict.fromkeys((*_OPTIONAL, "form"), "")
    empty |= {name: [] for name in (*_LISTS, "examples", "options")}
    data = {**empty, "times": None, "insist": False, "revised": False, **given}
    for field, most in LONGEST.items():
        check_text(field, data.get(field, ""), most, where)
    for field, known in _LISTS.items():
        _check_list(field, data[field], known, where)
    for field in ("revised", "insist"):
        if not isinstance(data[field], bool):
            raise PromptError(f"{where}: {field} is true or false.", field)
    if more := [name for name in OWN_FIELDS if is_declared and data[name]]:
        raise PromptError(
            f"{where} has {more[0]}, which prompts of WikiContradict alone have.", more[0]
        )
    check_name(data["name"], data["label"], where)
    if f"{{{places.question}}}" not in data["template"]:
        raise PromptError(
            f"{where} never shows the question. Write {{{places.question}}} where it belongs.",
            "template",
        )
    shown = check_answer(data, where, places)
    _check_examples(data["examples"], data["template"], where)
    return {
        **{name: data[name] for name in GIVEN},
        **({"protocol": places.protocol} if is_declared else {}),
        "passages": [] if is_declared else [int(place[-1]) for place in shown],
        "reconstructed": False,
        "sha256": prompting.sha256_of(data),
    }


def check_answer(data: Mapping[str, Any], where: str, places: Places) -> list[str]:
    """The passages that the texts show, each once; raises PromptError for a place or a form that cannot be."""
    shots = SHOTS if data.get("shots") else ""
    prompting.check_places(data["template"], where, places, more=shots)
    for later in ("second", "check"):
        prompting.check_places(data.get(later, ""), where, places, later, REPLY)
    _check_form(data["form"], data["options"], data["second"], where)
    named = dict.fromkeys(
        places.of_text("".join(data.get(text, "") for text in ("template", "second", "check")))
    )
    shown = [place for place in named if place in places.passages]
    prompting.check_asking_again(data, bool(shown), where, places)
    return shown


def check_text(field: str, text: Any, most: int, where: str) -> None:
    if not isinstance(text, str):
        raise PromptError(f"{where}: the {field} is not a text.", field)
    if not text.strip() and field not in _OPTIONAL:
        raise PromptError(f"{where}: the {field} is empty.", field)
    if len(text) > most:
        raise PromptError(
            f"{where}: the {field} has {len(text)} characters; at most {most} are allowed.", field
        )
    allowed = "\n\t" if field in _LONG else ""
    for mark in text:
        if unicodedata.category(mark) in ("Cc", "Cs") and mark not in allowed:
            raise PromptError(
                f"{where}: the {field} has the control character U+{ord(mark):04X}. Remove it.",
                field,
            )


def _check_list(field: str, given: Any, known: Sequence[str], where: str) -> None:
    words = ", ".join(known)
    if not isinstance(given, list):
        raise PromptError(f"{where}: {field} is a list of {words}.", field)
    if others := sorted(set(map(str, given)) - set(known)):
        raise PromptError(
            f"{where}: {field} has {', '.join(others)}. Write one of {words} instead.", field
        )


def _check_examples(examples: Any, template: str, where: str) -> None:
    shape = f"examples is a list of at most {MOST_EXAMPLES} objects with {', '.join(EXAMPLE)}"
    if not isinstance(examples, list) or len(examples) > MOST_EXAMPLES:
        raise PromptError(f"{where}: {shape}.", "examples")
    needed = {*PLACE.findall(template), "answer"}
    for number, example in enumerate(examples, start=1):
        if not isinstance(example, dict) or set(example) - set(EXAMPLE):
            raise PromptError(f"{where}: {shape}; number {number} is something else.", "examples")
        for field in EXAMPLE:
            try:
                if field in needed or field in example:
                    check_text(field, example.get(field, ""), LONGEST["template"], where)
            except PromptError as error:
                raise PromptError(f"Example {number}. {error}", "examples") from error


def _check_form(form: Any, options: Any, second: str, where: str) -> None:
    known = ", ".join(filter(None, Form))
    if form not in list(Form):
        raise PromptError(
            f"{where}: {form!r} is no form of an answer. Leave it empty for a free text, or choose one of {known}.",
            "form",
        )
    _check_options(options, where)
    if bool(options) is not (form in WITH_OPTIONS):
        raise PromptError(
            f"{where} has options without a form that chooses among them. Give it the form "
            f"{' or '.join(WITH_OPTIONS)}, or none."
            if options
            else f"{where} has the form {form}, which needs options, such as A and B.",
            "options",
        )
    if form == Form.SCORES and second:
        raise PromptError(
            f"{where} has the form {form}, which is read from the first reply. Leave the second turn out.",
            "second",
        )
    if form == Form.SCORES and any(option.startswith("(") or " " in option for option in options):
        raise PromptError(
            f"{where}: an option to score is one token, without blanks and without a bracket before it.",
            "options",
        )


def _check_options(options: Any, where: str) -> None:
    least, most = OPTIONS
    if not isinstance(options, list) or not (not options or least <= len(options) <= most):
        raise PromptError(f"{where}: options is a list of {least} to {most} texts.", "options")
    for option in options:
        try:
            check_text("option", option, prompting.LONGEST_OPTION, where)
        except PromptError as error:
            raise PromptError(str(error), "options") from error
        alike = [
            other
            for other in options
            if isinstance(other, str) and prompting.folded(other) == prompting.folded(option)
        ]
        if option != option.strip() or len(alike) > 1:
            raise PromptError(
                f"{where}: the option {option!r} is there twice, or has blanks round it. Write each once, without.",
                "options",
            )


def check_name(name: str, label: str, where: str) -> None:
    if not _KEY.fullmatch(name) or prompting.VERSION_SUFFIX.search(name) or name in _TAKEN:
        raise PromptError(
            f"{where}: {name!r} cannot be a name. Use small letters, digits, hyphens and underscores, as in "
            "cautious-reader; not “new”, and no version such as -v2 at its end, which is added by itself.",
            "name",
        )
    if label != label.strip() or prompting.VERSION_SUFFIX.search(label):
        raise PromptError(
            f"{where}: {label!r} cannot be a label. Write a short one such as C1, without blanks round it and "
            "without a version such as v2, which is added by itself.",
            "label",
        )
