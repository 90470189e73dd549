"""The forms of a study: its responses and design, its judges, its warm-up; and the import of one."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import Person
from accounts.roles import Role
from datasets.models import Subset
from datasets.readers.json_text import MAX_BYTES
from generation import prompt_versions
from generation.models import LanguageModel, Run
from judging import rubric_versions, warmup
from judging.forms.fields import (
    PeopleField,
    PersonField,
    ResponseModelsField,
    RubricField,
    RunsField,
    SubsetField,
    answered_runs,
    scorer_labels,
    subsets_of,
)
from judging.models import Rubric, Study
from judging.open_work import further_judges
from judging.rules.assignment import MOST_REPEATED
from judging.rules.resolution import WAYS
from judging.selections import Selection
from judging.studies import StudyDesign
from protocols.declaration import WIKICONTRADICT

MOST_JUDGES = 20
LARGEST_SEED = 2**53
MOST_FAST_SECONDS = 60
SEED_DRAWN = "Decides what the report draws. If empty, a random one is drawn and stored."
SUPERSEDED_RECORD = "Judge a subset's questions also where the record has a newer version since"
SUPERSEDED_DRAWN = "Draw a subset's questions also where the record has a newer version since"
# What is asked where people judge.
OF_JUDGING = (
    "rubric", "judges_per_response", "double_percent", "pairing", "without_own", "resolved_by", "order",
    "repeat_percent", "fast_seconds",
)  # fmt: skip


class HumanEvaluationForm(forms.Form):
    """A file of a published human evaluation, and the study that it becomes."""

    name = forms.CharField(
        max_length=120,
        label="Name of the study",
        help_text="A new name. Under the name of an existing study only the same file is accepted.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    file = forms.FileField(
        label="File",
        help_text=f"JSON in UTF-8, at most {MAX_BYTES // 2**20} MB. The whole file is imported, or nothing.",
    )
    allow_missing = forms.BooleanField(
        required=False,
        label="Import it even if a model lacks questions that other models have",
        help_text="The n of the models then differ. Every missing row is listed.",
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(f"The file is larger than {MAX_BYTES // 2**20} MB.")
        return file


class StudyForm(forms.Form):
    """A new study over responses to one protocol's records, and how people judge them, if they do."""

    name = forms.CharField(
        max_length=120, help_text="Judges see this name. Do not put a model's name in it."
    )
    runs = RunsField(Run.objects.none(), widget=forms.CheckboxSelectMultiple, label="Runs")
    prompts = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, required=False, help_text="Tick none to use all."
    )
    language_models = ResponseModelsField(
        LanguageModel.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Models",
        help_text="Tick none to use all.",
    )
    subset = SubsetField(
        Subset.objects.none(),
        required=False,
        empty_label="All questions of the runs",
        label="Questions",
        help_text="Or those of a subset, which a collection's page draws and keeps.",
    )
    superseded = forms.BooleanField(
        required=False,
        label="Judge a subset's questions also where the contradiction has a newer version since",
    )
    label = forms.ChoiceField(
        required=False,
        label="Only responses that a scorer labels",
        help_text="Drawn when the study is made. The report says how many no longer have the label.",
    )
    rubric = RubricField(
        Rubric.objects.none(),
        empty_label=None,
        help_text="It needs criteria and gold answers for each prompt that is judged. Studies → Rubrics has them all.",
    )
    judges_per_response = forms.IntegerField(
        min_value=1,
        max_value=MOST_JUDGES,
        initial=2,
        help_text="Agreement is measured with two or more judges. With one it is not measured.",
    )
    double_percent = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=100,
        initial=0,
        label="With one judge per response: percent of the questions judged by two",
        help_text="Agreement is then measured on this share; who disagrees is resolved as below. 0 means none.",
    )
    pairing = forms.ChoiceField(
        choices=Study.Pairing.choices,
        initial=Study.Pairing.ROTATION,
        widget=forms.RadioSelect,
        label="Who judges together",
        help_text="In a pool nobody is assigned: a response that a judge does not come to goes to the next one.",
    )
    resolved_by = forms.ChoiceField(
        choices=list(WAYS.items()),
        initial=next(iter(WAYS)),
        label="When judges disagree",
        widget=forms.RadioSelect,
    )
    order = forms.ChoiceField(
        choices=Study.Order.choices,
        initial=Study.Order.GROUPED,
        widget=forms.RadioSelect,
        label="Each judge's order",
        help_text="Grouped, the passages of a question are read once.",
    )
    repeat_percent = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_REPEATED,
        initial=0,
        label="Percent of each judge's responses that come twice",
        help_text="They come again later, to measure how well judges agree with themselves. 0 means none; 10 is usual.",
    )
    without_own = forms.BooleanField(
        required=False,
        label="Nobody judges responses to questions that they wrote or annotated",
        help_text="Otherwise the dry run and the report say how many verdicts are on one's own questions.",
    )
    fast_seconds = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_FAST_SECONDS,
        initial=StudyDesign.fast_seconds,
        label="Fast verdicts: given after fewer seconds than",
        help_text="The study's page shows each judge's share of them. No verdict is refused or left out for it.",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="Determines who judges what, and each judge's order. If empty, a random seed is drawn and stored.",
    )

    def __init__(
        self,
        *args: Any,
        person: Person,
        protocol: str,
        rubrics: QuerySet[Rubric] | None,
        **kwargs: Any,
    ) -> None:
        """`rubrics` are the versions that can be chosen; None: nobody judges."""
        super().__init__(*args, **kwargs)
        self.is_judged = rubrics is not None
        runs = answered_runs(person, protocol)
        used = set(runs.values_list("responses__prompt", flat=True))
        self.fields["runs"].queryset = runs  # type: ignore[attr-defined]
        self.fields["language_models"].queryset = LanguageModel.objects.filter(  # type: ignore[attr-defined]
            responses__run__in=runs.values("pk")
        ).distinct()
        self.fields["prompts"].choices = prompt_versions.choices(used)  # type: ignore[attr-defined]
        self.fields["subset"].queryset = subsets_of(runs)  # type: ignore[attr-defined]
        if labels := protocol != WIKICONTRADICT and scorer_labels(runs):
            choices = [("", "All"), *((one, one.replace("=", ": ")) for one in labels)]
            self.fields["label"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["label"]
        if protocol != WIKICONTRADICT:
            self.fields["superseded"].label = SUPERSEDED_RECORD
        if rubrics is not None:
            self.fields["rubric"].queryset = rubrics  # type: ignore[attr-defined]
            self.initial.setdefault("rubric", rubric_versions.current(protocol, rubrics).pk)
        else:
            for name in OF_JUDGING:
                del self.fields[name]
            self.fields["name"].help_text = ""
            self.fields["superseded"].label = SUPERSEDED_DRAWN
            self.fields["seed"].help_text = SEED_DRAWN

    def selection(self) -> Selection:
        entered = self.cleaned_data
        return Selection(
            list(entered["runs"]),
            entered["prompts"],
            list(entered["language_models"]),
            entered["subset"],
            entered["superseded"],
            label=entered.get("label", ""),
        )

    def clean_repeat_percent(self) -> int:
        return self.cleaned_data["repeat_percent"] or 0

    def clean_double_percent(self) -> int:
        return self.cleaned_data["double_percent"] or 0

    def clean_fast_seconds(self) -> int:
        return self.cleaned_data["fast_seconds"] or StudyDesign.fast_seconds

    def design(self) -> StudyDesign:
        seed = self.cleaned_data["seed"]
        if not self.is_judged:
            return StudyDesign(judges_per_response=0, seed=seed)
        return StudyDesign(seed=seed, **{name: self.cleaned_data[name] for name in OF_JUDGING})


class JudgesForm(forms.Form):
    """The judges of a study: active people with the role who can sign in, so nobody of the demonstration set."""

    judges = PeopleField(Person.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["judges"].queryset = Person.objects.who_may(Role.JUDGE)  # type: ignore[attr-defined]


class WarmUpForm(forms.Form):
    """The warm-up of a study: how many responses of which closed study, with their final verdicts."""

    source = forms.ModelChoiceField(
        Study.objects.none(),
        required=False,
        empty_label="Choose a closed study",
        label="From the study",
    )
    number = forms.IntegerField(
        min_value=0, max_value=warmup.MOST, label="Responses", help_text="0 means no warm-up."
    )

    def __init__(self, *args: Any, study: Study, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["source"].queryset = warmup.sources(study, person)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or self.cleaned_data
        if entered.get("number") and "source" not in self.errors and not entered["source"]:
            self.add_error("source", "Choose a closed study, or 0 responses.")
        return entered


class FurtherJudgeForm(forms.Form):
    """A further judge of an open study, who draws what is free."""

    judge = PersonField(Person.objects.none(), label="Further judge", empty_label="Choose a person")

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["judge"].queryset = further_judges(study)  # type: ignore[attr-defined]
