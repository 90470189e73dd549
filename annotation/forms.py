"""The form of a new campaign."""

from django import forms

from annotation.campaigns import Frame, Plan
from datasets.models import Collection
from wikifetch.models import TagKind

MOST_PEOPLE = 10


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
        return Plan(given["people_per_tag"], given["double_share"], given["seed"])
