"""The form by which a protocol is installed."""

from django import forms


class InstallForm(forms.Form):
    file = forms.FileField(
        label="The protocol",
        help_text="A TOML file. All that is wrong with it is listed, and then nothing is installed.",
        widget=forms.ClearableFileInput(attrs={"accept": ".toml"}),
    )
