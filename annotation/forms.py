"""The forms of the guideline and of what to list of one's own annotations."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotation.desk.own_progress import FINISHED, WantedAnnotations
from annotation.guideline_text import MARKER, PARTS
from annotation.models import Campaign

MOST_GUIDELINE = 20_000  # characters of one part


class FinishedForm(forms.Form):
    """Which of one's own annotations to list; a field that cannot be read leaves nothing out."""

    words = forms.CharField(
        required=False, max_length=200, label="Words in the title or a question"
    )
    campaign = forms.ChoiceField(required=False, label="Campaign")
    state = forms.ChoiceField(
        required=False,
        label="State",
        choices=[("", "Any"), *((state.value, state.label) for state in FINISHED)],
    )

    def __init__(self, *args: Any, campaigns: QuerySet[Campaign], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(str(pk), name) for pk, name in campaigns.values_list("pk", "name")]
        campaign = self.fields["campaign"]
        assert isinstance(campaign, forms.ChoiceField)
        campaign.choices = [("", "Any"), *choices]

    @property
    def wanted(self) -> WantedAnnotations:
        self.is_valid()
        return WantedAnnotations(**self.cleaned_data)


class GuidelineForm(forms.Form):
    """The Markdown of each part of the guideline, by its anchor."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for anchor, name in PARTS.items():
            self.fields[anchor] = forms.CharField(
                label=name,
                max_length=MOST_GUIDELINE,
                validators=[no_marker],
                widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "true"}),
            )

    def clean(self) -> dict[str, str]:
        texts = super().clean() or self.cleaned_data
        return {anchor: text.replace("\r\n", "\n") for anchor, text in texts.items()}


def no_marker(text: str) -> None:
    if found := MARKER.search(text.replace("\r\n", "\n")):
        raise ValidationError(
            f"A line may not be “{found[0]}”: such lines separate the parts. Write it in another way."
        )
