"""The form in which the sender of a CSV file says which field each column is."""

from typing import Any

from django import forms
from django.http import QueryDict

from datasets.declared.csv_text import DELIMITERS
from datasets.importers.csv_files.choices import Sheet
from datasets.importers.csv_files.columns import Chosen, ColumnsUnclear, mapped

LEFT_OUT = ("", "Left out")


class ColumnsForm(forms.Form):
    """A choice for each column, by its place: a column may have any name."""

    delimiter = forms.ChoiceField(
        choices=[(name, name) for name in DELIMITERS], widget=forms.HiddenInput
    )

    def __init__(self, sheet: Sheet, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"delimiter": sheet.delimiter})
        self.sheet = sheet
        needed = [(field.name, field.title) for field in sheet.fields if field.is_required]
        others = [(field.name, field.title) for field in sheet.fields if not field.is_required]
        choices = [LEFT_OUT, ("Needed", needed), *([("May be given", others)] if others else [])]
        for place, name in enumerate(sheet.table.columns):
            self.fields[f"column-{place}"] = forms.ChoiceField(
                required=False, choices=choices, label=name, initial=sheet.columns[name]
            )

    @property
    def columns(self) -> list[forms.BoundField]:
        return [self[f"column-{place}"] for place in range(len(self.sheet.table.columns))]

    def chosen(self) -> Chosen:
        names = self.sheet.table.columns
        columns = {name: self.cleaned_data.get(f"column-{at}", "") for at, name in enumerate(names)}
        return Chosen(columns, self.cleaned_data.get("delimiter", ""))

    def clean(self) -> dict[str, Any]:
        try:
            mapped(self.sheet.table, self.sheet.fields, self.chosen())
        except ColumnsUnclear as unclear:
            self.add_error(None, unclear.message)
        return self.cleaned_data


class DelimiterForm(forms.Form):
    """Read the file again, with another character between its cells."""

    delimiter = forms.ChoiceField(
        choices=[(name, name.capitalize()) for name in DELIMITERS], label="Between cells stands"
    )
