"""The fields of the data lines, declared once: data, schemas, Croissant and the card are made from them. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from datasets.contexts import (
    context_1,
    context_2,
    is_same,
    merged_context,
    question_kind,
    reasoning,
)
from datasets.releasing.bundle.asked import Asked, PromptLine
from protocols.declaration import Declaration, DeclaredField, FieldType


class Type(StrEnum):
    """What a field holds, as JSON Schema calls it; `texts` are a list of texts, `data` anything nested."""

    TEXT = "string"
    NUMBER = "integer"
    FLAG = "boolean"
    TEXTS = "texts"
    DATA = "data"


@dataclass(frozen=True)
class Field:
    """A key of each line. `value` gives it, of an Asked or a PromptLine; an exporter writes records.

    By the values of an `is_kind` the card counts questions; of an `is_text` it says how long they are.
    """

    name: str
    type: Type
    about: str
    value: Callable[[Any], Any] = lambda _: None
    can_be_null: bool = False
    is_kind: bool = False
    is_text: bool = False


def _column(name: str) -> Callable[[Asked], Any]:
    return lambda asked: asked.columns[name]


def _of_question(name: str) -> Callable[[PromptLine], Any]:
    return lambda line: line.asked.columns[name]


def _kept(name: str, column: str, about: str) -> Field:
    """A text of the record, null where the record lacks its key."""
    return Field(name, Type.TEXT, about, _column(column), can_be_null=True)


_ID = Field("id", Type.TEXT, "Identity of the record: sha256 in hex.", _column("external_id"))
_VERSION = Field("version", Type.NUMBER, "Version of the record, from 1.", _column("version"))

QUESTIONS = (
    Field("question_id", Type.NUMBER, "Number of the question in this file, from 1.", lambda asked: asked.number),
    Field("record_id", Type.TEXT, "The id of its record in records.jsonl.", _column("external_id")),
    Field("record_version", Type.NUMBER, "The version of that record, from 1.", _column("version")),
    Field("n", Type.NUMBER, "Number of the question in its record, from 1.", lambda asked: asked.slot.n),
    Field("question", Type.TEXT, "The question.", lambda asked: asked.slot.question, is_text=True),
    Field("kind", Type.TEXT, "yes/no or wh.", lambda asked: question_kind(asked.slot.question or "").value,
          is_kind=True),
    Field("context_1", Type.TEXT, "Passage 1: stand-alone where there is one, else as copied.",
          lambda asked: context_1(asked.passages), is_text=True),
    Field("context_2", Type.TEXT, "Passage 2: stand-alone where there is one, else as copied.",
          lambda asked: context_2(asked.passages), is_text=True),
    Field("merged_context", Type.TEXT, "Both contexts with a line feed between them; one where they are the same.",
          lambda asked: merged_context(asked.passages)),
    Field("same_passage", Type.FLAG, "Whether both answers come from one passage, by the annotator.",
          lambda asked: is_same(asked.passages), is_kind=True),
    Field("answer_1", Type.TEXT, "The gold answer from passage 1.", lambda asked: asked.slot.answer_1, True,
          is_text=True),
    Field("answer_2", Type.TEXT, "The gold answer from passage 2.", lambda asked: asked.slot.answer_2, True,
          is_text=True),
    Field("derived_1", Type.FLAG, "Whether answer 1 was inferred and is not written in the passage.",
          lambda asked: asked.slot.derived_1),
    Field("derived_2", Type.FLAG, "Whether answer 2 was inferred and is not written in the passage.",
          lambda asked: asked.slot.derived_2),
    Field("reasoning", Type.TEXT, "How the contradiction shows: explicit, implicit or untyped.",
          lambda asked: reasoning(asked.columns["type_4"]).value, is_kind=True),
    *(_kept(f"type_{n}", f"type_{n}", f"The option in dimension {n} of the taxonomy.") for n in range(1, 5)),
    _kept("confidence", "confidence", "How sure the annotator was: 1 to 5, as a text."),
    _kept("article_1", "article_1", "The article of passage 1."),
    _kept("article_2", "article_2", "The article of passage 2."),
    Field("title", Type.TEXT, "The article with the tag.", _column("title")),
    Field("url", Type.TEXT, "Address of that article.", _column("url")),
    Field("oldid", Type.NUMBER, "The tagged revision on the wiki; null where it is not known.", _column("oldid"), True),
    Field("tag_date", Type.TEXT, "The date in the tag, as written.", _column("tag_date")),
)  # fmt: skip

RECORDS = (
    _ID,
    _VERSION,
    Field("record", Type.DATA, "The record in the format in which WikiContradict was published."),
    Field("oldid", Type.NUMBER, "The tagged revision on the wiki.", can_be_null=True),
    Field("modality_1", Type.TEXT, "What passage 1 comes from: text, table, infobox, list, other."),
    Field("modality_2", Type.TEXT, "What passage 2 comes from."),
    Field("span_1_ranges", Type.DATA, "The contradicted spans of passage 1, as [start, end]."),
    Field("span_2_ranges", Type.DATA, "The contradicted spans of passage 2, as [start, end]."),
    Field("filled", Type.TEXTS, "Columns that the program filled in and the annotator left."),
    Field("provenance", Type.DATA, "For passage 1 and 2, the pieces it was copied from."),
    Field("left_out", Type.DATA, "Numbers of its questions that are not in the record: excluded, or not drawn."),
    Field("derived", Type.DATA, "Inferred answers, as [question, answer]."),
    Field("same_tag", Type.TEXTS, "The ids of other records found in the same tag."),
)  # fmt: skip


_PROMPT_ID = Field("id", Type.TEXT, "Identity of the line: record_id, number of the question, prompt.",
                   lambda line: line.key)  # fmt: skip
_PROMPT = (
    Field("record_id", Type.TEXT, "The id of its record in records.jsonl.", _of_question("external_id")),
    Field("record_version", Type.NUMBER, "The version of that record, from 1.", _of_question("version")),
    Field("prompt", Type.TEXT, "Name of the prompt.", lambda line: line.prompt.name),
    Field("prompt_sha256", Type.TEXT, "sha256 of what decides the prompt's text, in hex.",
          lambda line: line.prompt.sha256),
    Field("text", Type.TEXT, "The text as it is sent.", lambda line: line.sent.text),
)  # fmt: skip
PROMPTS = (
    _PROMPT_ID,
    *_PROMPT,
    Field("gold", Type.TEXTS, "The gold answers for this prompt.", lambda line: list(line.sent.gold)),
    Field("n", Type.NUMBER, "Number of the question in its record, from 1.", lambda line: line.asked.slot.n),
    Field("question", Type.TEXT, "The question.", lambda line: line.asked.slot.question),
    Field("kind", Type.TEXT, "yes/no or wh.", lambda line: question_kind(line.asked.slot.question or "").value),
)  # fmt: skip
# The records of other protocols have no gold answers.
DECLARED_PROMPTS = (
    _PROMPT_ID,
    *_PROMPT,
    Field("second", Type.TEXTS, "What is sent after the reply: the pieces between which the reply stands.",
          lambda line: line.sent.second, True),
    Field("is_check", Type.FLAG, "Whether the second text asks if the reply holds; the reply stays the answer.",
          lambda line: line.prompt.is_check),
    Field("answer", Type.TEXT, "What the answer is: a text, the scores of the options, a span of a passage, an option.",
          lambda line: line.prompt.answer),
    Field("options", Type.TEXTS, "The options, if there are any.", lambda line: list(line.prompt.options)),
)  # fmt: skip


@dataclass(frozen=True)
class LineFile:
    """A file of lines. Its configuration in the card, its record set and its schema have its name."""

    name: str
    holds: str
    fields: tuple[Field, ...]

    @property
    def path(self) -> str:
        return f"data/{self.name}.jsonl"

    def line(self, made: Asked | PromptLine) -> dict[str, Any]:
        return {field.name: field.value(made) for field in self.fields}


@dataclass(frozen=True)
class Lines:
    """The files of lines; `prompts` is None where no prompt can be in it. `added` are keys that stand in every line."""

    records: LineFile
    questions: LineFile
    prompts: LineFile | None
    added: Mapping[str, str]

    @property
    def files(self) -> list[LineFile]:
        return [file for file in (self.questions, self.records, self.prompts) if file]


def fields_of(declaration: Declaration | None, canary: str, has_prompts: bool = True) -> Lines:
    """Of WikiContradict, where no protocol is given; else of the protocol: its own fields, its canary and licence."""
    if declaration is None:
        return _lines(RECORDS, QUESTIONS, PROMPTS if has_prompts else (), {})
    taken = set(declaration.fields)
    whole = {"canary": canary, "licence": declaration.licence}
    about = {
        "canary": "The text that marks records of this source.",
        "licence": "Licence of the records, as their protocol says.",
    }
    added = {name: text for name, text in whole.items() if text}
    own = [_renamed(field, taken) for field in (_ID, _VERSION)]
    marks = [Field(name, Type.TEXT, about[name], _always(text)) for name, text in added.items()]
    record = Field("record", Type.DATA, f"The record as the protocol {declaration} declares it.")
    declared = map(_declared, declaration.fields.values())
    return _lines(
        (_ID, _VERSION, record, *marks),
        (*own, *declared, *(_renamed(field, taken) for field in marks)),
        (*DECLARED_PROMPTS, *marks) if has_prompts else (),
        added,
    )


def _lines(
    records: tuple[Field, ...],
    questions: tuple[Field, ...],
    prompts: tuple[Field, ...],
    added: Mapping[str, str],
) -> Lines:
    return Lines(
        LineFile("records", "The complete form of each record, a line each.", records),
        LineFile("questions", "A line for each question, flat and typed.", questions),
        LineFile("prompts", "A line for each question and prompt, as it is sent.", prompts)
        if prompts
        else None,
        added,
    )


def _always(text: str) -> Callable[[object], str]:
    return lambda _: text


def _declared(field: DeclaredField) -> Field:
    type_ = Type.TEXTS if field.type == FieldType.LIST else Type.TEXT
    return Field(
        field.name,
        type_,
        field.title,
        lambda asked: asked.columns["fields"].get(field.name),
        can_be_null=field.optional,
        is_kind=field.slice,
        is_text=field.is_text and not field.slice,
    )


def _renamed(field: Field, taken: set[str]) -> Field:
    """The field under a name that the protocol has not declared."""
    name = field.name
    while name in taken:
        name = f"_{name}"
    return replace(field, name=name)
