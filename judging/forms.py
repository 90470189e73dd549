"""The forms of judging. What may be stored is decided in studies.py and adjudication.py."""

from typing import Any

from django import forms
from django.db.models import Count, QuerySet

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from generation import prompting
from generation.models import LanguageModel, Run
from generation.states import ResponseState
from judging.blindness import hidden_run_ids
from judging.models import Study
from judging.resolution import CAUSES, WAYS
from judging.studies import Design, Selection
from judging.visibility import VerdictChoice

MOST_JUDGES = 20
LARGEST_SEED = 2**53


class ModelsField(forms.ModelMultipleChoiceField):
    """Language models, told apart by their service where names repeat."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.service or 'imported'})"


class RunsField(forms.ModelMultipleChoiceField):
    """Runs with how many of their responses are finished (annotated by answered_runs)."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name}: {obj.answered} finished response{'' if obj.answered == 1 else 's'}"


class PeopleField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.username})"


def answered_runs(person: Person) -> QuerySet[Run]:
    """The runs with finished responses that `person` may see now."""
    done = Run.objects.filter(responses__state=ResponseState.DONE)
    seen = done.exclude(pk__in=hidden_run_ids(person))
    return seen.annotate(answered=Count("responses")).order_by("-pk")


class StudyForm(forms.Form):
    """A new study: what it draws, and how it judges."""

    name = forms.CharField(max_length=120, help_text="Judges see it: do not name a model in it.")
    runs = RunsField(
        Run.objects.none(), widget=forms.CheckboxSelectMultiple, label="Runs to draw from"
    )
    prompts = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, required=False, help_text="None ticked means all."
    )
    language_models = ModelsField(
        LanguageModel.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Models",
        help_text="None ticked means all.",
    )
    judges_per_response = forms.IntegerField(
        min_value=1,
        max_value=MOST_JUDGES,
        initial=2,
        help_text="Two or more, so that agreement can be measured. With one it is not measured.",
    )
    resolved_by = forms.ChoiceField(
        choices=list(WAYS.items()),
        initial=next(iter(WAYS)),
        label="Where judges come apart",
        widget=forms.RadioSelect,
    )
    order = forms.ChoiceField(
        choices=Study.Order.choices,
        initial=Study.Order.GROUPED,
        widget=forms.RadioSelect,
        label="Each judge's order",
        help_text="Grouped reads about three times faster: the passages of a question are read once.",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="Draws who judges what, and each judge's order. Left empty, one is drawn and kept.",
    )

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        runs = answered_runs(person)
        used = set(runs.values_list("responses__prompt", flat=True))
        self.fields["runs"].queryset = runs  # type: ignore[attr-defined]
        self.fields["language_models"].queryset = LanguageModel.objects.filter(  # type: ignore[attr-defined]
            responses__run__in=runs.values("pk")
        ).distinct()
        self.fields["prompts"].choices = [  # type: ignore[attr-defined]
            (prompt.name, f"{prompt.label}: {prompt.title}")
            for prompt in prompting.prompts().values()
            if prompt.name in used
        ]

    def selection(self) -> Selection:
        given = self.cleaned_data
        return Selection(list(given["runs"]), given["prompts"], list(given["language_models"]))

    def design(self) -> Design:
        names = ("judges_per_response", "resolved_by", "order", "seed")
        return Design(**{name: self.cleaned_data[name] for name in names})


class JudgesForm(forms.Form):
    """Who judges: everybody active who has the role and can sign in, so nobody of the demonstration set."""

    judges = PeopleField(Person.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        granted = RoleGrant.objects.filter(role=Role.JUDGE).values("person")
        self.fields["judges"].queryset = Person.objects.filter(  # type: ignore[attr-defined]
            pk__in=granted, is_active=True, is_demonstration=False
        )


class DecisionForm(forms.Form):
    """A third person's decision."""

    verdict = forms.ChoiceField(widget=forms.RadioSelect)
    cause = forms.ChoiceField(
        choices=list(CAUSES.items()), widget=forms.RadioSelect, label="Why did they come apart?"
    )
    note = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        help_text="Needed where your verdict agrees with none of the judges'.",
    )

    def __init__(self, *args: Any, choices: tuple[VerdictChoice, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verdict"].choices = [  # type: ignore[attr-defined]
            (choice.key, choice.label) for choice in choices
        ]
