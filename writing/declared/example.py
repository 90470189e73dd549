"""A protocol's forms on an example record: what the writer reads, and each step with its fields. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.fields.walker import Field, FieldKind
from protocols.declaration import Declaration
from protocols.example_record import ShownBlock
from protocols.shown_parts import in_words
from writing.declared.form import WritingForm, form_named

KINDS = {
    FieldKind.ONE: "One of",
    FieldKind.MANY: "Some of",
    FieldKind.LINE: "A line",
    FieldKind.TEXT: "A text",
    FieldKind.RATING: "A rating",
    FieldKind.TICK: "A tick",
}


def form_blocks(
    declaration: Declaration, record: Mapping[str, Any]
) -> dict[tuple[str, str], list[ShownBlock]]:
    """Each form as its writer has it, of the first combination where there are several."""
    return {
        ("form", entry.name): list(
            _blocks(form_named(declaration, entry.name), declaration, record)
        )
        for entry in declaration.entries("form")
    }


def _blocks(
    form: WritingForm, declaration: Declaration, record: Mapping[str, Any]
) -> Iterator[ShownBlock]:
    read = [
        (declaration.fields[name].title, in_words(record[name]))
        for name in form.shows
        if name in record
    ]
    yield ShownBlock("What the writer reads", facts=read)
    combination = form.combinations(declaration)[0]
    begun = form.at_start(record, combination)
    for step in form.steps:
        fields = [(field.label, _words(field, begun.get(field.name, ""))) for field in step.fields]
        yield ShownBlock(f"Step {step.number}: {step.title}", facts=fields)


def _words(field: Field, begun: str) -> str:
    options = f" {', '.join(option.label for option in field.choices)}" if field.choices else ""
    needed = "; it has to be there" if field.required else ""
    begins = f"; it begins with “{begun}”" if begun else ""
    return f"{KINDS[field.kind]}{options}{needed}{begins}"
