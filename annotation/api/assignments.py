"""Operations on one's own assignments: the list, the next tag, skipping one."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.models import Person
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from annotation.api.drafts import DraftOut, draft_data
from annotation.desk.draft_page import annotation_at
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import AssignmentState
from annotation.views.campaigns import NO_CAMPAIGN
from annotation.workflow import claiming, saving
from leases.refusal import NotFoundHere
from leases.rows import first_of
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import choice, number
from wikifetch.sighting_out import SightingOut

# What a person has had: a tag that is free or in reserve is nobody's.
OWN_STATES = (
    AssignmentState.HELD, AssignmentState.SUBMITTED, AssignmentState.SKIPPED, AssignmentState.UNNEEDED,
    AssignmentState.WITHDRAWN,
)  # fmt: skip


class OwnDraftOut(serializers.ModelSerializer[Annotation]):
    class Meta:
        model = Annotation
        fields = ("id", "state", "version", "saved_at")


class AssignmentOut(serializers.ModelSerializer[Assignment]):
    """A tag that one annotates or has annotated; it is held until `lease_until`, which each save moves on."""

    title = serializers.CharField(source="tag.article.title")
    draft = OwnDraftOut(source="annotation", default=None, allow_null=True)

    class Meta:
        model = Assignment
        fields = (
            "id", "campaign", "round", "tag", "title", "state", "lease_until", "skip_reason", "draft",
        )  # fmt: skip


class AssignmentNextIn(serializers.Serializer[Any]):
    """`campaign`: its id, to get a tag of this one alone."""

    campaign = serializers.IntegerField(min_value=1, default=None, allow_null=True)


class AssignmentNextOut(serializers.Serializer[Any]):
    """A tag in hand: what was seen of it where the annotation pins it, and the draft."""

    id = serializers.IntegerField()
    campaign = serializers.IntegerField()
    round = serializers.IntegerField()
    tag = SightingOut()
    draft = DraftOut()


class AssignmentSkipIn(serializers.Serializer[Any]):
    reason = serializers.CharField(
        max_length=claiming.MOST_REASON, help_text="The next person reads it."
    )


def own_assignments(request: Request) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(person=person_of(request))
    return rows.select_related("tag__article", "annotation")


@operation(
    "GET",
    scope=Scope.READ,
    roles=(Role.ANNOTATOR,),
    answers=AssignmentOut,
    listed=True,
    parameters=(choice("state", OWN_STATES, "state"), number("campaign", "campaign")),
    etag=True,
)
def assignments_list(request: Request) -> Response:
    """The tags that one has, had or skipped."""
    return rows_page(request, own_assignments(request), AssignmentOut)


@operation(
    "POST",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    takes=AssignmentNextIn,
    answers=AssignmentNextOut,
    refusals=(404, 409),
)
def assignments_next(request: Request, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The tag that one has in hand, or else the next one; 404 with the code `none_left` where there is none."""
    person, wanted = person_of(request), sent["campaign"]
    campaign = first_of(Campaign.objects.filter(pk=wanted), NO_CAMPAIGN) if wanted else None
    assignment = claiming.in_hand_or_next(by=person, campaign=campaign)
    if assignment is None:
        raise NotFoundHere(claiming.none_left(campaign), code="none_left")
    return _in_hand(assignment, person)


def _in_hand(assignment: Assignment, person: Person) -> dict[str, Any]:
    draft = annotation_at(assignment.pk, person)
    return {
        "id": assignment.pk,
        "campaign": assignment.campaign_id,
        "round": assignment.round,
        "tag": draft.sighting,
        "draft": draft_data(draft),
    }


@operation(
    "POST",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    takes=AssignmentSkipIn,
    answers=AssignmentOut,
    refusals=(409,),
)
def assignments_skip(request: Request, assignment_id: int, sent: Mapping[str, Any]) -> Assignment:
    """Leave a tag to others for good, with a reason; the draft is kept as it was saved. Sent again it does nothing."""
    claiming.skip(assignment_id=assignment_id, by=person_of(request), reason=sent["reason"])
    return own_assignments(request).get(pk=assignment_id)


@operation("POST", scope=Scope.ANNOTATE, roles=(Role.ANNOTATOR,), answers=DraftOut, refusals=(409,))
def assignments_hand_back(request: Request, assignment_id: int) -> dict[str, Any]:
    """Free a tag for others. The draft is kept; take it up to go on with it. Sent again it is 404."""
    person = person_of(request)
    draft = annotation_at(assignment_id, person).pk
    claiming.hand_back(assignment_id=assignment_id, by=person)
    return draft_data(saving.draft_of(draft, person))


@operation(
    "POST",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    answers=AssignmentNextOut,
    refusals=(409,),
)
def drafts_take_up(request: Request, annotation_id: int) -> dict[str, Any]:
    """Go on with a draft whose tag is not in hand, as after handing it back."""
    person = person_of(request)
    return _in_hand(claiming.take_up(annotation_id=annotation_id, by=person), person)
