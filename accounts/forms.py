"""Forms for joining, signing in, inviting."""

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from accounts.models import Person
from accounts.roles import WHAT_THEY_DO, Role


def new_password_field(label: str = "Password") -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters; a few unrelated words are good.",
    )


class JoinForm(forms.ModelForm):
    password = new_password_field()

    class Meta:
        model = Person
        fields = ["username", "name"]
        widgets = {
            "username": forms.TextInput(
                attrs={"autocomplete": "username", "autocapitalize": "none"}
            ),
            "name": forms.TextInput(attrs={"autocomplete": "name"}),
        }

    def clean_username(self) -> str:
        username: str = Person.normalize_username(self.cleaned_data["username"])
        if Person.objects.filter(username__iexact=username).exists():
            raise ValidationError("This name is taken here; choose another.")
        return username

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        password = cleaned.get("password")
        if password:
            about = Person(username=cleaned.get("username", ""), name=cleaned.get("name", ""))
            try:
                validate_password(password, about)
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned


class NewPasswordForm(forms.Form):
    password = new_password_field("New password")

    def __init__(self, *args: object, person: Person, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.person = person

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, self.person)
        return password


def roles_field(**options: object) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        choices=[(role.value, f"{role.label}: {WHAT_THEY_DO[role]}") for role in Role],
        widget=forms.CheckboxSelectMultiple,
        **options,  # type: ignore[arg-type]
    )


class InviteForm(forms.Form):
    note = forms.CharField(
        label="For whom", max_length=120, required=False, help_text="Shown only to admins."
    )
    roles = roles_field(label="Roles", help_text="One person may hold several.")


class RolesForm(forms.Form):
    roles = roles_field(label="Roles", required=False)
