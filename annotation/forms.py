"""The forms of a new campaign, of the guideline, and of what to list of one's own annotations."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotation.campaigns.opening import Frame, Plan
from annotation.guideline_text import MARKER, PARTS
from annotation.models import Campaign
from annotation.own_progress import FINISHED, Wanted
from datasets.models import Collection
from wikifetch.models import TagKind

MOST_PEOPLE = 10
MOST_IN_HAND = 100
MOST_GUIDELINE = 20_000  # characters of one part


class CampaignForm(forms.Form):
    """A campaign: which tags, how many people, where accepted annotations go."""

    name = forms.CharField(
        max_length=120, label="Name", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    kinds = forms.MultipleChoiceField(
        choices=TagKind.choices,
        required=False,
        label="Kinds of tag",
        help_text="None chosen: all live tags.",
        widget=forms.CheckboxSelectMultiple,
    )
    limit = forms.IntegerField(
        required=False,
        min_value=1,
        label="At most this many tags",
        help_text="Chosen at random with the seed. Leave it empty to use all that match.",
    )
    people_per_tag = forms.IntegerField(
        min_value=1, max_value=MOST_PEOPLE, initial=1, label="People per tag"
    )
    double_share = forms.FloatField(
        min_value=0,
        max_value=1,
        initial=1.0,
        label="Share of the tags that all of them annotate",
        help_text="From 0 to 1. The other tags get one person each.",
    )
    most_in_hand = forms.IntegerField(
        min_value=1,
        max_value=MOST_IN_HAND,
        initial=Plan.most_in_hand,
        label="Drafts per person",
        help_text="How many tags one person may have in progress at a time.",
    )
    seed = forms.IntegerField(
        initial=1,
        min_value=0,
        max_value=2**53,
        label="Seed",
        help_text="The same seed and the same tags give the same order.",
    )
    collection = forms.CharField(
        max_length=80,
        label="Collection for accepted annotations",
        help_text="A new name makes a new collection. Lower-case letters, digits, . _ - only.",
        validators=Collection._meta.get_field("name").validators,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def frame(self) -> Frame:
        return Frame(tuple(self.cleaned_data["kinds"]), self.cleaned_data["limit"] or 0)

    def plan(self) -> Plan:
        given = self.cleaned_data
        return Plan(
            given["people_per_tag"], given["double_share"], given["seed"], given["most_in_hand"]
        )


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
    def wanted(self) -> Wanted:
        self.is_valid()
        return Wanted(**self.cleaned_data)


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
