"""The form that opens a form of a protocol for a collection."""

from collections.abc import Mapping
from typing import Any

from django import forms

from datasets.models import Collection, Subset
from writing.overview import openable


class OpenForm(forms.Form):
    """A form of the collection's protocol, for all of its records or those of a subset."""

    form = forms.ChoiceField(label="Form")
    subset = forms.ChoiceField(label="Records", required=False)

    def __init__(self, collection: Collection, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        drawn = [(str(row.pk), f"Subset {row.name}") for row in collection.subsets.order_by("-pk")]
        choices = {
            "form": list(openable(collection).items()),
            "subset": [("", "All of the collection"), *drawn],
        }
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = offered

    def chosen_subset(self) -> Subset | None:
        """The subset; None for all records."""
        wanted = self.cleaned_data["subset"]
        return Subset.objects.get(pk=wanted) if wanted else None
