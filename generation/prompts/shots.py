"""Examples before the question: what a protocol declares of them, and which of them a record draws. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from datasets.drawing import lot
from generation.prompts import authoring
from generation.prompts.places import SHOTS, filled, places_of
from generation.prompts.prompting import Prompt, PromptError, folded
from generation.prompts.rendering import Unfit, texts_of
from pages.counting import how_many
from protocols.declaration import Declaration, DeclarationProblem, Entry, FieldType
from protocols.entry_keys import NAMED, Key, entry_problems, value_problem

MOST = 4
LONGEST_TEXT = authoring.LONGEST["template"]
EXAMPLE_KEYS = {
    **NAMED,
    "fields": Key(
        dict,
        is_required=True,
        about="A table `[example.fields]`: what an example has in the fields of a record, as far as shots name them.",
    ),
}
PROMPT_KEYS = {
    "shots": Key(
        int,
        about=f"How many examples stand before the question, 0 to {MOST}: drawn from the run's seed for each record, "
        "never with the record's own question.",
    ),
    "shot": Key(
        str,
        longest=LONGEST_TEXT,
        about="The text of one example; its places are the example's fields. They follow each other at `{shots}`, "
        "which the text of the prompt has once.",
    ),
    "alike": Key(str, about="A slice: the examples drawn have the record's value."),
}
Problems = Iterator[DeclarationProblem]


def body_of(declaration: Declaration, entry: Entry) -> dict[str, Any]:
    """What a prompt's data has of its shots: with `drawn_from`, the examples in the fields that decide the text."""
    values = entry.values
    body = {"shots": values.get("shots", 0), "shot": values.get("shot", "")}
    needed = {*_named(declaration, entry), declaration.item.question}
    examples = declaration.entries("example") if body["shots"] else ()
    return {
        **body,
        "alike": values.get("alike", ""),
        "drawn_from": [
            {
                "name": example.name,
                "fields": {key: of for key, of in _fields(example) if key in needed},
            }
            for example in examples
        ],
    }


def _fields(example: Entry) -> list[tuple[str, Any]]:
    fields = example.values.get("fields")
    return list(fields.items()) if isinstance(fields, dict) else []


def _named(declaration: Declaration, entry: Entry) -> list[str]:
    """The fields that every example needs for this prompt."""
    shown = places_of(declaration).of_text(entry.values.get("shot", ""))
    alike = entry.values.get("alike")
    return list(
        dict.fromkeys([*(place.split(".")[0] for place in shown), *([alike] if alike else [])])
    )


# ---------------------------------------------------------------- rules


def prompt_rules(declaration: Declaration, entry: Entry) -> Problems:
    """What is wrong with the shots of a prompt, whatever examples there are."""
    shots, text = entry.values.get("shots", 0), entry.values["text"]
    times = text.count(SHOTS)
    if not 0 <= shots <= MOST:
        yield entry.problem(f"write a number from 0 to {MOST}.", "shots")
        return
    if shots and "shot" not in entry.values:
        yield entry.problem("shot is missing: write the text of one example.")
    if shots and times != 1:
        yield entry.problem(
            f"write {SHOTS} once, where the examples stand. The text has it {how_many(times, 'time')}.",
            "text",
        )
    if not shots and times:
        yield entry.problem(
            f"the prompt has no examples. Leave {SHOTS} out, or set shots to a number from 1 to {MOST}.",
            "text",
        )
    for key in ("shot", "alike"):
        if not shots and key in entry.values:
            yield entry.problem(f"{key} needs shots, a number from 1 to {MOST}.", key)
    if problem := places_of(declaration).problem(entry.values.get("shot", "")):
        yield entry.problem(f"the shot {problem}", "shot")
    alike = entry.values.get("alike")
    if alike and alike not in declaration.slices:
        yield entry.problem(f"{alike!r} is no slice.", "alike")


def example_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """What is wrong with the examples themselves."""
    return [
        problem
        for entry in declaration.entries("example")
        for problem in entry_problems(entry, EXAMPLE_KEYS) or _example_rules(declaration, entry)
    ]


def _example_rules(declaration: Declaration, entry: Entry) -> Problems:
    for name, value in _fields(entry):
        key = f"fields.{name}"
        field = declaration.fields.get(name)
        if field is None:
            there = ", ".join(declaration.fields)
            yield entry.problem(f"{name[:80]!r} is no field of a record. There are {there}.", key)
            continue
        kind: type[Any] = list if field.type == FieldType.LIST else str
        if problem := value_problem(value, Key(kind, longest=LONGEST_TEXT)):
            yield entry.problem(problem, key)
            continue
        if field.values and value not in field.values:
            yield entry.problem(f"{value[:80]!r} is none of {', '.join(field.values)}.", key)
        try:
            for text in value if kind is list else [value]:
                authoring.check_text("text", text, LONGEST_TEXT, "the example")
        except PromptError as error:
            yield entry.problem(str(error), key)


def drawing_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """What examples lack for the prompts that draw them, and prompts that draw more than there are.

    The prompts and the examples themselves have nothing wrong.
    """
    prompts = [entry for entry in declaration.entries("prompt") if entry.values.get("shots")]
    lacking = [
        problem
        for example in declaration.entries("example")
        if (problem := _lacking(declaration, example, prompts))
    ]
    return lacking or [problem for entry in prompts for problem in _too_many(declaration, entry)]


def _lacking(
    declaration: Declaration, example: Entry, prompts: list[Entry]
) -> DeclarationProblem | None:
    """The first thing that a prompt needs of the example and it has not."""
    fields = dict(_fields(example))
    for entry in prompts:
        for name in _named(declaration, entry):
            if name not in fields:
                message = f"{name} is missing: the shots of prompt {entry.name!r} need it."
                return example.problem(message, "fields")
        try:
            texts_of(declaration, fields, places_of(declaration).of_text(entry.values["shot"]))
        except Unfit as error:
            return example.problem(f"{error} (prompt {entry.name!r}).", "fields")
    return None


def _too_many(declaration: Declaration, entry: Entry) -> Problems:
    shots, alike = entry.values["shots"], entry.values.get("alike")
    examples = [dict(_fields(example)) for example in declaration.entries("example")]
    if len(examples) < shots:
        there = how_many(len(examples), "example")
        yield entry.problem(f"the file has {there}, and the prompt draws {shots}.", "shots")
    elif alike:
        there_are = Counter(fields[alike] for fields in examples)
        for value in declaration.fields[alike].values:
            if there_are[value] < shots:
                there = how_many(there_are[value], "example")
                message = f"{alike} {value!r} has {there}, and the prompt draws {shots}."
                yield entry.problem(message, "shots")


# ---------------------------------------------------------------- drawing


def drawn(
    prompt: Prompt, declaration: Declaration, record: Mapping[str, Any], key: str, seed: int
) -> tuple[list[str], str]:
    """The names of the examples that a record with this key draws, and their texts one after the other.

    They are the first ones in an order that is the same for all prompts and in every database: more shots begin with
    those of fewer. Raises Unfit where the record has too few.
    """
    if not prompt.shots:
        return [], ""
    possible = [
        example
        for example in prompt.drawn_from
        if not prompt.alike or example["fields"][prompt.alike] == record.get(prompt.alike)
        if not _is_own(declaration, example["fields"], record)
    ]
    if len(possible) < prompt.shots:
        of = f" of {prompt.alike} {record.get(prompt.alike)!r}" if prompt.alike else ""
        raise Unfit(
            f"examples{of} without its own question: {len(possible)}; the prompt draws {prompt.shots}"
        )
    possible.sort(key=lambda example: lot(seed, key, example["name"]))
    chosen = possible[: prompt.shots]
    places = places_of(declaration).of_text(prompt.shot)
    texts = [
        filled(prompt.shot, texts_of(declaration, example["fields"], places)) for example in chosen
    ]
    return [example["name"] for example in chosen], "".join(texts)


def _is_own(declaration: Declaration, fields: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether an example asks the record's question; without a question, whether all that it has is the record's."""
    asked = declaration.item.question
    names = [asked] if asked in fields else list(fields)
    return all(_comparable(fields[name]) == _comparable(record.get(name)) for name in names)


def _comparable(value: object) -> object:
    return _folded(value) if isinstance(value, str) else value


# The same examples are compared with every record.
_folded = lru_cache(maxsize=1024)(folded)
