"""The forms of judging. studies.py and adjudication.py decide what is stored."""

from functools import cached_property
from typing import Any

from django import forms
from django.db.models import BooleanField, Count, ExpressionWrapper, QuerySet

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from datasets.importers.json_text import MAX_BYTES
from datasets.models import Subset
from generation import prompt_versions
from generation.inference import client
from generation.models import LanguageModel, Run
from generation.states import ResponseState
from judging import rounds, rubric_versions, warmup
from judging.blinding import hidden_run_ids
from judging.machine import judge_prompts
from judging.models import JudgePrompt, Rubric, Study
from judging.presenting import VerdictChoice
from judging.published import over_runs
from judging.rules.assignment import MOST_REPEATED
from judging.rules.halves import DEVELOPMENT, HELD_OUT
from judging.rules.numbers import MOST_NUMBERS, numbers_in
from judging.rules.resolution import CAUSES, WAYS
from judging.selections import Selection
from judging.studies import StudyDesign
from pages.counting import how_many

MOST_JUDGES = 20
BOTH_ANSWERS = ("answer_1", "answer_2")
LARGEST_SEED = 2**53
MOST_FAST_SECONDS = 60


class ResponseModelsField(forms.ModelMultipleChoiceField):
    """Language models, shown with their service because names repeat."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.service or 'imported'})"


class JudgeModelField(forms.ModelChoiceField):
    """One language model, shown in the same way."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.service})"


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


class RunsField(forms.ModelMultipleChoiceField):
    """Runs with how many of their responses are finished (annotated by answered_runs); whether numbers are public."""

    @cached_property
    def published(self) -> set[int]:
        keys = self.queryset.values_list("pk", flat=True) if self.queryset is not None else []
        return {report.run for report in over_runs(list(keys))}

    def label_from_instance(self, obj: Any) -> str:
        public = ", a report on it is published" if obj.pk in self.published else ""
        return f"{obj.name}: {how_many(obj.answered, 'finished response')}{public}"


class PeopleField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.username})"


class PersonField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.username})"


def possible_judges() -> QuerySet[Person]:
    granted = RoleGrant.objects.filter(role=Role.JUDGE).values("person")
    return Person.objects.filter(pk__in=granted, is_active=True, is_demonstration=False)


def answered_runs(person: Person) -> QuerySet[Run]:
    """The runs with finished responses that `person` may see now."""
    done = Run.objects.filter(responses__state=ResponseState.DONE)
    seen = done.exclude(pk__in=hidden_run_ids(person))
    return seen.annotate(answered=Count("responses")).order_by("-pk")


class RubricField(forms.ModelChoiceField):
    """A version of a rubric with its title and author."""

    def label_from_instance(self, obj: Any) -> str:
        author = obj.author.name if obj.author else "comes with the program"
        return f"{obj}: {obj.body['title']} ({author})"


class SubsetField(forms.ModelChoiceField):
    """A subset with its collection and size (annotated by subsets_of)."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.collection.name}): {how_many(obj.size, 'question')}"


def subsets_of(runs: QuerySet[Run]) -> QuerySet[Subset]:
    """The subsets of the collections that these runs ask about."""
    rows = Subset.objects.filter(collection__in=runs.order_by().values("collection"))
    return rows.select_related("collection").annotate(size=Count("instances")).order_by("-pk")


class StudyForm(forms.Form):
    """A new study: its responses and its design."""

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

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        runs = answered_runs(person)
        used = set(runs.values_list("responses__prompt", flat=True))
        self.fields["runs"].queryset = runs  # type: ignore[attr-defined]
        self.fields["language_models"].queryset = LanguageModel.objects.filter(  # type: ignore[attr-defined]
            responses__run__in=runs.values("pk")
        ).distinct()
        self.fields["prompts"].choices = prompt_versions.choices(used)  # type: ignore[attr-defined]
        self.fields["subset"].queryset = subsets_of(runs)  # type: ignore[attr-defined]
        self.fields["rubric"].queryset = rubric_versions.versions()  # type: ignore[attr-defined]
        self.initial.setdefault("rubric", rubric_versions.current().pk)

    def selection(self) -> Selection:
        entered = self.cleaned_data
        return Selection(
            list(entered["runs"]),
            entered["prompts"],
            list(entered["language_models"]),
            entered["subset"],
            entered["superseded"],
        )

    def clean_repeat_percent(self) -> int:
        return self.cleaned_data["repeat_percent"] or 0

    def clean_double_percent(self) -> int:
        return self.cleaned_data["double_percent"] or 0

    def clean_fast_seconds(self) -> int:
        return self.cleaned_data["fast_seconds"] or StudyDesign.fast_seconds

    def design(self) -> StudyDesign:
        names = (
            "judges_per_response", "resolved_by", "order", "pairing", "double_percent", "repeat_percent",
            "without_own", "fast_seconds", "seed", "rubric",
        )  # fmt: skip
        return StudyDesign(**{name: self.cleaned_data[name] for name in names})


class JudgePromptField(forms.ModelChoiceField):
    """A version of the judge prompt."""

    def label_from_instance(self, obj: Any) -> str:
        return f"Version {obj.version}: {obj.title}"


class JudgeModelForm(forms.Form):
    """A judge model, and the prompts whose responses it judges."""

    language_model = JudgeModelField(LanguageModel.objects.none(), label="Model that judges")
    prompts = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Responses to",
        help_text="The judge prompt was written for prompt 5: it expects several gold answers.",
    )
    judge_prompt = JudgePromptField(
        JudgePrompt.objects.none(), label="Judge prompt", empty_label=None
    )
    half = forms.ChoiceField(
        choices=[
            ("", "All articles"),
            (DEVELOPMENT, "The development half, to choose a model on"),
            (HELD_OUT, "The held-out half"),
        ],
        required=False,
        label="About",
        help_text="To compare models, ask them about the development half; then ask the chosen one about the other.",
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        used = set(study.items.order_by().values_list("response__prompt", flat=True).distinct())
        known = prompt_versions.known(used)
        both = [name for name in known if known[name].gold == BOTH_ANSWERS]
        kwargs.setdefault("initial", {"prompts": both})
        super().__init__(*args, **kwargs)
        models = LanguageModel.objects.filter(service__in=client.names())
        self.fields["language_model"].queryset = models  # type: ignore[attr-defined]
        versions = judge_prompts.versions()
        self.fields["judge_prompt"].queryset = versions  # type: ignore[attr-defined]
        self.initial.setdefault("judge_prompt", versions[0].pk)
        self.fields["prompts"].choices = prompt_versions.choices(used)  # type: ignore[attr-defined]


class JudgePromptForm(forms.Form):
    """The text of a version of the judge prompt."""

    title = forms.CharField(max_length=judge_prompts.LONGEST_TITLE, label="Title")
    template = forms.CharField(
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24}),
        label="Text",
        help_text="{Question}, {Answer1} | {Answer2} and {LLM response} are filled in for each response; all its gold "
        "answers are put where the two are. The verdict is read after the reply's last “evaluation:”.",
    )
    source = forms.CharField(
        required=False,
        label="Source",
        help_text="What it follows, such as a paper and its section.",
    )
    note = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Next to people's rubric",
        help_text="Where its rules differ from those that people judge by, for example on merged answers. It is shown "
        "where the two are next to each other.",
    )


class JudgesForm(forms.Form):
    """The judges of a study: active people with the role who can sign in, so nobody of the demonstration set."""

    judges = PeopleField(Person.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["judges"].queryset = possible_judges()  # type: ignore[attr-defined]


class RoundJudgesField(PeopleField):
    """People, with a note at those who could read the verdicts of the rounds before."""

    def label_from_instance(self, obj: Any) -> str:
        reads = ", who may have read its verdicts" if obj.reads else ""
        return f"{obj.name} ({obj.username}){reads}"


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
        versions = rubric_versions.versions().filter(name=study.rubric.name)
        self.fields["rubric"].queryset = versions  # type: ignore[attr-defined]
        self.initial.setdefault("rubric", study.rubric_id)
        reads = ExpressionWrapper(rounds.could_read(study), BooleanField())
        judges = possible_judges().annotate(reads=reads)
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
        labels = study.rubric.scale.labels
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
        runs = answered_runs(person)
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

    judge = PersonField(Person.objects.none(), label="Further judge")

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        judging = study.judges.filter(person__isnull=False, removed_at=None).values("person")
        self.fields["judge"].queryset = possible_judges().exclude(pk__in=judging)  # type: ignore[attr-defined]


class DecisionForm(forms.Form):
    """A third person's decision."""

    verdict = forms.ChoiceField(widget=forms.RadioSelect)
    cause = forms.ChoiceField(
        choices=list(CAUSES.items()), widget=forms.RadioSelect, label="Why did they disagree?"
    )
    note = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        help_text="Required if your verdict agrees with none of the judges' verdicts.",
    )

    def __init__(self, *args: Any, choices: tuple[VerdictChoice, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verdict"].choices = [  # type: ignore[attr-defined]
            (choice.key, choice.label) for choice in choices
        ]


class DiscussionForm(DecisionForm):
    """What one of two judges proposes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["cause"].label = "Why did you disagree?"
        self.fields[
            "note"
        ].help_text = "It is kept with the verdict. Required if neither judge gave this verdict."
