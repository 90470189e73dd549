"""The forms of admins: a model, a run. Those of readers: which responses of a run are shown."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django import forms
from django.db import transaction

from accounts.models import Person
from datasets.models import Collection
from generation import caps, prompt_versions, runs
from generation.elsewhere.import_kind import MOST_BYTES
from generation.elsewhere.importing import checked_name
from generation.grid import OUTCOMES, GridChoice, GridColumns
from generation.inference import chat, client, markup, request_fields
from generation.model_pages import whole_name
from generation.models import LanguageModel, Run
from generation.prompts.prompting import Prompt
from generation.runs import LeftOut
from generation.states import ResponseState
from leases.refusal import Refusal

LARGEST_SEED = 2**53
NOT_OFFERED = (
    "There is no prompt %(value)s for the records of this collection. Choose among those below."
)
MOST_MONEY = 1e9
MOST_QUESTIONS = 10_000_000

TEST_CALL, EMPTY, NONE = "find out", "empty", "none"
# The system messages that a test call tries.
SYSTEMS = {TEST_CALL: ("", None), EMPTY: ("",), NONE: (None,)}


class ModelForm(forms.Form):
    """A service's model with the options of all its requests."""

    service = forms.ChoiceField()
    model_id = forms.CharField(
        label="Model",
        max_length=200,
        help_text="The name that the service uses.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    display_name = forms.CharField(
        required=False,
        max_length=200,
        label="Name on pages",
        help_text="If empty, the service's name is shown.",
    )
    temperature = forms.FloatField(
        required=False,
        min_value=0,
        max_value=2,
        initial=0,
        help_text="0 means greedy decoding: the same response every time. If empty, the service's own.",
    )
    max_tokens = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        initial=chat.DEFAULT_OPTIONS["max_tokens"],
        label="Maximum of new tokens",
        help_text="A model that reasons before it answers needs more: the reasoning counts.",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="Sent with each request. If empty, none.",
    )
    further = forms.CharField(
        required=False,
        max_length=request_fields.LONGEST,
        label="Further fields of each request",
        help_text='As one JSON object, such as {"top_p": 0.9}: any that the service takes. They tell this model from '
        "others. The guide to asking models says how thinking is switched off.",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )
    system_message = forms.ChoiceField(
        choices=[
            (TEST_CALL, "Decide by a test call: empty if the model accepts it, otherwise none"),
            (EMPTY, "Empty"),
            (NONE, "None (many chat templates then add their own)"),
        ],
        initial=TEST_CALL,
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["service"].choices = [(name, name) for name in client.names()]  # type: ignore[attr-defined]

    @property
    def options(self) -> dict[str, Any]:
        """The options of a valid form, without the system message."""
        names = ("temperature", "max_tokens", "seed")
        set_here = {name: self.cleaned_data[name] for name in names}
        given = {name: value for name, value in set_here.items() if value is not None}
        return {**given, **self.cleaned_data["further"]}

    def clean_further(self) -> dict[str, Any]:
        try:
            return request_fields.parsed(self.cleaned_data["further"])
        except request_fields.BadFields as bad:
            raise forms.ValidationError(str(bad)) from None


class MarksForm(forms.Form):
    """How a model marks its reasoning, or that its texts are shown with all markup."""

    marks = forms.ChoiceField(
        required=False,
        choices=[
            ("", "Not chosen: each mark of the table where a text begins with it"),
            *((mark.name, mark.name) for mark in markup.MARKS[1:]),
            (
                markup.SHOWN,
                "None: texts are shown as they are, with all markup, and nothing is held",
            ),
        ],
        label="Marks of reasoning",
        help_text="The model's own mark is also read where the chat template writes its opening. Special tokens and "
        "wrappers round an answer are taken off with each choice but the last.",
    )
    opens_reasoning = forms.BooleanField(
        required=False,
        label="The chat template writes the opening, so that replies begin within the reasoning",
    )


class PricesForm(forms.Form):
    """A model's prices, both or none."""

    price_read = forms.FloatField(
        required=False,
        min_value=0,
        max_value=MOST_MONEY,
        label="For a million tokens read",
        help_text="0 if it is free.",
    )
    price_written = forms.FloatField(
        required=False, min_value=0, max_value=MOST_MONEY, label="For a million tokens written"
    )

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or {}
        if not self.errors and (entered["price_read"] is None) != (
            entered["price_written"] is None
        ):
            raise forms.ValidationError("Enter both prices, or neither.")
        return entered


class CapForm(forms.Form):
    cost_cap = forms.FloatField(
        required=False,
        min_value=0,
        max_value=MOST_MONEY,
        label="Cap on the cost",
        help_text="In the currency of the models' prices. If empty, there is no cap.",
    )


class ModelsField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return whole_name(obj)


class RunForm(forms.Form):
    collection = forms.ModelChoiceField(Collection.objects.all(), empty_label="Choose a collection")
    language_models = ModelsField(
        LanguageModel.objects.exclude(service=""),
        widget=forms.CheckboxSelectMultiple,
        label="Models",
        help_text="None is needed where all texts are given.",
    )
    prompts = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": NOT_OFFERED},
    )
    limit = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_QUESTIONS,
        label="Only the first … questions",
        help_text="If empty, all questions.",
    )
    samples = forms.IntegerField(
        min_value=1,
        max_value=100,
        initial=1,
        label="Responses to each",
        help_text="More than one is useful only with a temperature above 0.",
    )
    name = forms.CharField(
        required=False, max_length=120, help_text="If empty, a name is made from the fields above."
    )
    cost_cap = forms.FloatField(
        required=False,
        min_value=0,
        max_value=MOST_MONEY,
        label="Cap on the cost",
        help_text="In the currency of the models' prices. No call begins that might exceed it; the run is then paused.",
    )
    # A form sent twice makes one run.
    form = forms.UUIDField(required=False, initial=uuid4, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Which prompts there are depends on the collection: it is chosen first where there are others than
        # WikiContradict's.
        self.is_chosen_first = Collection.objects.filter(protocol__isnull=False).exists()
        self.chosen = _collection_of(self["collection"].value())
        self.offered: dict[str, Prompt] = {}
        if self.chosen or not self.is_chosen_first:
            self.offered = prompt_versions.offered(self.chosen.protocol if self.chosen else None)
        self.fields["prompts"].choices = prompt_versions.choices(self.offered)  # type: ignore[attr-defined]
        if not self.offers_given:
            self.fields["language_models"].help_text = ""
        self.fields["language_models"].required = not self.offers_given

    @property
    def offers_given(self) -> bool:
        """Whether a prompt needs no model."""
        return any(prompt.given for prompt in self.offered.values())

    def clean_prompts(self) -> list[Prompt]:
        return [self.offered[name] for name in self.cleaned_data["prompts"]]

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or {}
        asks = any(not prompt.given for prompt in entered.get("prompts", ()))
        if asks and "language_models" in entered and not entered["language_models"]:
            self.add_error("language_models", "Choose at least one model.")
        return entered

    @transaction.atomic
    def make(self, by: Person) -> tuple[Run, list[LeftOut]]:
        """The run of a valid form as runs.create makes it, with its cap; the first one if the form was sent before."""
        given = self.cleaned_data
        was_sent = given["form"] is not None and Run.objects.filter(form=given["form"]).exists()
        run, left_out = runs.create(
            collection=given["collection"],
            models=list(given["language_models"]),
            prompts=given["prompts"],
            samples=given["samples"],
            limit=given["limit"],
            name=given["name"],
            by=by,
            form=given["form"],
        )
        if not was_sent:
            caps.set_cap(run, given["cost_cap"])
        return run, left_out


def _collection_of(entered: Any) -> Collection | None:
    key = str(entered or "")
    return Collection.objects.filter(pk=key).first() if key.isdecimal() else None


class ExtendForm(forms.Form):
    """Models and prompts that a run does not have yet."""

    language_models = ModelsField(
        LanguageModel.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Models",
    )
    prompts = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, run: Run, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = LanguageModel.objects.exclude(service="").exclude(runs=run)
        self.fields["language_models"].queryset = others  # type: ignore[attr-defined]
        self.offered = prompt_versions.offered(run.collection.protocol)
        lacking = self.offered.keys() - set(run.prompts)
        self.fields["prompts"].choices = prompt_versions.choices(lacking)  # type: ignore[attr-defined]

    def clean_prompts(self) -> list[Prompt]:
        return [self.offered[name] for name in self.cleaned_data["prompts"]]

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or {}
        if not self.errors and not (entered["language_models"] or entered["prompts"]):
            raise forms.ValidationError("Choose at least one model or prompt.")
        return entered


# ---------------------------------------------------------------- reading


class GridForm(forms.Form):
    """Which responses of a run the grid shows."""

    words = forms.CharField(
        required=False,
        max_length=500,
        label="Words in the response",
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
        help_text="All words must be in one response, in any order; words in quotation marks, together.",
    )
    outcome = forms.ChoiceField(required=False, label="State")
    prompt = forms.ChoiceField(required=False)
    model = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)

    def __init__(self, columns: GridColumns, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        outcomes = [(key, label) for key, (label, _) in OUTCOMES.items()]
        choices = {
            "outcome": [*ResponseState.choices, *outcomes],
            "prompt": columns.prompts.items(),
            "model": columns.models.items(),
        }
        for name, known in choices.items():
            self.fields[name].choices = [("", "All"), *known]  # type: ignore[attr-defined]

    @property
    def choice(self) -> GridChoice:
        return GridChoice(**self.cleaned_data)


class TwoModelsForm(forms.Form):
    """Which two models are compared, and by which prompt; the first of each unless chosen."""

    prompt = forms.ChoiceField()
    left = forms.TypedChoiceField(coerce=int, label="Model")
    right = forms.TypedChoiceField(coerce=int, label="Next to")

    def __init__(self, columns: GridColumns, data: Mapping[str, str]) -> None:
        models = [str(key) for key in columns.models]
        left = data.get("left") or models[0]
        right = next(key for key in models if key != left)
        usual = {"prompt": next(iter(columns.prompts)), "left": left, "right": right}
        super().__init__({**usual, **data})
        self._models = columns.models
        for name in usual:
            known = columns.prompts if name == "prompt" else columns.models
            self.fields[name].choices = list(known.items())  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or {}
        if not self.errors and entered["left"] == entered["right"]:
            raise forms.ValidationError("Choose two different models.")
        return entered

    @property
    def chosen(self) -> tuple[str, dict[int, str]]:
        """The prompt of a valid form, and the models by key with their names."""
        keys = (self.cleaned_data["left"], self.cleaned_data["right"])
        return self.cleaned_data["prompt"], {key: self._models[key] for key in keys}


class ResponsesFileForm(forms.Form):
    """A file of responses made elsewhere, and the name of its run."""

    file = forms.FileField(
        label="File",
        help_text=f"JSON Lines in UTF-8, at most {MOST_BYTES // 2**20} MB, or any size by manage.py import_responses.",
    )
    name = forms.CharField(
        required=False,
        max_length=120,
        label="Name of the run",
        help_text="Without one it is named for the release.",
    )

    def clean_name(self) -> str:
        try:
            return checked_name(self.cleaned_data["name"])
        except Refusal as refusal:
            raise forms.ValidationError(refusal.message) from None
