"""Forms for joining, signing in, inviting."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.contrib.auth.backends import AllowAllUsersModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest

from accounts import second_factor
from accounts.access import person_of
from accounts.audit import AuditKind, Narrowing, record
from accounts.guard import CodeGuard, Guard
from accounts.invitations import names_taken
from accounts.invited_lines import MOST_CHARACTERS, MOST_LINES, read_lines
from accounts.models import Person, SecondFactor
from accounts.roles import WHAT_THEY_DO, Role
from leases.refusal import TooMany
from pages.counting import how_many

MOST_PROBLEMS = 20  # lines named in one answer


class Guarded:
    """Part of a form that checks a secret. `refusal` is set if it was not checked: too many attempts, or people."""

    refusal: TooMany | None = None

    @contextmanager
    def attempt(self, guard: Guard) -> Iterator[None]:
        try:
            with guard.attempt():
                yield
        except TooMany as refused:
            self.refusal = refused
            raise ValidationError(refused.message) from None


class SignInForm(Guarded, AuthenticationForm):
    """Name and password of `person`."""

    person: Person

    def clean(self) -> dict[str, Any]:
        username, password = (self.cleaned_data.get(name) for name in ("username", "password"))
        if self.request is None or not username or not password:
            return super().clean()
        guard = Guard(self.request, username)
        with self.attempt(guard):
            # This backend hashes once for any account; the one of the settings does not show whose access was ended.
            found = AllowAllUsersModelBackend().authenticate(self.request, username, password)
            if not isinstance(found, Person):
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(found)
            self.person = found
            guard.succeed()
        return self.cleaned_data

    def confirm_login_allowed(self, user: AbstractBaseUser) -> None:
        """Only someone with the right password learns that the account is closed."""
        if not user.is_active:
            self._record_failure()
            raise ValidationError("An admin has ended your access here. Ask them about it.")

    def get_invalid_login_error(self) -> ValidationError:
        self._record_failure()
        return super().get_invalid_login_error()

    def _record_failure(self) -> None:
        username = self.cleaned_data["username"]
        known = Person.objects.filter(username__iexact=username).first()
        # What was typed as an unknown name may be a password.
        record(AuditKind.FAILURE, None, "" if known else "unknown name", person=known)


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


class JoinByInstitutionForm(JoinForm):
    """Without a password: the person signs in by the institution."""

    password = None  # type: ignore[assignment]


class SettingsForm(forms.ModelForm):
    class Meta:
        model = Person
        fields = ["name", "shortcuts"]
        labels = {"shortcuts": "Single-key shortcuts"}
        help_texts = {
            "shortcuts": "One key, such as 1 or j, acts on the pages to annotate, judge and resolve while no "
            "field has the focus. Switch them off if you speak to your computer, or press keys by accident."
        }
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "name"})}


class GuardedForm(Guarded, forms.Form):
    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data)
        self.request = request


class CurrentPasswordForm(GuardedForm):
    """The signed-in person's password, asked for again."""

    current_password = forms.CharField(
        label="Current password",
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def clean_current_password(self) -> str:
        person, given = person_of(self.request), self.cleaned_data["current_password"]
        guard = Guard(self.request, person.username)
        with self.attempt(guard):
            if not person.check_password(given):
                raise ValidationError("This is not your current password.")
            guard.succeed()
        return str(given)


class OwnPasswordForm(CurrentPasswordForm):
    new_password = new_password_field("New password")

    def clean_new_password(self) -> str:
        validate_password(self.cleaned_data["new_password"], person_of(self.request))
        return str(self.cleaned_data["new_password"])


class CodeInput(forms.TextInput):
    """Not filled in again after a refusal: most codes stay valid for a while."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        return super().get_context(name, None, attrs)


def code_field(**options: Any) -> forms.CharField:
    attributes = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
    return forms.CharField(
        label="Code", max_length=20, widget=CodeInput(attrs=attributes), **options
    )


class NewFactorForm(forms.Form):
    """The first code of a new second factor."""

    code = code_field(help_text="The six digits that the app shows now.")


class CodeForm(GuardedForm):
    """A code of a second factor; a right one is used up."""

    code = code_field(help_text="The six digits that your app shows now, or a recovery code.")

    def __init__(self, request: HttpRequest, data: Any = None, *, factor: SecondFactor) -> None:
        super().__init__(request, data)
        self.factor = factor

    def clean_code(self) -> str:
        given: str = self.cleaned_data["code"]
        if self.errors:
            return given  # the password was wrong: do not use up the code
        guard = CodeGuard(self.factor.person)
        with self.attempt(guard):
            if not second_factor.accepts(self.factor, given):
                record(AuditKind.FAILURE, None, "wrong code", person=self.factor.person)
                raise ValidationError(
                    "This code is wrong, or it was used before. Wait for the next one."
                )
            guard.succeed()
        return given


class PasswordAndCodeForm(CodeForm, CurrentPasswordForm):
    """The password, and a code."""


def proof_form(request: HttpRequest, data: Any = None) -> CurrentPasswordForm:
    """The password, and a code where the person's second factor is on."""
    factor = second_factor.factor_of(person_of(request))
    if factor:
        return PasswordAndCodeForm(request, data, factor=factor)
    return CurrentPasswordForm(request, data)


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
    """Whom to invite, a line each; where one is wrong each such line is named, and nobody is invited."""

    marks_optional = False

    people = forms.CharField(
        label="For whom",
        max_length=2 * MOST_LINES * MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One person on each line: a name or a mail address. Only admins see it. Roles can follow: Ada Byron, "
        "annotator, judge.",
    )
    roles = roles_field(
        label="Roles",
        required=False,
        help_text="Of each line that names none. One person may hold several.",
    )

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or {}
        if not self.errors:
            read = read_lines(entered["people"], entered["roles"], names_taken())
            entered["invited"] = read.people
            for problem in read.problems[:MOST_PROBLEMS]:
                self.add_error("people", problem)
            if (more := len(read.problems) - MOST_PROBLEMS) > 0:
                self.add_error("people", f"And {how_many(more, 'more problem')}.")
        return entered


class RolesForm(forms.Form):
    roles = roles_field(label="Roles", required=False)


class AuditForm(forms.Form):
    kind = forms.ChoiceField(
        label="What", required=False, choices=[("", "Everything"), *AuditKind.choices]
    )
    person = forms.CharField(
        label="Person",
        required=False,
        max_length=60,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "placeholder": "username or pseudonym"}
        ),
    )
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def clean_person(self) -> Person | None:
        named = self.cleaned_data["person"].strip()
        if not named:
            return None
        is_theirs = Q(username__iexact=named) | Q(pseudonym__iexact=named)
        person = Person.objects.filter(is_theirs).first()
        if person is None:
            raise ValidationError("Nobody here has this username or pseudonym.")
        return person

    @property
    def narrowing(self) -> Narrowing:
        return Narrowing(**self.cleaned_data)
