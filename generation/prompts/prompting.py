"""The prompts, and the checks of one that a person wrote. Pure.

A prompt is data. The study's own (generation/prompts/*.json) are copied byte for byte from their source, and never
change; further ones, and versions of these, are rows (prompt_versions.py). Code uses the names of prompts; the paper's
numbers are labels. Source: WikiContradict (Hou et al. 2024), section 3.4 and Appendix B.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from datasets.identity import canonical
from leases.refusal import NotFoundHere

FOLDER = Path(__file__).parent
# The answers of a question and of its revised passages, in the order in which judges see them, with the words for each.
ANSWERS = {
    "answer_1": "Answer of passage 1",
    "answer_2": "Answer of passage 2",
    "revised_answer": "The answer of the revised passages",
}
# Where gold comes from: these, and two fixed answers.
GOLD_SOURCES = (*ANSWERS, "yes", "no")
# What a prompt may propose; the study's rubric decides.
VERDICTS = ("correct", "partially correct", "incorrect")

# What a template may name, and whatever looks like a name.
FIELDS = ("question", "context1", "context2")
# Where the text of a second turn has the first reply.
REPLY = "{reply}"
PLACE = re.compile(rf"\{{({'|'.join(FIELDS)})\}}")
# A word, or a field that is written otherwise, as {context 1}. Other braces are text, as those of JSON.
_NAME = re.compile(r"\{\s*(?:\w+|(?:question|context|passage|reply)[\s.-]+\w*)\s*\}", re.IGNORECASE)

# What a prompt's author gives, with the most characters of each text; a title is one line.
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
_LONG = ("template", "second", "criteria", *FIELDS, "answer")
_LISTS = {"gold": GOLD_SOURCES, "verdicts": VERDICTS}
GIVEN = (*LONGEST, *_LISTS, "revised", "examples", "form", "options", "times", "insist")
# What an example has, with the same limit as a template.
EXAMPLE = (*FIELDS, "answer")
MOST_EXAMPLES = 8
# How many options a prompt has, and the most characters of each.
OPTIONS, LONGEST_OPTION = (2, 26), 40
# How often a prompt may be asked for a reply of its form (Hypotheticals, Appendix C).
MOST_TIMES = 15
_MADE = ("sha256", "passages", "reconstructed")
_KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# How the second and further versions of a prompt are named.
_VERSION = re.compile(r"[ -]v\d+$")
# An address has this in the place of a name.
_TAKEN = ("new",)


class Form(StrEnum):
    """What the answer to a prompt is.

    A text as it comes, the option whose token the model finds likeliest, or a reply that is asked for again until it is
    a span of a passage or one of the options (controlled.py).
    """

    TEXT = ""
    SCORES = "scores"
    SPAN = "span"
    OPTION = "option"


# Those whose prompts have options, and those that are asked for again.
WITH_OPTIONS = (Form.SCORES, Form.OPTION)
CONTROLLED = (Form.SPAN, Form.OPTION)


class PromptError(ValueError):
    """A prompt cannot be used; the message says which and why. `field` is what of it has to change."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Prompt:
    """One version of a prompt. `name` is its identity in responses, studies and tables; all versions share `base`.

    `passages` are the numbers of the passages shown, in their order. `examples` come before the question, each with the
    fields of EXAMPLE. `second`, if any, is sent after the first reply, and the answer to it is the response.
    `criteria` are a proposal to the writer of a rubric. `gold` names the answers that a judge compares with; `verdicts`
    are those that the source defines for this prompt (a study's rubric decides); `sha256` is that of what is sent
    (sha256_of). `reconstructed`: the line breaks are ours, because the source is a typeset page. `revised`: it shows
    passages revised so that they agree. `form` is what the answer is, one of the `options` where there are any.
    A controlled form is asked for up to `times`; `insist`: also where the model would answer the same again.
    """

    name: str
    label: str
    title: str
    template: str
    sha256: str
    passages: tuple[int, ...]
    gold: tuple[str, ...]
    verdicts: tuple[str, ...]
    reconstructed: bool
    source: str
    revised: bool = False
    examples: tuple[Mapping[str, str], ...] = ()
    second: str = ""
    criteria: str = ""
    form: Form = Form.TEXT
    options: tuple[str, ...] = ()
    times: int | None = None
    insist: bool = False
    base: str = ""
    version: int = 1

    def shown(self, *, same: bool) -> tuple[int, ...]:
        """The numbers of the passages that it shows; of two that are the `same`, the first alone."""
        return (1,) if same and len(self.passages) > 1 else self.passages


@cache
def prompts() -> Mapping[str, Prompt]:
    """The study's own prompts by name, in the order of their labels; raises PromptError when a file is damaged."""
    read = [parse(data, name) for name, data in files().items()]
    return {prompt.name: prompt for prompt in in_order(read)}


def files() -> dict[str, dict[str, Any]]:
    """The data of the study's own prompts by the name of their file."""
    return {path.name: json.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}


def find(name_or_label: str) -> Prompt:
    """The study's prompt of this name or label; raises NotFoundHere with the known ones."""
    return found(name_or_label, prompts())


def found(name_or_label: str, known: Mapping[str, Prompt]) -> Prompt:
    """The one of the known prompts with this name or label; raises NotFoundHere with all of them."""
    by_label = {prompt.label: prompt for prompt in known.values()}
    if prompt := known.get(name_or_label) or by_label.get(name_or_label):
        return prompt
    names = ", ".join(f"{prompt.name} ({prompt.label})" for prompt in known.values())
    raise NotFoundHere(f"There is no prompt {name_or_label!r}. Known: {names}.")


def in_order(some: Iterable[Prompt]) -> list[Prompt]:
    """By label, the versions of a prompt one after the other."""
    return sorted(some, key=lambda prompt: (_VERSION.sub("", prompt.label), prompt.version))


def key_of(base: str, version: int) -> str:
    """The name of a prompt's version: the first one's is the prompt's own."""
    return base if version == 1 else f"{base}-v{version}"


def label_of(label: str, version: int) -> str:
    return label if version == 1 else f"{label} v{version}"


def parse(data: Mapping[str, Any], where: str, version: int = 1) -> Prompt:
    """A version of a prompt from its data; raises PromptError, with the file's name, when it is damaged."""
    try:
        prompt = Prompt(
            **{
                **data,
                "name": key_of(data["name"], version),
                "label": label_of(data["label"], version),
                "passages": tuple(data["passages"]),
                "gold": tuple(data["gold"]),
                "verdicts": tuple(data["verdicts"]),
                "examples": tuple(data.get("examples", ())),
                "form": Form(data.get("form", Form.TEXT)),
                "options": tuple(data.get("options", ())),
                "base": data["name"],
                "version": version,
            }
        )
        digest = sha256_of(data)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise PromptError(f"{where} is not a prompt: {error}.") from error
    if digest != prompt.sha256:
        raise PromptError(
            f"{where} was changed: its template's sha256 is {digest}, not {prompt.sha256}."
        )
    _check_places(prompt.template, where)
    _check_places(prompt.second.replace(REPLY, ""), where, REPLY)
    if unknown := set(prompt.gold) - set(GOLD_SOURCES):
        raise PromptError(f"{where} takes gold from {sorted(unknown)}, which no question has.")
    asked = {"form": prompt.form, "times": prompt.times, "insist": prompt.insist}
    _check_asking_again(asked, bool(prompt.passages), where)
    return prompt


def sha256_of(data: Mapping[str, Any]) -> str:
    """sha256 (hex) of what decides the text that is sent, and what the answer is."""
    decisive = ("examples", "second", "form", "options", "times", "insist")
    more = {name: data[name] for name in decisive if data.get(name)}
    # Of a template alone it is that of its bytes, as in the files of the study.
    template: str = data["template"]
    whole = canonical({"template": template, **more}) if more else template.encode("utf-8")
    return hashlib.sha256(whole).hexdigest()


def gold(
    prompt: Prompt,
    *,
    answer_1: str | None,
    answer_2: str | None,
    revised_answer: str | None = None,
) -> list[str]:
    """The gold answers for this prompt, unstripped; one that the record lacks (None) is left out."""
    answers = {
        "answer_1": answer_1,
        "answer_2": answer_2,
        "revised_answer": revised_answer,
        "yes": "yes",
        "no": "no",
    }
    return [text for source in prompt.gold if (text := answers[source]) is not None]


# ---------------------------------------------------------------- written by a person


def completed(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A prompt's data from what its author gives: the fields GIVEN.

    "examples" is a list of objects with the fields of EXAMPLE. Source, criteria, form, lists, times and flags may
    be left out. Raises PromptError; `where` begins its message.
    """
    if unknown := set(given) - {*GIVEN, *_MADE}:
        raise PromptError(
            f"{where} has {', '.join(sorted(unknown))}, which no prompt has. There are {', '.join(GIVEN)}."
        )
    empty: dict[str, Any] = dict.fromkeys((*_OPTIONAL, "form"), "")
    empty |= {name: [] for name in (*_LISTS, "examples", "options")}
    data = {**empty, "times": None, "insist": False, "revised": False, **given}
    for field, most in LONGEST.items():
        _check_text(field, data.get(field, ""), most, where)
    for field, known in _LISTS.items():
        if not isinstance(data[field], list):
            raise PromptError(f"{where}: {field} is a list of {', '.join(known)}.", field)
        if others := sorted(set(map(str, data[field])) - set(known)):
            raise PromptError(
                f"{where}: {field} has {', '.join(others)}. Write one of {', '.join(known)} instead.",
                field,
            )
    for field in ("revised", "insist"):
        if not isinstance(data[field], bool):
            raise PromptError(f"{where}: {field} is true or false.", field)
    _check_name(data["name"], data["label"], where)
    _check_places(data["template"], where)
    _check_places(data["second"].replace(REPLY, ""), where, REPLY, field="second")
    if "{question}" not in data["template"]:
        raise PromptError(
            f"{where} never shows the question. Write {{question}} where it belongs.", "template"
        )
    _check_examples(data["examples"], data["template"], where)
    _check_form(data["form"], data["options"], data["second"], where)
    places = PLACE.findall(data["template"] + data["second"])
    shown = [place for place in places if place != "question"]
    _check_asking_again(data, bool(shown), where)
    return {
        **{name: data[name] for name in GIVEN},
        "passages": [int(place[-1]) for place in dict.fromkeys(shown)],
        "reconstructed": False,
        "sha256": sha256_of(data),
    }


def _check_text(field: str, text: Any, most: int, where: str) -> None:
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
                    _check_text(field, example.get(field, ""), LONGEST["template"], where)
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


def _check_asking_again(data: Mapping[str, Any], shows_passages: bool, where: str) -> None:
    form, times = data["form"], data["times"]
    if form not in CONTROLLED:
        for field in ("times", "insist"):
            if data[field] is not None and data[field] is not False:
                known = " or ".join(CONTROLLED)
                raise PromptError(
                    f"{where} has {field}, but no form that is asked for again. Give it the form {known}, or leave "
                    f"{field} out.",
                    field,
                )
    elif form == Form.SPAN and not shows_passages:
        raise PromptError(
            f"{where} has the form {form}, and shows no passage of which the answer can be a part. Write {{context1}} "
            "or {context2} where one belongs.",
            "template",
        )
    elif isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= MOST_TIMES:
        raise PromptError(
            f"{where} has the form {form}. Set times, how often it is asked for, to a number from 1 to {MOST_TIMES}.",
            "times",
        )


def _check_options(options: Any, where: str) -> None:
    least, most = OPTIONS
    if not isinstance(options, list) or not (not options or least <= len(options) <= most):
        raise PromptError(f"{where}: options is a list of {least} to {most} texts.", "options")
    for option in options:
        try:
            _check_text("option", option, LONGEST_OPTION, where)
        except PromptError as error:
            raise PromptError(str(error), "options") from error
        alike = [one for one in options if isinstance(one, str) and folded(one) == folded(option)]
        if option != option.strip() or len(alike) > 1:
            raise PromptError(
                f"{where}: the option {option!r} is there twice, or has blanks round it. Write each once, without.",
                "options",
            )


def folded(text: str) -> str:
    """The text with single blanks, and in one of the ways in which Unicode writes a letter (NFC)."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _check_name(name: str, label: str, where: str) -> None:
    if not _KEY.fullmatch(name) or _VERSION.search(name) or name in _TAKEN:
        raise PromptError(
            f"{where}: {name!r} cannot be a name. Use small letters, digits and hyphens, as in cautious-reader; not "
            "“new”, and no version such as -v2 at its end, which is added by itself.",
            "name",
        )
    if label != label.strip() or _VERSION.search(label):
        raise PromptError(
            f"{where}: {label!r} cannot be a label. Write a short one such as C1, without blanks round it and "
            "without a version such as v2, which is added by itself.",
            "label",
        )


def _check_places(text: str, where: str, *more: str, field: str = "template") -> None:
    if unknown := set(_NAME.findall(PLACE.sub("", text))):
        known = ", ".join([*(f"{{{name}}}" for name in FIELDS), *more])
        raise PromptError(
            f"{where} has {', '.join(sorted(unknown))}, which is no field of a question. There are {known}.",
            field,
        )
