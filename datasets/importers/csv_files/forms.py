"""The form in which the sender of a CSV file says which field each column is."""

from typing import Any

from django import forms
from django.http import QueryDict

from datasets.importers.csv_files.choices import Sheet
from datasets.importers.csv_files.columns import Chosen, lacking_in, proposed
from datasets.readers.csv_table import DELIMITERS

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
        """What is lacking is an error of the first column that is left out: one of these has to be chosen."""
        columns = self.chosen().columns or {}
        chosen, titles = [*columns.values()], {one.name: one.title for one in self.sheet.fields}
        for at, field in enumerate(chosen):
            if field and chosen.count(field) > 1:
                said = f"{titles[field]} is chosen for several columns. Choose it for one of them."
                self.add_error(f"column-{at}", said)
        guess = proposed(self.sheet.table.columns, self.sheet.fields)
        if lacking := lacking_in(columns, guess, self.sheet.fields):
            self.add_error(f"column-{chosen.index('')}" if "" in chosen else None, lacking)
        return self.cleaned_data


class DelimiterForm(forms.Form):
    """Read the file again, with another character between its cells."""

    delimiter = forms.ChoiceField(
        choices=[(name, name.capitalize()) for name in DELIMITERS], label="Between cells stands"
    )
