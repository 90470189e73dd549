"""Which key of the published record a control stands for, where a form has other names than the study's. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from datasets.labelstudio.controls import CONFIDENCE, DATA, ControlKind, kind_of_control
from datasets.labelstudio.made import Result
from datasets.schema import ANNOTATION_KEYS, RECORD_KEYS, TAXONOMY, TYPE_COLUMNS
from datasets.taxonomy import DIMENSIONS
from leases.refusal import Refusal
from pages.counting import how_many

Names = Mapping[str, str]

DATUM = "data"  # the kind of what is no control, but stands in the data of the tasks
# A file may have a new name in each task, and any text as an option: so many are kept.
MOST, _LONGEST = 200, 100
_CHOICES = {key.key: frozenset(key.values) for key in ANNOTATION_KEYS if key.values}
# An option may have lost the blank at its end.
_OF_DIMENSION = {one.key: frozenset(value.strip() for value in one.values) for one in DIMENSIONS}


def kind_of_key(key: str) -> ControlKind | None:
    """The kind of control that gives this key of an annotation; None for no key. A dimension may have its own."""
    return ControlKind.CHOICES if key in TYPE_COLUMNS else kind_of_control(key)


def checked_names(names: Names) -> dict[str, str]:
    """The names, control to key. Raises Refusal for what is no key, and for two controls of one key."""
    for control, key in names.items():
        if not kind_of_key(key) and key not in DATA:
            raise Refusal(
                f"{key[:60]!r}, for the control {control[:60]!r}, is no key of the published record. Its keys are "
                f"{', '.join(ALL)}, and question1 to question99 with _answer1 and _answer2."
            )
    twice = [key for key, n in Counter(names.values()).items() if n > 1]
    if twice:
        both = [repr(name[:60]) for name, key in names.items() if key == twice[0]]
        raise Refusal(
            f"The key {twice[0][:60]!r} is chosen for {' and '.join(both[:5])}. Choose it for one of them."
        )
    return dict(names)


@dataclass
class Control:
    """What was seen of a control: its kind, how many results it has, the first of them, and what was chosen in it.

    options: texts that were chosen, of a taxonomy the dimensions.
    """

    kind: str
    n: int = 0
    example: str = ""
    options: set[str] = field(default_factory=set)

    def note(self, value: Any) -> None:
        self.n += 1
        self.example = self.example or _in_words(value)
        if self.kind in ("", "choices", "taxonomy") and len(self.options) < MOST:
            held = next(iter(value.values()), None) if isinstance(value, dict) else value
            for one in held if isinstance(held, list) else ():
                text = one[0] if isinstance(one, list) and one else one
                if isinstance(text, str):
                    self.options.add(text[:_LONGEST])


def _in_words(value: Any) -> str:
    """A result or a datum, shortened; of the texts or options of a control the first, of a region its text."""
    while isinstance(value, (dict, list)) and value:
        if isinstance(value, dict):
            value = [value[key] for key in ("text", *value) if key in value]
        value = value[0]
    return "" if value in (None, {}, []) else str(value)[:_LONGEST]


@dataclass
class Found:
    """The controls and the annotators of a file, as far as they were read; at most so many of each."""

    controls: dict[str, Control] = field(default_factory=dict)
    annotators: Counter[str] = field(default_factory=Counter)

    def note(self, result: Result) -> None:
        control = self.controls.get(result.control)
        if control is None:
            if len(self.controls) >= MOST or len(result.control) > _LONGEST:
                return
            control = self.controls[result.control] = Control(result.kind[:_LONGEST])
        control.note(result.value)

    def note_annotator(self, name: str) -> None:
        if name in self.annotators or len(self.annotators) < MOST:
            self.annotators[name[:_LONGEST]] += 1

    def listed(self, names: Names) -> list[dict[str, Any]]:
        """Each control with its `key` in the record, "" for none, and which one is `proposed` then."""
        keys = {name: key_of(name, names) for name in self.controls}
        proposed = _proposals(self.controls, keys)
        return [
            {"name": name, "kind": one.kind, "n": one.n, "key": keys[name], "example": one.example}
            | {"proposed": proposed.get(name, "")}
            for name, one in self.controls.items()
        ]


def key_of(control: str, names: Names) -> str:
    """ "" for a control that stands for nothing in the record."""
    return names.get(control) or (control if kind_of_key(control) else "")


def lines_of_unknown(listed: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is said of the controls and data that the study lacks."""
    return [
        f"{one['name']!r} ({one['kind'] or 'of unknown kind'}, {how_many(one['n'], 'time')}) is no name of the study"
        + (f"; it may be {one['proposed']!r}" if one["proposed"] else "")
        for one in listed
        if not one["key"]
    ]


def _proposals(controls: Mapping[str, Control], keys: Names) -> dict[str, str]:
    """A key for each control that has none, no key twice, and none that another control has."""
    found = {name: _proposed(name, one) for name, one in controls.items() if not keys[name]}
    times = Counter(key for key in (*found.values(), *keys.values()) if key)
    return {name: key for name, key in found.items() if key and times[key] == 1}


def _proposed(name: str, control: Control) -> str:
    """By its options and its kind, else by its name."""
    if control.kind == ControlKind.RATING:
        return CONFIDENCE
    chosen = {option.strip() for option in control.options}
    if chosen and chosen <= _OF_DIMENSION.keys():
        return TAXONOMY
    offered = {**_CHOICES, **_OF_DIMENSION}
    if by_options := [key for key, options in offered.items() if chosen and chosen <= options]:
        return by_options[0]
    key = _BY_NAME.get(_folded(name), "") or _question(name)
    may_be_data, may_be_text = control.kind in ("", DATUM), control.kind in ("", "textarea")
    is_text = kind_of_key(key) is ControlKind.TEXTAREA
    return key if (may_be_data and key in DATA) or (may_be_text and is_text) else ""


def _question(name: str) -> str:
    """The key of a question or answer whose name is written in another way, as Question_1_Answer_2."""
    found = re.fullmatch(r"q(?:uestion)?([1-9][0-9]?)(?:a(?:nswer)?([12]))?", _folded(name))
    return f"question{found[1]}" + (f"_answer{found[2]}" if found[2] else "") if found else ""


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


_NAMED = (*ANNOTATION_KEYS, *RECORD_KEYS)
ALL = (*(key.key for key in ANNOTATION_KEYS), TAXONOMY, *DATA)
_BY_NAME = {_folded(name): key.key for key in _NAMED for name in (key.column, key.key)}
