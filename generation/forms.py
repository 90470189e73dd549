"""What admins enter: a model to ask, a run to make."""

from typing import Any

from django import forms

from datasets.models import Collection
from generation import chat, client, prompting
from generation.models import LanguageModel
from generation.presenting import options_line

LARGEST_SEED = 2**53

FIND_OUT, EMPTY, NONE = "find out", "empty", "none"


class ModelForm(forms.Form):
    """A service's model with the options it is always asked with."""

    service = forms.ChoiceField()
    model_id = forms.CharField(
        label="Model",
        max_length=200,
        help_text="As the service names it.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    display_name = forms.CharField(
        required=False,
        max_length=200,
        label="Name on pages",
        help_text="Empty: the service's own name.",
    )
    temperature = forms.FloatField(
        min_value=0, max_value=2, initial=0, help_text="0 is greedy: the same response every time."
    )
    max_tokens = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        initial=chat.DEFAULT_OPTIONS["max_tokens"],
        label="Most new tokens",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="Sent where the service takes one.",
    )
    system_message = forms.ChoiceField(
        choices=[
            (FIND_OUT, "Find out by a test call: empty if the model takes it, else none"),
            (EMPTY, "An empty one"),
            (NONE, "None (many chat templates then put in one of their own)"),
        ],
        initial=FIND_OUT,
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["service"].choices = [(name, name) for name in client.names()]  # type: ignore[attr-defined]

    @property
    def options(self) -> dict[str, Any]:
        """The options of a valid form, without the system message."""
        names = ("temperature", "max_tokens", "seed")
        return {
            name: self.cleaned_data[name] for name in names if self.cleaned_data[name] is not None
        }


class ModelsField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.service}; {options_line(obj.options)})"


class RunForm(forms.Form):
    """A run: which models are asked which prompts about which questions."""

    collection = forms.ModelChoiceField(Collection.objects.all(), empty_label="Choose a collection")
    language_models = ModelsField(
        LanguageModel.objects.exclude(service=""),
        widget=forms.CheckboxSelectMultiple,
        label="Models",
    )
    prompts = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)
    limit = forms.IntegerField(
        required=False, min_value=1, label="First questions only", help_text="Empty: all questions."
    )
    samples = forms.IntegerField(
        min_value=1,
        max_value=100,
        initial=1,
        label="Responses to each",
        help_text="More than one is of use only above temperature 0.",
    )
    name = forms.CharField(required=False, max_length=120, help_text="Empty: made from the above.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = prompting.prompts().values()
        self.fields["prompts"].choices = [  # type: ignore[attr-defined]
            (prompt.name, f"{prompt.label}: {prompt.title}") for prompt in known
        ]

    def clean_prompts(self) -> list[prompting.Prompt]:
        return [prompting.find(name) for name in self.cleaned_data["prompts"]]
