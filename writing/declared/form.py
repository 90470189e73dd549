"""A form that a protocol declares: its steps and fields, how it begins, what its entries make of a record. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from annotation.fields.walker import Field, FieldKind, FieldOption, FormStep, fields_of
from protocols.declaration import Declaration, DeclaredField, Entry, FieldType
from writing.declared.language import MOST_LINE, MOST_PASSAGE, MOST_TEXT, PLACE, RATINGS, TEXTS


@dataclass(frozen=True)
class WritingForm:
    """A form as declared. `of_fields` has the keys of each field by its name.

    `preset` are the fields that the combination fills, by the slice of `complete` that each fills; no step has them.
    """

    name: str
    title: str
    origin: str
    shows: tuple[str, ...]
    guideline: str
    makes: str
    base: str
    complete: tuple[str, ...]
    steps: tuple[FormStep, ...]
    of_fields: Mapping[str, Mapping[str, Any]]
    preset: Mapping[str, str]

    @cached_property
    def fields(self) -> dict[str, Field]:
        """Those that people enter."""
        return fields_of(self.steps)

    def combinations(self, declaration: Declaration) -> list[tuple[str, ...]]:
        """The values of the slices of `complete`, in all combinations; one without values for other forms."""
        return list(product(*(declaration.fields[name].values for name in self.complete)))

    def at_start(self, record: Mapping[str, Any], combination: tuple[str, ...]) -> dict[str, Any]:
        """The entries with which a form begins: those prefilled."""
        given = dict(zip(self.complete, combination, strict=True))
        chosen = {name: given[of_slice] for of_slice, name in self.preset.items()}
        return {
            name: PLACE.sub(lambda place: str(record.get(place[1], "")), self.of_fields[name]["begins"])
            for name in self.fields
            if "begins" in self.of_fields[name]
            and all(chosen[key] == value for key, value in self.of_fields[name].get("when", {}).items())
        }  # fmt: skip

    def filled(
        self,
        declaration: Declaration,
        record: Mapping[str, Any],
        combination: tuple[str, ...],
        entries: Mapping[str, Any],
    ) -> dict[str, Any]:
        """The record that the entries make of `record`: what no field fills stays."""
        made = {**record, **dict(zip(self.complete, combination, strict=True))}
        for name, field in self.fields.items():
            if target := self.of_fields[name].get("fills"):
                made[target] = _value(declaration.fields[target], field, entries.get(name))
                if declaration.fields[target].optional and not made[target]:
                    del made[target]
        return made


def _value(target: DeclaredField, field: Field, value: Any) -> Any:
    if field.kind == FieldKind.MANY:
        return list(value or ())
    text = "" if value is None else str(value)
    if target.type == FieldType.LIST:
        return [line.strip() for line in text.split("\n") if line.strip()]
    return text.strip() if field.kind in TEXTS else text


def inner_entries(entry: Entry, part: str) -> list[Entry]:
    """The tables of `[[form.part]]` as entries of their own, with their lines."""
    entries = []
    for n, table in enumerate(entry.values[part], start=1):
        head = f"{part}.{n}"
        of_keys = {
            key.removeprefix(f"{head}."): line
            for key, line in entry.lines.items()
            if key.startswith(f"{head}.")
        }
        line = entry.lines.get(head, entry.line)
        entries.append(Entry(f"form.{part}", table, n, line, of_keys, within=entry))
    return entries


def form_named(declaration: Declaration, name: str) -> WritingForm:
    """The form of that name, of a protocol that was checked. Raises KeyError."""
    entry = declaration.named("form")[name]
    values = entry.values
    of_fields = {field.name: field.values for field in inner_entries(entry, "field")}
    complete = tuple(values.get("complete", ()))
    fills = {given.get("fills", ""): field for field, given in of_fields.items()}
    preset = {of_slice: fills[of_slice] for of_slice in complete if of_slice in fills}
    fields = {field: _field(declaration, given) for field, given in of_fields.items()}
    steps = [
        (title, [fields[field] for field in names if field not in preset.values()])
        for title, names in ((step["title"], step["fields"]) for step in values["step"])
    ]
    return WritingForm(
        name,
        values["title"],
        values.get("origin", ""),
        tuple(values["shows"]),
        values.get("guideline", ""),
        values["makes"],
        values.get("base", ""),
        complete,
        tuple(
            FormStep(f"step-{n}", n, title, title, "", tuple(shown))
            for n, (title, shown) in enumerate(filter(lambda step: step[1], steps), start=1)
        ),
        of_fields,
        preset,
    )


def _field(declaration: Declaration, given: Mapping[str, Any]) -> Field:
    kind = FieldKind(given["type"])
    values = given.get("options") or options_of(declaration, given)
    if kind == FieldKind.RATING:
        values = tuple(map(str, RATINGS))
    target = declaration.fields.get(given.get("fills", ""))
    is_passage = target is not None and target.type == FieldType.PASSAGE
    longest = {FieldKind.LINE: MOST_LINE, FieldKind.TEXT: MOST_PASSAGE if is_passage else MOST_TEXT}
    is_keyed = kind in (FieldKind.ONE, FieldKind.RATING)
    return Field(
        given["name"],
        given["label"],
        kind,
        required=given.get("required", False),
        choices=tuple(
            FieldOption(value, value, key=str(n) if is_keyed and n < 10 else "")
            for n, value in enumerate(values, start=1)
        ),
        max_length=longest.get(kind, 0),
    )


def options_of(declaration: Declaration, given: Mapping[str, Any]) -> tuple[str, ...]:
    of_slice = declaration.slices.get(given.get("options_of", ""))
    return of_slice.values if of_slice else ()
