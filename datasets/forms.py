"""Forms: a file to import, a version to release."""

from typing import Any

from django import forms

from datasets.importers import IMPORTERS
from datasets.importers.json_text import MAX_BYTES
from datasets.models import Collection
from datasets.releases import VERSION


class ImportForm(forms.Form):
    """A file for a new or existing collection."""

    collection = forms.CharField(
        max_length=80,
        label="Collection",
        help_text="A new name makes a new collection. Lower-case letters, digits, . _ - only.",
        validators=Collection._meta.get_field("name").validators,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    format = forms.ChoiceField(
        label="Format", choices=[(one.name, one.label) for one in IMPORTERS.values()]
    )
    file = forms.FileField(
        label="File",
        help_text=f"UTF-8, at most {MAX_BYTES // 2**20} MB. The whole file is imported, or nothing.",
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                f"The file is larger than {MAX_BYTES // 2**20} MB; split it and import the parts."
            )
        return file


class ReleaseForm(forms.Form):
    """A version for a release of the collection."""

    version = forms.RegexField(
        VERSION,
        max_length=40,
        label="Version",
        help_text="Such as 1.0. It can be given once and never changes.",
        error_messages={
            "invalid": "Use letters, digits, . _ - only, starting with a letter or digit."
        },
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    notes = forms.CharField(
        required=False, max_length=5000, label="Notes", widget=forms.Textarea(attrs={"rows": 3})
    )
