"""The file format of the published human evaluation of WikiContradict; its keys are spelled nowhere else. Pure.

The file is one object: each model's name with its rows. A row is a question with the model's answers to the
prompts 1 to 5 and one adjudicated verdict on each (Hou et al. 2024, section 4.1). The file counts prompts from
0. A text that is null is empty, and a number such as 3.0 is 3 (`plain`). Nothing is stripped:
`build(rows_in(data)) == plain(data)` for every file that `rows_in` takes.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from datasets.readers.json_text import SHOWN, Unreadable, refuse, unreadable
from datasets.schema import DIFFERENT, SAME, Key, Problem, kind_of, text_problems

PROMPTS = ("1", "2", "3", "4", "5")  # labels, in the file's order
VERDICTS = {
    "Correct": "correct",
    "Partially correct": "partially correct",
    "Incorrect": "incorrect",
}
GOLD_BETWEEN = " | "
MOST_OF_A_ROW = 1_000
STOPPED = f"After {SHOWN} rows with problems the others were not looked at. The last was"
MAX_NUMBER = 2**31 - 1
MAX_NAME = 200

MODEL_NAME = "modelName"
NAME_ENDING = "_annotated"
NUMBER = "question_ID"
QUESTION_KEYS = (
    Key("title", "title", longest=300),
    Key("url", "url", is_address=True),
    Key("question1", "question"),
    Key("question1_context1", "context_1"),
    Key("question1_context2", "context_2"),
    Key("question1_answer1", "answer_1"),
    Key("question1_answer2", "answer_2"),
    Key("samepassage", "same_passage", values=(SAME, DIFFERENT)),
    Key("taxonomy-contradictTypeI", "type_1"),
    Key("taxonomy-contradictTypeII", "type_2"),
    Key("taxonomy-contradictTypeIII", "type_3"),
    Key("taxonomy-contradictTypeIV", "type_4"),
)
# Columns that a report depends on: all rows of a question must agree on them.
DECISIVE = ("question", "same_passage", "type_4")


@dataclass(frozen=True)
class PublishedQuestion:
    """A question as one row gives it. `number` is valid in this file only."""

    number: int
    title: str
    url: str
    question: str
    context_1: str
    context_2: str
    answer_1: str
    answer_2: str
    same_passage: str
    type_1: str
    type_2: str
    type_3: str
    type_4: str


@dataclass(frozen=True)
class PublishedAnswer:
    """A model's answer to one prompt. `label` is the file's verdict, None where it lacks the key."""

    prompt: str
    sent: str
    text: str
    gold: str
    label: str | None

    @property
    def verdict(self) -> str | None:
        """The verdict as stored; None where the answer has no label."""
        return VERDICTS[self.label] if self.label else None


@dataclass(frozen=True)
class PublishedRow:
    """One model's answers to one question, by prompt in the file's order.

    `kept` overrides single keys of the record; None takes a key out.
    """

    model: str
    question: PublishedQuestion
    answers: tuple[PublishedAnswer, ...]
    kept: Mapping[str, str | None] = field(default_factory=dict)

    def differences(self, other: "PublishedRow") -> dict[str, str | None]:
        """The `kept` with which `other` gives this row's record."""
        mine, theirs = record(self), record(other)
        return {
            key: mine.get(key) for key in {**mine, **theirs} if mine.get(key) != theirs.get(key)
        }


def build(rows: Iterable[PublishedRow]) -> dict[str, list[dict[str, Any]]]:
    """The file's data."""
    data: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        data.setdefault(row.model, []).append(record(row))
    return data


def record(row: PublishedRow) -> dict[str, Any]:
    """One record of the file."""
    fields: dict[str, Any] = {
        MODEL_NAME: row.model + NAME_ENDING,
        NUMBER: row.question.number,
        **{key.key: getattr(row.question, key.column) for key in QUESTION_KEYS},
    }
    for answer in row.answers:
        keys = _answer_keys(PROMPTS.index(answer.prompt))
        fields |= {key.key: getattr(answer, part) for part, key in keys.items()}
    return {key: text for key, text in (fields | dict(row.kept)).items() if text is not None}


def plain(data: Any) -> Any:
    """Decoded JSON as it is read: "" for each null in a row, and whole numbers as integers."""
    if not isinstance(data, dict):
        return data
    return {
        model: [*map(_plain_record, records)] if isinstance(records, list) else records
        for model, records in data.items()
    }


def _plain_record(record: object) -> object:
    if not isinstance(record, dict):
        return record
    return {
        key: _whole(value) if key == NUMBER else "" if value is None else value
        for key, value in record.items()
    }


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def rows_in(data: object, *, allow_missing: bool = False) -> list[PublishedRow]:
    """The rows of decoded JSON in their order. Raises Unreadable with every problem, by model and row.

    `allow_missing` takes a file in which a model lacks questions that others have.
    """
    data = plain(data)
    if not isinstance(data, dict):
        raise Unreadable(
            f"The file contains {kind_of(data)}, not an object of models and their rows."
        )
    if not data:
        raise Unreadable("The file is an object without a model.")
    problems = list(_name_problems(data))
    rows: list[PublishedRow] = []
    refused = 0
    for model, records in data.items():
        if not isinstance(records, list) or not records:
            kind = "an empty list" if records == [] else kind_of(records)
            problems.append(f"model {model[:60]!r}: has {kind}, not a list of rows")
            continue
        for place, record in enumerate(records, 1):
            faults = list(map(str, islice(_row_problems(model, record), MOST_OF_A_ROW)))
            problems += [f"{_where(model, place, record)}: {problem}" for problem in faults]
            rows += [] if faults else [_row(model, record)]
            refused += bool(faults)
            if refused == SHOWN:
                raise unreadable(problems, f"{STOPPED} {_where(model, place, record)}.")
    refuse(problems)
    refuse([*_doubled(rows), *_clashes(rows), *([] if allow_missing else missing(rows))])
    return rows


def missing(rows: Iterable[PublishedRow]) -> list[str]:
    """A sentence for each question that a model lacks though another has it."""
    numbers_of: dict[str, set[int]] = {}
    for row in rows:
        numbers_of.setdefault(row.model, set()).add(row.question.number)
    every = set().union(*numbers_of.values())
    return [
        f"model {model!r}: has no row for {NUMBER} {number}, which other models have"
        for model, numbers in numbers_of.items()
        for number in sorted(every - numbers)
    ]


def _where(model: str, place: int, record: object) -> str:
    number = record.get(NUMBER) if isinstance(record, dict) else None
    named = f" ({NUMBER} {number})" if isinstance(number, int) else ""
    return f"model {model[:60]!r}, row {place}{named}"


def _name_problems(data: Mapping[str, object]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for model in data:
        yield from (f"model {problem}" for problem in text_problems(model, model))
        if not model.strip() or len(model) > MAX_NAME:
            yield f"model {model[:60]!r}: a model's name has 1 to {MAX_NAME} characters"
        earlier = seen.setdefault(" ".join(model.casefold().split()), model)
        if earlier != model:
            yield f"models {earlier[:60]!r} and {model[:60]!r} have the same name; rename one of them"


def _row_problems(model: str, record: object) -> Iterator[Problem]:
    if not isinstance(record, dict):
        yield Problem("", f"is {kind_of(record)}, not an object with keys")
        return
    known = {key.key: key for key in QUESTION_KEYS} | {MODEL_NAME: Key(MODEL_NAME, "model")}
    optional = set()
    for place in range(len(PROMPTS)):
        keys = _answer_keys(place)
        known |= {key.key: key for key in keys.values()}
        optional.add(keys["label"].key)
    for name in [*known, NUMBER]:
        if name not in record and name not in optional:
            yield Problem(name, "is missing")
    for name, value in record.items():
        if name == NUMBER:
            yield from _number_problems(value)
        elif name not in known:
            yield Problem(name, "is not a key of this format")
        elif not (name in optional and value == ""):
            yield from text_problems(name, value, known[name])
    if isinstance(record.get(MODEL_NAME), str) and record[MODEL_NAME] != model + NAME_ENDING:
        yield Problem(MODEL_NAME, f"is {record[MODEL_NAME][:60]!r}, not {model + NAME_ENDING!r}")
    if isinstance(record.get("question1"), str) and not record["question1"].strip():
        yield Problem("question1", "is empty")


def _number_problems(value: object) -> Iterator[Problem]:
    if not isinstance(value, int) or isinstance(value, bool):
        yield Problem(NUMBER, f"is {kind_of(value)}, not a whole number")
    elif not 1 <= value <= MAX_NUMBER:
        yield Problem(NUMBER, f"is not between 1 and {MAX_NUMBER}")


def _doubled(rows: Iterable[PublishedRow]) -> Iterator[str]:
    """Questions that occur twice: in a model's rows, or under two numbers."""
    seen: set[tuple[str, int]] = set()
    numbers: dict[int, PublishedQuestion] = {}
    for row in rows:
        number = row.question.number
        if (row.model, number) in seen:
            yield f"model {row.model!r}: has two rows for {NUMBER} {number}"
        seen.add((row.model, number))
        numbers.setdefault(number, row.question)
    first: dict[PublishedQuestion, int] = {}
    for number, question in numbers.items():
        earlier = first.setdefault(replace(question, number=0), number)
        if earlier != number:
            yield f"{NUMBER} {earlier} and {number} are the same question; give it one number"


def _clashes(rows: Iterable[PublishedRow]) -> Iterator[str]:
    first: dict[int, PublishedRow] = {}
    for row in rows:
        known = first.setdefault(row.question.number, row)
        for key in QUESTION_KEYS:
            if key.column not in DECISIVE:
                continue
            here, there = (getattr(row.question, key.column) for row in (row, known))
            if here.split() != there.split():
                yield (
                    f"{NUMBER} {row.question.number}: {key.key!r} is {here[:60]!r} for model {row.model!r} "
                    f"and {there[:60]!r} for {known.model!r}; tables are sliced by it, so make them equal"
                )


def _row(model: str, record: Mapping[str, Any]) -> PublishedRow:
    texts = {key.column: record[key.key] for key in QUESTION_KEYS}
    return PublishedRow(
        model,
        PublishedQuestion(number=record[NUMBER], **texts),
        tuple(
            PublishedAnswer(label, **_answer_texts(record, place))
            for place, label in enumerate(PROMPTS)
        ),
    )


def _answer_texts(record: Mapping[str, Any], place: int) -> dict[str, Any]:
    return {part: record.get(key.key) for part, key in _answer_keys(place).items()}


def _answer_keys(place: int) -> dict[str, Key]:
    """The keys of the answer to the prompt at this place (from 0), by field of Answer."""
    return {
        "sent": Key(f"ModelInput_prompt_{place}", "sent"),
        "text": Key(f"ModelAnswer_prompt_{place}", "text"),
        "gold": Key(f"goldAnswer_prompt_{place}", "gold"),
        "label": Key(f"ModelAnswer_prompt_{place}_humanEval", "label", values=tuple(VERDICTS)),
    }
