"""The forms of judge models and their prompt."""

from typing import Any

from django import forms

from generation import prompt_versions
from generation.inference import client
from generation.models import LanguageModel
from judging.forms.fields import JudgeModelField, JudgePromptField
from judging.machine import judge_prompts
from judging.models import JudgePrompt, Study
from judging.rules.halves import DEVELOPMENT, HELD_OUT

BOTH_ANSWERS = ("answer_1", "answer_2")


class JudgeModelForm(forms.Form):
    """A judge model, and the prompts whose responses it judges."""

    language_model = JudgeModelField(
        LanguageModel.objects.none(), label="Model that judges", empty_label="Choose a model"
    )
    prompts = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Responses to",
        help_text="The judge prompt was written for prompt 5: it expects several gold answers.",
    )
    judge_prompt = JudgePromptField(
        JudgePrompt.objects.none(), label="Judge prompt", empty_label=None
    )
    half = forms.ChoiceField(
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
        self.fields["half"].choices = [  # type: ignore[attr-defined]
            ("", f"All {study.declaration.cluster_word}s"),
            (DEVELOPMENT, "The development half, to choose a model on"),
            (HELD_OUT, "The held-out half"),
        ]
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
