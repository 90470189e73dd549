"""A prompt as one form, and the data that a filled-in form makes."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import Q
from django.forms.boundfield import BoundField

from datasets.models import Collection
from generation import protocol_prompts
from generation.prompts import authoring, prompting
from generation.prompts.authoring import EXAMPLE, MOST_EXAMPLES
from generation.prompts.prompting import Form, PromptError
from protocols.declaration import WIKICONTRADICT
from protocols.models import Protocol

FORMS = {
    Form.TEXT: "A text as it comes",
    Form.SCORES: "The option whose token the model finds likeliest",
    Form.SPAN: "A span of a passage, or a reply that starts with None",
    Form.OPTION: "One of the options, as a reply",
}


class Text(forms.CharField):
    """Text as it was typed, its line breaks as in a file."""

    def __init__(self, rows: int = 0, **options: Any) -> None:
        if rows:
            options["widget"] = forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class PromptForm(forms.Form):
    """A prompt's text and what goes with it. Name and label are given once, with its first version."""

    name = Text(help_text="For files and commands, as cautious-reader. It cannot be changed later.")
    label = Text(help_text="Short, for tables, as C1. It cannot be changed later.")
    protocol = forms.ChoiceField(
        required=False, help_text="Whose records it is about. It cannot be changed later."
    )
    title = Text(help_text="What it asks, in a few words.")
    template = Text(
        rows=10,
        label="Text",
        help_text="Sent as it is, with a question's own words for {question}, {context1} and {context2}. Prompts of "
        "other protocols name their records' fields, and an element of a list as {options.2}.",
    )
    second = Text(
        rows=4,
        required=False,
        label="Second turn",
        help_text="Sent after the first reply, for which one writes {reply}. The answer to it is the response.",
    )
    form = forms.ChoiceField(required=False, choices=list(FORMS.items()), label="The answer is")
    options = Text(
        rows=4,
        required=False,
        help_text="One a line, such as A, B, C and D, if the answer is one of them. To be scored, each is one token.",
    )
    times = forms.IntegerField(
        required=False,
        label="Times asked",
        help_text=f"1 to {prompting.MOST_TIMES}, for a span or one of the options. A reply that is something else is "
        "kept, and the model is asked again. After the last, the response is skipped.",
    )
    insist = forms.BooleanField(
        required=False,
        label="Ask again also where a model's options make its replies the same, as temperature 0",
    )
    revised = forms.BooleanField(
        required=False, label="It shows the passages revised so that they agree"
    )
    gold = forms.MultipleChoiceField(
        required=False,
        choices=[
            (source, prompting.ANSWERS.get(source, source)) for source in prompting.GOLD_SOURCES
        ],
        widget=forms.CheckboxSelectMultiple,
        label="Gold answers",
    )
    verdicts = forms.MultipleChoiceField(
        required=False,
        choices=[(verdict, verdict.capitalize()) for verdict in prompting.VERDICTS],
        widget=forms.CheckboxSelectMultiple,
        label="Verdicts that fit it",
        help_text="A proposal: the rubric of a study decides.",
    )
    criteria = Text(
        rows=4,
        required=False,
        label="When a response gets which verdict",
        help_text="A proposal to those who write the rubric. No study opens without criteria in its rubric.",
    )
    source = Text(required=False, help_text="Where it comes from, such as a paper and its section.")

    def __init__(
        self, *args: Any, based_on: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.based_on = based_on
        installed = Protocol.objects.order_by("name").values_list("name", flat=True).distinct()
        names = [WIKICONTRADICT, *installed]
        self.fields["protocol"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]
        if len(names) == 1:
            del self.fields["protocol"]
        if based_on and based_on.get("protocol"):
            self._keep_declared(based_on)
            return
        examples = based_on.get("examples", []) if based_on else []
        for number in range(MOST_EXAMPLES):
            shown = examples[number] if number < len(examples) else {}
            for part in EXAMPLE:
                self.fields[f"{part}_{number}"] = Text(
                    rows=2, required=False, label=f"{part.capitalize()} of example {number + 1}"
                )
                self.initial[f"{part}_{number}"] = shown.get(part, "")
        if based_on is not None:
            self._start_from(based_on)

    def _start_from(self, based_on: Mapping[str, Any]) -> None:
        for name in ("name", "label", "protocol"):
            self.fields.pop(name, None)
        self.initial.update(based_on, options="\n".join(based_on.get("options", [])))

    def _keep_declared(self, based_on: Mapping[str, Any]) -> None:
        """The fields that prompts of other protocols have."""
        self._start_from(based_on)
        for name in authoring.OWN_FIELDS:
            self.fields.pop(name, None)
        places = protocol_prompts.places_in(based_on["protocol"])
        words = ", ".join(f"{{{name}}}" for name in places.named)
        self.fields["template"].help_text = f"Sent as it is, with a record's own words for {words}."

    @property
    def main(self) -> list[BoundField]:
        return [self[name] for name in self.fields if "_" not in name]

    @property
    def examples(self) -> list[tuple[list[BoundField], bool]]:
        """The fields of each example, and whether something is in them."""
        numbers = [n for n in range(MOST_EXAMPLES) if f"answer_{n}" in self.fields]
        rows = ([self[f"{part}_{n}"] for part in EXAMPLE] for n in numbers)
        return [(row, any(bound.value() for bound in row)) for row in rows]

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or self.cleaned_data
        if not self.errors:
            values = self.values()
            try:
                places = protocol_prompts.places_in(values.pop("protocol"))
                authoring.completed(values, "The prompt", places)
            except PromptError as error:
                field = error.field if error.field in self.fields else None
                self.add_error(field, str(error))
        return entered

    def values(self) -> dict[str, Any]:
        """What prompt_versions.add takes."""
        entered = self.cleaned_data
        fixed = {name: (self.based_on or entered)[name] for name in ("name", "label")}
        fixed["protocol"] = (self.based_on or entered).get("protocol") or WIKICONTRADICT
        examples = [
            {part: entered[f"{part}_{n}"] for part in EXAMPLE if entered.get(f"{part}_{n}")}
            for n in range(MOST_EXAMPLES)
        ]
        names = (
            "title", "template", "second", "form", "times", "insist", "revised", "gold", "verdicts", "criteria",
            "source",
        )  # fmt: skip
        return {
            **{name: entered[name] for name in names if name in entered},
            **fixed,
            "options": [line.strip() for line in entered["options"].split("\n") if line.strip()],
            "examples": [example for example in examples if example],
        }


class PreviewForm(forms.Form):
    """On which collection's first question a prompt of this protocol is shown."""

    collection = forms.ModelChoiceField(
        Collection.objects.none(), to_field_name="name", empty_label="Choose a collection"
    )

    def __init__(self, protocol: str, *args: Any) -> None:
        super().__init__(*args)
        is_own = protocol == WIKICONTRADICT
        fits = Q(protocol=None) if is_own else Q(protocol__name=protocol)
        self.fields["collection"].queryset = Collection.objects.filter(fits)  # type: ignore[attr-defined]
