"""The published record of WikiContradict, and the only place where its keys are spelled. Pure.

A record is one tag with its annotation (WikiContradict, Appendix E, as released). `parse` turns it into our
columns, `build` turns columns back: `build(parse(record)) == record` for every record that `parse` takes.
Nothing is stripped on either way. None in a column means that the record lacks the key; "" that it is empty.
"""

import re
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, field
from typing import Any, NamedTuple

VALID = "Valid"
INVALID = "Invalid"
SAME = "Same"
DIFFERENT = "Different"
ANNOTATION = "annotationResult"
TAXONOMY = "taxonomy"
QUESTION = re.compile(r"question([1-9][0-9]?)(?:_answer([12]))?")

Columns = dict[str, Any]


class Key(NamedTuple):
    """A key of the record and its column.

    `valid_needs`: required in a valid tag. `values`: the allowed values. `longest`: in characters.
    `is_address`: of a web page, which others make a link of.
    """

    key: str
    column: str
    valid_needs: bool = False
    values: tuple[str, ...] = ()
    longest: int | None = None
    is_address: bool = False


RECORD_KEYS = (
    Key("title", "title", longest=300),
    Key("url", "url", is_address=True),
    Key("paragraph_A", "paragraph"),
    Key("paragraph_A_clean", "paragraph_clean"),
    Key("tag", "tag"),
    Key("tagDate", "tag_date"),
    Key("tagReason", "tag_reason"),
)
ANNOTATION_KEYS = (
    Key("wikitag_label_valid", "validity", values=(VALID, INVALID)),
    Key("valid_comment", "valid_comment"),
    Key("paragraphA_article", "article_1", valid_needs=True),
    Key("paragraphA_information", "passage_1_copied", valid_needs=True),
    Key("paragraphA_information_standalone", "passage_1_standalone"),
    Key("paragraphB_article", "article_2", valid_needs=True),
    Key("paragraphB_information", "passage_2_copied", valid_needs=True),
    Key("paragraphB_information_standalone", "passage_2_standalone"),
    Key("wikitag_label_samepassage", "same_passage", values=(SAME, DIFFERENT)),
    Key("relevantInfo_comment_A", "statement_1"),
    Key("relevantInfo_comment_A_Span", "span_1"),
    Key("relevantInfo_comment_B", "statement_2"),
    Key("relevantInfo_comment_B_Span", "span_2"),
    Key("Contradict type I", "type_1"),
    Key("Contradict type II", "type_2"),
    Key("Contradict type III", "type_3"),
    Key("Contradict type IV", "type_4"),
    Key("contradict_comment", "contradict_comment"),
    Key("qa_comment", "qa_comment"),
    Key("confidence", "confidence"),
)
COLUMNS = (*(key.column for key in (*RECORD_KEYS, *ANNOTATION_KEYS)), "taxonomy")
VALIDITY_KEY = ANNOTATION_KEYS[0].key
TYPE_COLUMNS = {key.key: key.column for key in ANNOTATION_KEYS if key.column.startswith("type_")}


# A file with more is of another kind; without a bound one record could have millions of problems.
MOST_KEYS = 1_000


@dataclass(frozen=True)
class Slot:
    """One question of a record, numbered from 1; None if the record lacks the key."""

    n: int
    question: str | None
    answer_1: str | None
    answer_2: str | None
    # Whether the answer was inferred and is in no passage; the published record has no key for it.
    derived_1: bool = False
    derived_2: bool = False

    @property
    def is_question(self) -> bool:
        """A question counts only if it has text: the form leaves placeholder answers without a question."""
        return bool(self.question and self.question.strip())


@dataclass(frozen=True)
class Parsed:
    """A record as columns: `slots` with a question, `unused` without one (kept for the export).

    fields: the whole record where a protocol declares it.
    extra, identity: what a complete form says of it besides, by column, and its id.
    """

    record: Mapping[str, Any]
    columns: Columns
    slots: tuple[Slot, ...]
    unused: tuple[Slot, ...]
    fields: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    identity: str = ""


@dataclass(frozen=True)
class Problem:
    """Why a record is refused: the key and a message."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key[:60]!r} {self.message}" if self.key else self.message


class RecordRefused(ValueError):
    """A record that cannot be read; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def parse(record: object) -> Parsed:
    """A decoded JSON record as columns. Raises RecordRefused with all problems."""
    if not isinstance(record, dict):
        raise RecordRefused([Problem("", f"is {kind_of(record)}, not an object with keys")])
    if problems := _record_problems(record):
        raise RecordRefused(problems)
    annotation = record[ANNOTATION]
    columns: Columns = {key.column: record[key.key] for key in RECORD_KEYS}
    columns |= {key.column: annotation.get(key.key) for key in ANNOTATION_KEYS}
    columns["taxonomy"] = annotation.get(TAXONOMY)
    slots = _slots(annotation)
    return Parsed(
        record,
        columns,
        tuple(slot for slot in slots if slot.is_question),
        tuple(slot for slot in slots if not slot.is_question),
    )


def build(columns: Mapping[str, Any], slots: Iterable[Slot]) -> dict[str, Any]:
    """The record of these columns; `slots` are all of them, the unused ones included."""
    record: dict[str, Any] = {key.key: columns[key.column] for key in RECORD_KEYS}
    annotation = {
        key.key: columns[key.column] for key in ANNOTATION_KEYS if columns[key.column] is not None
    }
    if columns["taxonomy"] is not None:
        annotation[TAXONOMY] = columns["taxonomy"]
    for slot in sorted(slots, key=lambda slot: slot.n):
        name = f"question{slot.n}"
        texts = {
            name: slot.question,
            f"{name}_answer1": slot.answer_1,
            f"{name}_answer2": slot.answer_2,
        }
        annotation |= {key: text for key, text in texts.items() if text is not None}
    record[ANNOTATION] = annotation
    return record


def types_of(taxonomy: Iterable[list[str]]) -> dict[str, str]:
    """The single type columns of a taxonomy list: the last option of each dimension, as released."""
    return {
        TYPE_COLUMNS[pair[0]]: pair[1]
        for pair in taxonomy
        if len(pair) == 2 and pair[0] in TYPE_COLUMNS
    }


def kind_of(value: object) -> str:
    """The JSON name of a decoded value's type, with its article."""
    if value is None:
        return "null"
    names = {bool: "true or false", str: "text", dict: "an object", list: "a list"}
    return names.get(type(value), "a number")


def _slots(annotation: Mapping[str, Any]) -> list[Slot]:
    others = annotation.keys() - _OF_ANNOTATION.keys()
    numbers = {int(match[1]) for key in others if (match := QUESTION.fullmatch(key))}
    return [
        Slot(
            n,
            annotation.get(f"question{n}"),
            annotation.get(f"question{n}_answer1"),
            annotation.get(f"question{n}_answer2"),
        )
        for n in sorted(numbers)
    ]


_OF_RECORD = {key.key: key for key in RECORD_KEYS}
_OF_ANNOTATION = {key.key: key for key in ANNOTATION_KEYS}


def _record_problems(record: Mapping[str, Any]) -> list[Problem]:
    if len(record) > MOST_KEYS:
        return [too_many("", record)]
    problems = [Problem(key, "is missing") for key in _OF_RECORD if key not in record]
    for name, value in record.items():
        if name in _OF_RECORD:
            problems += text_problems(name, value, _OF_RECORD[name])
        elif name != ANNOTATION:
            problems.append(Problem(name, "is not a key of this format"))
    annotation = record.get(ANNOTATION)
    if ANNOTATION not in record:
        return [*problems, Problem(ANNOTATION, "is missing")]
    if not isinstance(annotation, dict):
        return [*problems, Problem(ANNOTATION, f"is {kind_of(annotation)}, not an object")]
    if len(annotation) > MOST_KEYS:
        return [*problems, too_many(ANNOTATION, annotation)]
    return problems + _annotation_problems(annotation)


def _annotation_problems(annotation: Mapping[str, Any]) -> list[Problem]:
    problems: list[Problem] = []
    for name, value in annotation.items():
        if name == TAXONOMY:
            problems += _taxonomy_problems(value)
        elif name in _OF_ANNOTATION or QUESTION.fullmatch(name):
            problems += text_problems(name, value, _OF_ANNOTATION.get(name))
        else:
            problems.append(Problem(name, f"is not a key of {ANNOTATION}"))
    if VALIDITY_KEY not in annotation:
        problems.append(Problem(VALIDITY_KEY, "is missing"))
    return problems if problems else _missing(annotation)


def _missing(annotation: Mapping[str, Any]) -> list[Problem]:
    problems = []
    if annotation[VALIDITY_KEY] == VALID:
        wanted = [key.key for key in ANNOTATION_KEYS if key.valid_needs]
        problems = [
            Problem(key, "is missing from a valid tag") for key in wanted if key not in annotation
        ]
    for slot in _slots(annotation):
        if slot.is_question and slot.answer_1 is None:
            problems.append(
                Problem(
                    f"question{slot.n}_answer1", f"is missing although question{slot.n} is there"
                )
            )
        if slot.is_question and slot.answer_2 is None:
            problems.append(
                Problem(
                    f"question{slot.n}_answer2", f"is missing although question{slot.n} is there"
                )
            )
    return problems


def _taxonomy_problems(value: object) -> list[Problem]:
    if not isinstance(value, list):
        return [Problem(TAXONOMY, f"is {kind_of(value)}, not a list")]
    if len(value) > MOST_KEYS:
        return [too_many(TAXONOMY, value)]
    problems: list[Problem] = []
    for place, entry in enumerate(value, 1):
        if not isinstance(entry, list) or not 1 <= len(entry) <= 2:
            problems.append(
                Problem(TAXONOMY, f"entry {place} is not [dimension] or [dimension, option]")
            )
            continue
        for text in entry:
            problems += text_problems(TAXONOMY, text)
    return problems


# A host with a port is no scheme. A scheme has no dot, or javascript:1 would pass as a host.
_HOST = r"(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):\d"
_OTHER_SCHEME = re.compile(rf"(?!https?:|{_HOST})[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_INVISIBLE = re.compile(r"[\x00-\x20]")  # browsers leave them out


def too_many(name: str, value: Sized) -> Problem:
    return Problem(name, f"has {len(value)} entries, more than the {MOST_KEYS} of any record")


def text_problems(name: str, value: object, key: Key | None = None) -> list[Problem]:
    """Why `name` cannot have this value: not text, not storable, or not allowed by `key`."""
    if not isinstance(value, str):
        return [Problem(name, f"is {kind_of(value)}, not text")]
    if "\0" in value:
        return [Problem(name, "holds a NUL character, which no database keeps; remove it")]
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return [Problem(name, "holds half of a surrogate pair, which is no character; remove it")]
    if key and key.values and value not in key.values:
        return [Problem(name, f'is "{value[:40]}", not {" or ".join(key.values)}')]
    if key and key.is_address and (scheme := _OTHER_SCHEME.match(_INVISIBLE.sub("", value))):
        begins = f'begins with "{scheme[0][:40]}"'
        return [Problem(name, f"{begins}; write an address that begins with https://")]
    if key and key.longest and len(value) > key.longest:
        return [Problem(name, f"has {len(value)} characters, more than {key.longest}")]
    return []
