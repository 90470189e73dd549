"""What a complete form says of a record besides the published one, and what is wrong with it. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from datasets.importers.complete_form import MODALITIES, PASSAGES, PIECE
from datasets.schema import MOST_KEYS, Key, Parsed, Problem, kind_of, text_problems, too_many

_ID = re.compile(r"[0-9a-f]{64}\Z")
_MOST = 2**63 - 1  # of a number of a wiki
_MAY_BE_NULL = ("start", "end")
_MAY_LACK = ("date",)
Checked = Iterator[Problem]


class Extra(NamedTuple):
    """A key of a line. `missing`: the value where the line lacks it. `of_record`: what does not fit the record."""

    name: str
    problems: Callable[[str, Any], Checked]
    missing: Any
    is_column: bool = True
    of_record: Callable[[Mapping[str, Any], Parsed], Checked] = lambda entry, parsed: iter(())


def id_problems(name: str, value: object) -> Checked:
    if not (isinstance(value, str) and _ID.match(value)):
        yield Problem(name, "is no id of 64 hexadecimal digits in lower case")


def number_problems(name: str, value: object, least: int = 0, most: int = _MOST) -> Checked:
    if not isinstance(value, int) or isinstance(value, bool):
        # kind_of calls 1.5 a number.
        yield Problem(
            name, f"is {value if isinstance(value, float) else kind_of(value)}, not a whole number"
        )
    elif not least <= value <= most:
        yield Problem(name, f"is {value}, not from {least} to {most}")


def _oldid(name: str, value: object) -> Checked:
    if value is not None:
        yield from number_problems(name, value, 1)


def _modality(name: str, value: object) -> Checked:
    yield from text_problems(name, value)
    if isinstance(value, str) and value and value not in MODALITIES:
        yield Problem(name, f'is "{value[:40]}", none of {", ".join(MODALITIES)}')


def _listed(name: str, value: object, check: Callable[[str, Any], Checked]) -> Checked:
    """Problems of a list with `check` of each entry, whose place is added to the name, from 1."""
    if not isinstance(value, list):
        yield Problem(name, f"is {kind_of(value)}, not a list")
    elif len(value) > MOST_KEYS:
        yield too_many(name, value)
    else:
        for place, entry in enumerate(value, 1):
            yield from check(f"{name}.{place}", entry)


def _ranges(name: str, value: object) -> Checked:
    yield from _listed(name, value, _range)


def _range(name: str, value: object) -> Checked:
    if not isinstance(value, list) or len(value) != 2:
        yield Problem(name, "is not [start, end]")
        return
    problems = [problem for at in value for problem in number_problems(name, at)]
    yield from problems
    if not problems and value[0] > value[1]:
        yield Problem(name, "ends before it starts")


def _texts(name: str, value: object) -> Checked:
    yield from _listed(name, value, lambda place, text: iter(text_problems(place, text)))


def _provenance(name: str, value: object) -> Checked:
    if not isinstance(value, dict):
        yield Problem(name, f"is {kind_of(value)}, not an object")
        return
    for passage, pieces in value.items():
        if passage in PASSAGES:
            yield from _listed(f"{name}.{passage}", pieces, _piece)
        else:
            yield Problem(f"{name}.{passage}", "is no passage: there are 1 and 2")


def _piece(name: str, value: object) -> Checked:
    if not isinstance(value, dict):
        yield Problem(name, f"is {kind_of(value)}, not an object")
        return
    for key in value:
        if key not in PIECE:
            yield Problem(f"{name}.{key}", "is no key of a piece of the provenance")
    for key in PIECE:
        if key in value:
            yield from _of_piece(f"{name}.{key}", key, value[key])
        elif key not in _MAY_LACK:
            yield Problem(f"{name}.{key}", "is missing")


def _of_piece(name: str, key: str, value: object) -> Checked:
    if key == "revid" or (key in _MAY_BE_NULL and value is not None):
        yield from number_problems(name, value)
    elif key == "wikitext" and value is not None:
        yield from _range(name, value)
    elif key == "date" and value is not None:
        yield from text_problems(name, value, Key("", "", longest=10))
    elif key not in (*_MAY_BE_NULL, "wikitext", "date"):
        yield from text_problems(name, value)


def _numbers(name: str, value: object) -> Checked:
    yield from _listed(name, value, lambda place, n: number_problems(place, n, 1, 99))


def _derived(name: str, value: object) -> Checked:
    yield from _listed(name, value, _answer)


def _answer(name: str, value: object) -> Checked:
    if not isinstance(value, list) or len(value) != 2:
        yield Problem(name, "is not [question, answer]")
        return
    yield from number_problems(name, value[0], 1, 99)
    yield from number_problems(name, value[1], 1, 2)


def _same_tag(name: str, value: object) -> Checked:
    yield from _listed(name, value, id_problems)


def _derived_of(entry: Mapping[str, Any], parsed: Parsed) -> Checked:
    asked = {slot.n for slot in parsed.slots}
    for n, _ in entry.get("derived", []):
        if n not in asked:
            yield Problem("derived", f"is of question {n}, which the record does not have")


def _left_out_of(entry: Mapping[str, Any], parsed: Parsed) -> Checked:
    for n in sorted({slot.n for slot in parsed.slots} & set(entry.get("left_out", []))):
        yield Problem("left_out", f"names question {n}, which the record has")


EXTRA = (
    Extra("oldid", _oldid, None),
    Extra("modality_1", _modality, ""),
    Extra("modality_2", _modality, ""),
    Extra("span_1_ranges", _ranges, []),
    Extra("span_2_ranges", _ranges, []),
    Extra("filled", _texts, []),
    Extra("provenance", _provenance, {}),
    Extra("left_out", _numbers, [], of_record=_left_out_of),
    Extra("derived", _derived, [], is_column=False, of_record=_derived_of),
    Extra("same_tag", _same_tag, [], is_column=False),
)
