"""What a prompt is, and the study's own prompts. Pure.

A prompt is data. The study's own (generation/prompts/*.json) are copied byte for byte from their source, and never
change; further ones, and versions of these, are rows (prompt_versions.py). Code uses the names of prompts; the paper's
numbers are labels. Source: WikiContradict (Hou et al. 2024), section 3.4 and Appendix B.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from datasets.identity import canonical
from generation.prompts.answers import READING
from generation.prompts.places import FIELDS, OF_WIKICONTRADICT, Places
from leases.refusal import NotFoundHere
from protocols.declaration import WIKICONTRADICT

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

# What a template of WikiContradict names.
PLACE = re.compile(rf"\{{({'|'.join(FIELDS)})\}}")
# How the second and further versions of a prompt are named.
VERSION_SUFFIX = re.compile(r"[ -]v\d+$")
LONGEST_OPTION = 40  # characters
# How often a prompt may be asked for a reply of its form (Hypotheticals, Appendix C).
MOST_TIMES = 15


class Form(StrEnum):
    """What the answer to a prompt is.

    A text as it comes, or the option whose token the model finds likeliest. The last two are asked for again, until the
    reply is a span of a passage or one of the options (controlled.py).
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

    Of another `protocol` than WikiContradict, whose fields its places name, passages and gold are empty, and its file
    may give the rest. `tags` are for tables, `origin` is one of ORIGINS. The passages `shuffle` stand in an order drawn
    by the run's seed, `last` has a word for each of them. `extract`, `after` and `abstain` say where the
    answer stands in a reply (answers.py). `check` asks whether that answer holds; the reply before it stays the
    response. `given` is the field whose text, written `by` an author, is
    the response: no model is asked, and judges are shown the fields `shows`, with the template as their question
    and `labels` over the texts.
    `shots` examples, each {"name", "fields"}, are drawn for a record from `drawn_from`, of the same `alike` where that
    is given, and shown as `shot` says (shots.py).
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
    check: str = ""
    criteria: str = ""
    form: Form = Form.TEXT
    options: tuple[str, ...] = ()
    times: int | None = None
    insist: bool = False
    base: str = ""
    version: int = 1
    protocol: str = WIKICONTRADICT
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    origin: str = ""
    shuffle: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    extract: str = ""
    after: str = ""
    abstain: str = ""
    given: str = ""
    by: str = ""
    shows: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    shots: int = 0
    shot: str = ""
    alike: str = ""
    drawn_from: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)

    @property
    def later(self) -> str:
        """What is sent after the first reply; "" where nothing is."""
        return self.second or self.check

    @property
    def only_declared(self) -> str:
        """What it has that a person cannot write, as "a check"; "" of one whose next version a person can."""
        kinds = {"a given text": self.given, "examples": self.shots, "a check": self.check}
        return next((what for what, there in kinds.items() if there), "")

    @property
    def shown_as(self) -> tuple[str, ...]:
        """What judges call the texts: those of `shows`, then the given one. No name of a field, which can say more."""
        above = range(1, len(self.shows) + 1)
        return self.labels or (*(f"Text {number}" for number in above), "Text to judge")

    @property
    def reading(self) -> dict[str, str]:
        """What it says of where the answer stands in a reply."""
        return {name: text for name in READING if (text := getattr(self, name))}

    @property
    def mark(self) -> str:
        """Where its text is from: a key of ORIGINS; "" of one that a person wrote."""
        if self.name in prompts():
            return "reconstructed" if self.reconstructed else "published"
        return self.origin

    def shown(self, *, same: bool) -> tuple[int, ...]:
        """The numbers of the passages that it shows; of two that are the `same`, the first alone."""
        return (1,) if same and len(self.passages) > 1 else self.passages


@cache
def prompts() -> Mapping[str, Prompt]:
    """The study's own prompts by name, in the order of their labels; raises PromptError when a file is damaged."""
    read = [parse(data, name) for name, data in files().items()]
    for prompt in read:
        check_places(prompt.template, prompt.name)
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
    return sorted(some, key=lambda prompt: (VERSION_SUFFIX.sub("", prompt.label), prompt.version))


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
                **{
                    name: tuple(data.get(name, ()))
                    for name in ("options", "shuffle", "last", "shows", "labels", "drawn_from")
                },
                # By name: databases differ in the order of JSON keys.
                "tags": dict(sorted(data.get("tags", {}).items())),
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
    if unknown := set(prompt.gold) - set(GOLD_SOURCES):
        raise PromptError(f"{where} takes gold from {sorted(unknown)}, which no question has.")
    asked = {"form": prompt.form, "times": prompt.times, "insist": prompt.insist}
    shows_passages = bool(prompt.passages) or prompt.protocol != WIKICONTRADICT
    check_asking_again(asked, shows_passages, where)
    return prompt


def sha256_of(data: Mapping[str, Any]) -> str:
    """sha256 (hex) of what decides the text that is sent, and what the answer is."""
    decisive = (
        "examples", "second", "check", "form", "options", "times", "insist", "extract", "after", "abstain", "shuffle",
        "given", "by", "shows", "labels", "shots", "shot", "alike", "drawn_from",
    )  # fmt: skip
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


def check_asking_again(
    data: Mapping[str, Any], shows_passages: bool, where: str, places: Places = OF_WIKICONTRADICT
) -> None:
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
            f"{where} has the form {form}, and shows no passage of which the answer can be a part. Write "
            f"{' or '.join(f'{{{name}}}' for name in places.passages)} where one belongs.",
            "template",
        )
    elif isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= MOST_TIMES:
        raise PromptError(
            f"{where} has the form {form}. Set times, how often it is asked for, to a number from 1 to {MOST_TIMES}.",
            "times",
        )


def check_places(
    text: str,
    where: str,
    places: Places = OF_WIKICONTRADICT,
    field: str = "template",
    more: str = "",
) -> None:
    """Raise PromptError for what looks like a place of the text and is none; `more` is a further place."""
    if problem := places.problem(text, *filter(None, [more])):
        raise PromptError(f"{where} {problem}", field)


def folded(text: str) -> str:
    """The text with single blanks, and in one of the ways in which Unicode writes a letter (NFC)."""
    return " ".join(unicodedata.normalize("NFC", text).split())
