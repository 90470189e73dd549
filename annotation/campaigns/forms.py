"""The forms of campaigns: a new one, its limits, its list of assignments."""

from dataclasses import fields
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.forms import BoundField
from django.utils.text import slugify

from accounts.models import Person
from annotation.campaigns.campaign_people import annotators
from annotation.campaigns.opening import CampaignDesign, Frame, Limits
from annotation.campaigns.tag_drawing import CampaignPlan
from annotation.monitoring.assignment_list import CONCERNS, WantedAssignments
from annotation.states import AssignmentState
from datasets.models import Collection
from wikifetch.models import FetchRun, TagKind
from wikifetch.states import FetchState

MOST_PEOPLE = 10
MOST_IN_HAND = 100
MOST_TAGS = 1_000_000
MOST_DAYS = 90


class LimitsForm(forms.Form):
    """What one person may have, and when a campaign stops: may change while it is open."""

    most_in_hand = forms.IntegerField(
        min_value=1,
        max_value=MOST_IN_HAND,
        initial=Limits.most_in_hand,
        label="Drafts per person",
        help_text="How many tags one person may have in progress at a time.",
    )
    quota = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_TAGS,
        label="Tags per person",
        help_text="How many tags one person gets in the whole campaign. Empty: as many as there are.",
    )
    stop_at_valid = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_TAGS,
        label="Stop at so many valid tags",
        help_text="No more tags are then given out; drafts in progress can still be submitted.",
    )

    def limits(self) -> Limits:
        return Limits(**{field.name: self.cleaned_data[field.name] for field in fields(Limits)})


class CampaignForm(LimitsForm):
    """A campaign: which tags, how many of them, who annotates, where accepted annotations go.

    Only a name and the number of people for each tag are required.
    """

    marks_optional = False

    name = forms.CharField(
        max_length=120, label="Name", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    collection = forms.CharField(
        max_length=80,
        required=False,
        label="Collection for accepted annotations",
        help_text="A new name makes a new collection. Lower-case letters, digits, . _ - only. Empty: named after the "
        "campaign.",
        validators=Collection._meta.get_field("name").validators,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    fetch = forms.TypedChoiceField(required=False, label="Tags of", coerce=int, empty_value=None)
    category = forms.ChoiceField(required=False, label="Category")
    kinds = forms.MultipleChoiceField(
        choices=TagKind.choices,
        required=False,
        label="Kinds of tag",
        help_text="Nothing chosen: all kinds.",
        widget=forms.CheckboxSelectMultiple,
    )
    since = forms.IntegerField(
        required=False, min_value=1990, max_value=2100, label="Dated since",
        widget=forms.NumberInput(attrs={"placeholder": "year"}),
    )  # fmt: skip
    until = forms.IntegerField(
        required=False, min_value=1990, max_value=2100, label="Dated until",
        widget=forms.NumberInput(attrs={"placeholder": "year"}),
    )  # fmt: skip
    words = forms.CharField(
        required=False,
        max_length=200,
        label="Words",
        help_text="In the article’s title, the tag or the headings above it, as in the list of tags.",
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    limit = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_TAGS,
        label="At most this many tags",
        help_text="Chosen at random by the seed. Empty: all that match.",
    )
    reserve = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_TAGS,
        label="Tags in reserve",
        help_text="They replace tags that you withdraw or that everybody skips. With a number for each kind: so many "
        "of each kind.",
    )
    seed = forms.IntegerField(
        initial=1,
        min_value=0,
        max_value=2**53,
        label="Seed",
        help_text="The same seed and the same tags give the same order. Another number draws others.",
    )
    people_per_tag = forms.IntegerField(
        min_value=1, max_value=MOST_PEOPLE, initial=1, label="People for each tag"
    )
    double_share = forms.FloatField(
        min_value=0,
        max_value=1,
        initial=1.0,
        label="Share of the tags that all of them annotate",
        help_text="From 0 to 1. These tags are given out first. The others get one person each.",
    )
    people = forms.ModelMultipleChoiceField(
        queryset=annotators().order_by("name"),
        required=False,
        label="Annotators",
        help_text="Nobody chosen: all of them, also those who join later.",
        widget=forms.CheckboxSelectMultiple,
    )
    pilot = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_TAGS,
        label="Tags in a pilot",
        help_text="The first tags drawn are annotated in a round of their own; you open the main round, over all tags, "
        "when it is done.",
    )
    pilot_again = forms.BooleanField(
        required=False, label="People may get a tag of the pilot again in the main round"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        runs = FetchRun.objects.exclude(state=FetchState.CANCELLED, cursor=0)
        names = runs.filter(source=FetchRun.Source.CATEGORY).order_by("options__category")
        categories = names.values_list("options__category", flat=True).distinct()
        self._choose(
            "fetch", [(str(run.pk), str(run)) for run in runs.only("label")], "Every fetch"
        )
        self._choose("category", [(name, name) for name in categories], "Any category")
        for kind in TagKind:
            self.fields[stratum_field(kind)] = forms.IntegerField(
                required=False, min_value=1, max_value=MOST_TAGS, label=kind.label
            )

    def _choose(self, name: str, choices: list[tuple[str, str]], any_one: str) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", any_one), *choices]

    @property
    def strata(self) -> list[BoundField]:
        """The fields for the number of tags of each kind."""
        return [self[stratum_field(kind)] for kind in TagKind]

    def clean(self) -> dict[str, Any]:
        entered = super().clean() or self.cleaned_data
        numbers = {kind: entered.get(stratum_field(kind)) for kind in TagKind}
        entered["strata"] = {str(kind): number for kind, number in numbers.items() if number}
        if entered["strata"] and (entered.get("limit") or entered.get("kinds")):
            self.add_error(
                "limit",
                "Give a number for each kind of tag, or choose kinds and one number for all.",
            )
        if not entered.get("collection") and "collection" not in self.errors:
            entered["collection"] = slugify(entered.get("name", ""))[:80].strip("-_")
            if entered.get("name") and not entered["collection"]:
                self.add_error(
                    "collection", "Name it: the campaign’s name has no letter from a to z."
                )
            elif Collection.objects.filter(name=entered["collection"]).exists():
                self.add_error(
                    "collection",
                    f"There is a collection “{entered['collection']}” already. Write its name here to publish to it "
                    "too, or write another name.",
                )
        since, until = entered.get("since"), entered.get("until")
        if since and until and since > until:
            self.add_error("until", f"This is before {since}, the first year.")
        return entered

    def design(self) -> CampaignDesign:
        given = self.cleaned_data
        frame = {field.name: given[field.name] for field in fields(Frame)}
        plan = {
            field.name: given[field.name] or 0
            for field in fields(CampaignPlan)
            if field.name != "strata"
        }
        return CampaignDesign(
            Frame(**{**frame, "kinds": tuple(given["kinds"])}),
            CampaignPlan(**plan, strata=given["strata"]),
            self.limits(),
            tuple(given["people"]),
            given["pilot_again"],
        )


def stratum_field(kind: str) -> str:
    return f"of_{kind}"


class AssignmentFilter(forms.Form):
    """Which assignments of a campaign to list; a field that cannot be read leaves none out."""

    state = forms.ChoiceField(
        required=False, label="State", choices=[("", "Any"), *AssignmentState.choices]
    )
    person = forms.ChoiceField(required=False, label="Person")
    kind = forms.ChoiceField(required=False, label="Kind", choices=[("", "Any"), *TagKind.choices])
    concern = forms.ChoiceField(
        required=False,
        label="Needs a look",
        choices=[("", "All"), *((why.value, why.label) for why in CONCERNS)],
    )
    words = forms.CharField(
        required=False,
        max_length=200,
        label="Words",
        widget=forms.TextInput(attrs={"type": "search"}),
    )

    def __init__(self, *args: Any, people: QuerySet[Person], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        person = self.fields["person"]
        assert isinstance(person, forms.ChoiceField)
        person.choices = [("", "Any"), *((str(person.pk), person.name) for person in people)]

    @property
    def wanted(self) -> WantedAssignments:
        self.is_valid()
        return WantedAssignments(**self.cleaned_data)


class BulkForm(forms.Form):
    """What is done with the ticked assignments, or with every one that matches the filter."""

    WITHDRAW, REASSIGN, EXTEND = "withdraw", "reassign", "extend"

    every = forms.BooleanField(required=False, label="All that match, on every page")
    action = forms.ChoiceField(
        label="What to do",
        choices=[
            (EXTEND, "Extend the time of those in progress"),
            (REASSIGN, "Reassign to a person"),
            (WITHDRAW, "Withdraw from the campaign for good"),
        ],
    )
    person = forms.ModelChoiceField(
        queryset=Person.objects.none(),
        required=False,
        label="Person who gets them",
        empty_label="Choose a person",
    )
    days = forms.IntegerField(min_value=1, max_value=MOST_DAYS, initial=7, label="Days more")

    def __init__(self, *args: Any, people: QuerySet[Person], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        person = self.fields["person"]
        assert isinstance(person, forms.ModelChoiceField)
        person.queryset = people
