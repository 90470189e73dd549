"""The forms of further rounds."""

from typing import Any

from django import forms
from django.db.models import BooleanField, ExpressionWrapper

from accounts.models import Person
from accounts.roles import Role
from generation import prompt_versions
from generation.models import LanguageModel, Run
from judging import rounds, rubric_versions
from judging.forms.fields import (
    ResponseModelsField,
    RoundJudgesField,
    RubricField,
    RunsField,
    answered_runs,
)
from judging.models import Rubric, Study
from judging.rules.numbers import MOST_NUMBERS, numbers_in
from judging.selections import Selection


class RoundForm(forms.Form):
    """What every further round of a closed study is asked."""

    reason = forms.CharField(
        max_length=rounds.REASON_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Why this round is opened",
        help_text="It is kept with the study, and is in its report and its files. Judges do not see it.",
    )
    rubric = RubricField(
        Rubric.objects.none(),
        empty_label=None,
        label="Rubric of this round",
        help_text="A changed rubric is a new version, which you make first under Studies → Rubrics.",
    )
    judges = RoundJudgesField(
        Person.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text="They see no verdicts of earlier rounds, not even their own. Their pages do not say that there were "
        "any, but people who judged in one know.",
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = rubric_versions.versions().filter(name=study.judged_by.name)
        self.fields["rubric"].queryset = versions  # type: ignore[attr-defined]
        self.initial.setdefault("rubric", study.rubric_id)
        reads = ExpressionWrapper(rounds.could_read(study), BooleanField())
        judges = Person.objects.who_may(Role.JUDGE).annotate(reads=reads)
        self.fields["judges"].queryset = judges  # type: ignore[attr-defined]

    def plan(self, *, counts: bool) -> rounds.RoundPlan:
        entered = self.cleaned_data
        return rounds.RoundPlan(
            entered["reason"], entered["rubric"], counts, list(entered["judges"])
        )


class AgainForm(RoundForm):
    """A round over responses that the study has judged."""

    prompts = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Responses to",
        help_text="Tick none to take all prompts.",
    )
    verdicts = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="With the final verdict",
        help_text="Tick none to take all verdicts.",
    )
    numbers = forms.CharField(
        required=False,
        label="Only the responses with these numbers",
        help_text="As in “item” of the study's downloads, for example 3, 17, 20-25. Leave empty for all.",
    )
    counts = forms.TypedChoiceField(
        choices=[
            ("yes", "Those of this round, also where it ends without one"),
            ("no", "The earlier ones; this round's only where a response has none"),
        ],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
        label="Which verdicts are final on these responses",
        help_text="Declared now: it does not change after the round is opened.",
    )

    field_order = ("reason", "rubric", "prompts", "verdicts", "numbers", "counts", "judges")

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, study=study, **kwargs)
        used = set(study.items.order_by().values_list("response__prompt", flat=True).distinct())
        self.fields["prompts"].choices = prompt_versions.choices(used)  # type: ignore[attr-defined]
        labels = study.judged_by.scale.labels
        verdicts = [*labels.items(), (rounds.NO_VERDICT, "No final verdict")]
        self.fields["verdicts"].choices = verdicts  # type: ignore[attr-defined]

    def clean_numbers(self) -> list[int]:
        numbers = numbers_in(self.cleaned_data["numbers"])
        if numbers is None:
            raise forms.ValidationError(
                f"Write numbers and ranges with commas between them, as 3, 17, 20-25; at most {MOST_NUMBERS}."
            )
        return numbers

    def again(self) -> rounds.JudgedAgain:
        entered = self.cleaned_data
        return rounds.JudgedAgain(entered["prompts"], entered["verdicts"], entered["numbers"])

    def round_plan(self) -> rounds.RoundPlan:
        return self.plan(counts=self.cleaned_data["counts"])


class AddedForm(RoundForm):
    """A round over responses that the study gets, with anchors among its own."""

    runs = RunsField(Run.objects.none(), widget=forms.CheckboxSelectMultiple, label="From the runs")
    language_models = ResponseModelsField(
        LanguageModel.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="By the models",
        help_text="Tick none to take all. Responses that the study has are not taken again.",
    )
    anchor_percent = forms.IntegerField(
        min_value=1,
        max_value=100,
        initial=20,
        label="Percent of the responses with a final verdict by the rubric of this round, judged again as anchors",
        help_text="Mixed with the new ones, so that no order shows the new model. The report compares their verdicts "
        "in both rounds. The earlier ones stay final.",
    )

    field_order = ("reason", "runs", "language_models", "anchor_percent", "rubric", "judges")

    def __init__(self, *args: Any, study: Study, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, study=study, **kwargs)
        self.study = study
        runs = answered_runs(person, study.declaration.name)
        self.fields["runs"].queryset = runs  # type: ignore[attr-defined]
        self.fields["language_models"].queryset = LanguageModel.objects.filter(  # type: ignore[attr-defined]
            responses__run__in=runs.values("pk")
        ).distinct()

    def added(self) -> rounds.AddedResponses:
        """To the prompts and the questions that the study has."""
        entered, items = self.cleaned_data, self.study.items.order_by()
        prompts = items.values_list("response__prompt", flat=True).distinct()
        selection = Selection(
            list(entered["runs"]),
            list(prompts),
            list(entered["language_models"]),
            superseded=True,
            instances=set(items.values_list("response__instance", flat=True)),
            label=self.study.only_label,
        )
        return rounds.AddedResponses(selection, entered["anchor_percent"])

    def round_plan(self) -> rounds.RoundPlan:
        return self.plan(counts=False)


class ReopenForm(forms.Form):
    """Why a closed study is opened again, for its judges to finish."""

    reason = forms.CharField(
        max_length=rounds.REASON_LIMIT,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Why the study is opened again",
    )
