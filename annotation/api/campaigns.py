"""Operations on campaigns: the list, one's progress, its annotations, and its files."""

from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from annotation.blinding.gate import check_annotations
from annotation.blinding.hiding import hidden_from
from annotation.blinding.seeing import keep_views
from annotation.exporting.annotation_records import (
    IN_ORDER,
    exported,
    record_of,
    submitted_once,
    with_related,
)
from annotation.exporting.campaign_files import EXPORTS, CampaignFile
from annotation.models import Annotation, Campaign
from annotation.monitoring.campaign_figures import PersonFigures, campaign_progress
from annotation.states import AnnotationState, CampaignState
from annotation.views import monitoring
from annotation.views.campaigns import campaign_at
from datasets.models import Validity
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import choice

# Whoever reads the list of tags, which names the campaigns.
READERS = (Role.ADMIN, Role.ANNOTATOR, Role.RESEARCHER)
EXPORTERS = (Role.ADMIN, Role.RESEARCHER)
MEDIA = tuple({file.content_type.partition(";")[0]: None for file in EXPORTS.values()})


class CampaignOut(serializers.ModelSerializer[Campaign]):
    """`round`: the last round that is open."""

    round = serializers.IntegerField(source="open_round")
    collection = serializers.CharField(source="collection.name")
    guideline = serializers.CharField(source="guideline.version", default=None, allow_null=True)

    class Meta:
        model = Campaign
        fields = (
            "id", "name", "state", "round", "collection", "guideline", "is_demonstration",
            "created_at",
        )  # fmt: skip


class CampaignPaceOut(serializers.Serializer[Any]):
    """`submitted` in the last `days` days, `left` to be submitted, and the expected last day, or why there is none."""

    submitted = serializers.IntegerField()
    days = serializers.IntegerField()
    left = serializers.IntegerField()
    end = serializers.DateField(allow_null=True)
    reason = serializers.CharField()


class CampaignPersonOut(serializers.Serializer[PersonFigures]):
    """One person's part, by pseudonym. `minutes`: the median of a submitted tag."""

    person = serializers.CharField(source="person.pseudonym")
    held = serializers.IntegerField()
    submitted = serializers.IntegerField()
    skipped = serializers.IntegerField()
    invalid = serializers.IntegerField(allow_null=True)
    flagged = serializers.IntegerField()
    minutes = serializers.FloatField(allow_null=True)
    hours = serializers.FloatField()
    last_day = serializers.DateField(allow_null=True)


class CampaignProgressOut(serializers.Serializer[Any]):
    """`done` of `tags` have all their annotations submitted; `submitted` of `wanted` assignments are.

    `minutes` is the median of the `timed` annotations. `invalid` is null while that is hidden from the reader.
    """

    tags = serializers.IntegerField()
    done = serializers.IntegerField()
    wanted = serializers.IntegerField()
    submitted = serializers.IntegerField()
    invalid = serializers.IntegerField(allow_null=True)
    flagged = serializers.IntegerField()
    minutes = serializers.FloatField(allow_null=True)
    timed = serializers.IntegerField()
    hours = serializers.FloatField()
    pace = CampaignPaceOut()
    people = CampaignPersonOut(many=True)


class AnnotatedTagOut(serializers.Serializer[Any]):
    """`order` in the draw and `slot` are those of the first submission."""

    order = serializers.IntegerField()
    slot = serializers.IntegerField(allow_null=True)
    wiki = serializers.CharField()
    title = serializers.CharField()
    pageid = serializers.IntegerField()
    revid = serializers.IntegerField()
    url = serializers.CharField()
    kind = serializers.CharField()
    wikitext = serializers.CharField()
    date = serializers.CharField()
    reason = serializers.CharField()
    section = serializers.CharField()
    is_live = serializers.BooleanField()


class AnnotationOut(serializers.Serializer[Annotation]):
    """As a line of annotations.jsonl; `record` is the id of the record that it was published as.

    `annotator` is a pseudonym; until a tag of several people is decided it is a letter, and there are no times.
    """

    round = serializers.IntegerField()
    tag = AnnotatedTagOut()
    annotator = serializers.CharField()
    guideline = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(AnnotationState.choices)
    version = serializers.IntegerField()
    entries = serializers.DictField()
    touched = serializers.ListField(child=serializers.CharField())
    filled = serializers.ListField(child=serializers.CharField())
    provenance = serializers.DictField()
    checked_warnings = serializers.ListField()
    flagged = serializers.BooleanField()
    flag_note = serializers.CharField()
    seconds_active = serializers.FloatField()
    first_entries = serializers.DictField(allow_null=True)
    created_at = serializers.DateTimeField(allow_null=True)
    first_submitted_at = serializers.DateTimeField(allow_null=True)
    submitted_at = serializers.DateTimeField(allow_null=True)
    saved_at = serializers.DateTimeField(allow_null=True)
    reviews = serializers.ListField(child=serializers.DictField())
    record = serializers.CharField(allow_null=True)

    def to_representation(self, annotation: Annotation) -> dict[str, Any]:
        return record_of(annotation)


class CampaignFileOut(serializers.Serializer[CampaignFile]):
    """`holds` and `leaves_out` say what is in the file, and what is not."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    holds = serializers.CharField()
    leaves_out = serializers.CharField()
    content_type = serializers.CharField()
    url = serializers.SerializerMethodField()

    def get_url(self, file: CampaignFile) -> str:
        named = [self.context["campaign"].pk, file.name]
        url: str = self.context["request"].build_absolute_uri(
            reverse("annotation:api_file", args=named)
        )
        return url


class CampaignFilesOut(serializers.Serializer[Any]):
    files = CampaignFileOut(many=True)


@operation(
    "GET",
    scope=Scope.READ,
    roles=READERS,
    answers=CampaignOut,
    listed=True,
    parameters=(choice("state", CampaignState, "state"),),
    etag=True,
)
def campaigns_list(request: Request) -> Response:
    """All campaigns, with the collection that each publishes into."""
    rows = Campaign.objects.select_related("collection", "guideline")
    return rows_page(request, rows, CampaignOut, order=("-pk",))


@operation("GET", scope=Scope.READ, roles=(Role.ADMIN,), answers=CampaignProgressOut)
def campaigns_progress(request: Request, campaign_id: int) -> dict[str, Any]:
    """A campaign in numbers, all rounds together, and each person's part in it."""
    campaign = campaign_at(campaign_id)
    figures, people = campaign_progress(campaign)
    is_blind = hidden_from(person_of(request), submitted_once(campaign)).exists()
    hidden = {"invalid": None} if is_blind else {}
    return {**vars(figures), **hidden, "people": [{**vars(part), **hidden} for part in people]}


@operation(
    "GET",
    scope=Scope.READ,
    roles=EXPORTERS,
    answers=AnnotationOut,
    listed=True,
    refusals=(409,),
    parameters=(
        choice(
            "state", [state for state in AnnotationState if state != AnnotationState.DRAFT], "state"
        ),
        choice("validity", Validity, "validity"),
    ),
)
def campaigns_annotations(request: Request, campaign_id: int) -> Response:
    """What was submitted in a campaign, in the order of the draw.

    While you could still be given one of its tags, it asks first: 409 with `agree`.
    """
    campaign, person = campaign_at(campaign_id), person_of(request)
    check_annotations(person, submitted_once(campaign))

    def shown(page: list[Annotation]) -> None:
        of_page = Annotation.objects.filter(pk__in=[row.pk for row in page])
        keep_views(person, of_page, request.path)

    rows = with_related(exported(campaign))
    return rows_page(request, rows, AnnotationOut, order=IN_ORDER, shown=shown)


@operation("GET", scope=Scope.READ, roles=EXPORTERS, answers=CampaignFilesOut, etag=True)
def campaigns_files(request: Request, campaign_id: int) -> Response:
    """The files that a campaign is exported as."""
    context = {"campaign": campaign_at(campaign_id), "request": request}
    return Response(CampaignFilesOut({"files": EXPORTS.values()}, context=context).data)


@operation("GET", scope=Scope.EXPORT, roles=EXPORTERS, refusals=(409,), media=MEDIA, etag=True)
def campaigns_file(request: Request, campaign_id: int, name: str) -> HttpResponseBase:
    """One of these files. While you could still be given one of its tags, it asks first: 409 with `agree`."""
    return monitoring.campaign_file(request, campaign_id, name)
