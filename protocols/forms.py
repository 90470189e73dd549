"""The forms by which a protocol is checked, shown on a record, and installed."""

import base64
import binascii
from typing import Any

from django import forms

from protocols import installed
from protocols.reading import LARGEST


class FileForm(forms.Form):
    """A protocol's file: chosen now, carried by the page that showed it (`carried`), or of a known version (`known`).

    It gives `content`, at most LARGEST + 1 bytes, and its `name`.
    """

    file = forms.FileField(
        label="The protocol",
        help_text="A TOML file. All that is wrong with it is listed. Nothing is stored before you install it.",
        error_messages={"required": "Choose a file."},
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".toml"}),
    )
    carried = forms.CharField(required=False, widget=forms.HiddenInput)
    named = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    known = forms.RegexField(
        r"\A[a-z0-9_-]+/[0-9]{1,6}\Z", required=False, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        is_carried = self.data.get("carried") or self.data.get("known")
        self.fields["file"].required = not is_carried

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("file"):
            content, name = given["file"].read(LARGEST + 1), given["file"].name
        elif given.get("carried"):
            content, name = self._carried(given["carried"]), given.get("named") or "The file"
        elif given.get("known"):
            name, _, version = given["known"].partition("/")
            content, name = installed.found(name, int(version)).data, f"{name}.toml"
        else:
            return given
        return {**given, "content": content, "name": name}

    def _carried(self, data: str) -> bytes:
        try:
            return base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise forms.ValidationError({"file": "Choose the file again."}) from None


class ExampleForm(FileForm):
    """The file, and a record to show it on; without one, an invented record."""

    records = forms.FileField(
        label="A file of records", required=False, help_text="It is read, and not kept."
    )
    number = forms.IntegerField(
        label="Number of the record", required=False, min_value=1, max_value=10_000_000
    )

    def offer(self, collections: list[str]) -> None:
        """Let one of these collections be chosen."""
        choices = [("", "None"), *((name, name) for name in collections)]
        self.fields["collection"] = forms.ChoiceField(
            label="Or a collection of this protocol", required=False, choices=choices
        )
