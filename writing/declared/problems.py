"""What is wrong with the forms of a protocol. Pure."""

from collections import Counter
from collections.abc import Iterator
from math import prod

from annotation.fields.walker import FieldKind
from protocols.declaration import Declaration, DeclarationProblem, Entry, FieldType
from protocols.entry_keys import broken, entry_problems, repeated_names
from writing.declared.form import inner_entries, options_of
from writing.declared.language import (
    CHOICES,
    FIELD_KEYS,
    KEYS,
    MOST_COMBINATIONS,
    NOTHING,
    PLACE,
    RECORD,
    RESERVED,
    STEP_KEYS,
    TEXTS,
)


def form_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """What is wrong with the forms of a protocol."""
    return [
        problem
        for entry in declaration.entries("form")
        for problem in _problems(declaration, entry)
    ]


def _problems(declaration: Declaration, entry: Entry) -> list[DeclarationProblem]:
    if problems := entry_problems(entry, KEYS):
        return problems
    fields, steps = inner_entries(entry, "field"), inner_entries(entry, "step")
    problems = repeated_names(fields)
    for inner, keys in (
        *((one, FIELD_KEYS) for one in fields),
        *((one, STEP_KEYS) for one in steps),
    ):
        problems += entry_problems(inner, keys)
    if problems:
        return problems
    return [
        *_of_form(declaration, entry),
        *(problem for field in fields for problem in _of_field(declaration, entry, field)),
        *_of_steps(entry, fields, steps),
    ]


def _of_form(declaration: Declaration, entry: Entry) -> Iterator[DeclarationProblem]:
    values, fields = entry.values, declaration.fields
    is_record, base = values["makes"] == RECORD, values.get("base", "")
    is_text = base in fields and fields[base].is_text
    yield from broken(
        entry,
        (is_record and not base, "say what the new record shares with the one shown: base.", "base"),
        (base and not is_record, 'only a form with makes = "record" has a base.', "base"),
        (base and not is_text, f"{base!r} is no field that holds a text.", "base"),
        (is_text and fields[base].optional, f"a record may lack {base!r}, which is optional.", "base"),
        ("complete" in values and not is_record, 'only a form with makes = "record" is complete.', "complete"),
    )  # fmt: skip
    for name in values["shows"]:
        yield from broken(entry, (name not in fields, f"{name!r} is no field of the record.", "shows"))  # fmt: skip
    sizes = [1]
    filled = Counter(field.get("fills") for field in values["field"])
    for name in values.get("complete", ()):
        is_slice = name in declaration.slices and declaration.slices[name].values
        yield from broken(
            entry,
            (not is_slice, f"{name!r} is no slice with values.", "complete"),
            (name == base, "the base is the same in all of its records.", "complete"),
            (is_slice and not filled[name], f"write a field that fills {name!r}.", "complete"),
        )
        sizes.append(len(declaration.slices[name].values) if is_slice else 1)
    message = f"there are {prod(sizes)} combinations; at most {MOST_COMBINATIONS} can be written."
    yield from broken(entry, (prod(sizes) > MOST_COMBINATIONS, message, "complete"))
    for name, times in filled.items():
        yield from broken(entry, (name and times > 1, f"{times} fields fill {name!r}. One can.", "field"))  # fmt: skip


def _of_field(declaration: Declaration, form: Entry, entry: Entry) -> Iterator[DeclarationProblem]:
    values, kind = entry.values, entry.values["type"]
    is_choice, is_text = kind in CHOICES, kind in TEXTS
    of_slice = values.get("options_of")
    both = "options" in values and of_slice is not None
    known = of_slice in declaration.slices and declaration.slices[of_slice].values
    yield from broken(
        entry,
        (entry.name in RESERVED, f"{entry.name!r} means something else on the page. Choose another name.", "name"),
        (is_choice and not values.keys() & {"options", "options_of"}, "write what can be chosen: options.", "type"),
        (both, "write either options or options_of.", "options_of"),
        (of_slice and not known, f"{of_slice!r} is no slice with values.", "options_of"),
        ("options" in values and not is_choice, f"a {kind} has no options.", "options"),
        (of_slice and not is_choice, f"a {kind} has no options.", "options_of"),
        ("offers" in values and not is_text, "only a line and a text have phrases to offer.", "offers"),
        ("begins" in values and not is_text, "only a line and a text begin with words.", "begins"),
        ("when" in values and "begins" not in values, "when is a condition of begins.", "when"),
    )  # fmt: skip
    yield from _of_begins(declaration, form, entry)
    if target := values.get("fills"):
        yield from _of_target(declaration, form, entry, target)


def _of_begins(declaration: Declaration, form: Entry, entry: Entry) -> Iterator[DeclarationProblem]:
    for place in PLACE.findall(entry.values.get("begins", "")):
        field = declaration.fields.get(place)
        is_text = field is not None and field.is_text
        yield from broken(entry, (not is_text, f"{place[:80]!r} is no field that holds a text.", "begins"))  # fmt: skip
    complete = form.values.get("complete", ())
    chosen = {field["name"]: field for field in form.values["field"] if field.get("fills") in complete}  # fmt: skip
    for name, value in entry.values.get("when", {}).items():
        of_slice = chosen.get(name, {}).get("fills")
        known = declaration.slices[of_slice].values if of_slice in declaration.slices else ()
        yield from broken(
            entry,
            (not of_slice, f"{name[:80]!r} is no field that fills a slice of complete.", "when"),
            (of_slice and value not in known, f"{name!r} is never {str(value)[:80]!r}.", "when"),
        )


def _of_target(
    declaration: Declaration, form: Entry, entry: Entry, target: str
) -> Iterator[DeclarationProblem]:
    values, kind = entry.values, entry.values["type"]
    field = declaration.fields.get(target)
    is_list = field is not None and field.type == FieldType.LIST
    is_known = field is not None and (is_list or field.is_text)
    given = [*(values.get("options") or options_of(declaration, values))]
    is_other = field is not None and field.values and kind in CHOICES and {*given} - {*field.values}
    is_preset = target in form.values.get("complete", ())
    yield from broken(
        entry,
        (not is_known, f"{target!r} is no field that holds a text or a list.", "fills"),
        (form.values["makes"] == NOTHING, 'a form with makes = "nothing" fills no field.', "fills"),
        (target == form.values.get("base"), "the base is the same in all of its records.", "fills"),
        (kind in (FieldKind.TICK, FieldKind.RATING), f"a {kind} fills no field.", "fills"),
        (is_list and kind not in (FieldKind.MANY, FieldKind.TEXT), "a list is filled by many or a text.", "fills"),
        (kind == FieldKind.MANY and is_known and not is_list, "many options fill a list.", "fills"),
        (is_other, f"{target!r} has other values. Write options_of = {target!r}.", "fills"),
        (is_preset and kind != FieldKind.ONE, 'a slice of complete is filled by a field of type "one".', "type"),
    )  # fmt: skip


def _of_steps(form: Entry, fields: list[Entry], steps: list[Entry]) -> Iterator[DeclarationProblem]:
    names = {field.name for field in fields}
    shown: Counter[str] = Counter()
    for step in steps:
        for name in step.values["fields"]:
            shown[name] += 1
            yield from broken(
                step,
                (name not in names, f"{name[:80]!r} is no field of this form.", "fields"),
                (name in names and shown[name] > 1, f"{name!r} stands in two steps.", "fields"),
            )
    complete = form.values.get("complete", ())
    for field in fields:
        is_hidden = not shown[field.name] and field.values.get("fills") not in complete
        needed = "required, and no step shows it" if field.values.get("required") else "in no step"
        yield from broken(field, (is_hidden, f"it is {needed}. Name it in the fields of a step.", "name"))  # fmt: skip
    if steps and all(field.values.get("fills") in complete for field in fields):
        yield form.problem("there is nothing to write: all fields are filled by complete.", "field")
