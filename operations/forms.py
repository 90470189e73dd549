"""Forms of the operations room."""

from django import forms

from accounts.models import Person


class ForgetForm(forms.Form):
    username = forms.CharField(
        label="Username",
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, *args: object, person: Person, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.person = person
        self.fields[
            "username"
        ].help_text = f"Type {person.username}, to confirm that this is the right person."

    def clean_username(self) -> str:
        typed: str = self.cleaned_data["username"]
        if typed != self.person.username:
            raise forms.ValidationError(f"This is not {self.person.username}. Nothing was done.")
        return typed
