"""The API of drafts, used by the annotate page's autosave."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import HasRole, person_of
from accounts.roles import Role
from annotation.evidence.provenance import read_captured
from annotation.fields.entries import entries_of
from annotation.fields.form_input import read_changes
from annotation.fields.steps import STEPS
from annotation.models import Annotation
from annotation.workflow import saving
from annotation.workflow.saving import Activity
from leases.refusal import Refusal
from pages.versions import IF_MATCH, version_of


class SaveIn(serializers.Serializer[Any]):
    """`entries`: any fields by name; `step`: the current step; `seconds`: active time since the last save.

    `provenance`: {"1": [{revision, start, end, sha256, text}], "2": …}, the pieces copied since the page was opened;
    `filled`: the fields that still hold what the app filled in.
    """

    entries = serializers.DictField()
    step = serializers.CharField(required=False, allow_blank=True, max_length=40, default="")
    seconds = serializers.FloatField(required=False, min_value=0, default=0)
    provenance = serializers.JSONField(required=False, default=dict)
    filled = serializers.JSONField(required=False, default=None)


class DraftOut(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    notices = serializers.ListField(child=serializers.CharField(), required=False)
    entries = serializers.DictField(required=False)


@extend_schema(methods=["GET"], responses=DraftOut)
@extend_schema(methods=["PATCH"], request=SaveIn, responses=DraftOut, parameters=[IF_MATCH])
@api_view(["GET", "PATCH"])
@permission_classes([HasRole.any_of(Role.ANNOTATOR)])
def draft(request: Request, annotation_id: int) -> Response:
    """One's own draft. A save from an older version is refused with 412 and both texts."""
    person = person_of(request)
    row = saving.draft_of(annotation_id, person)
    if request.method == "GET":
        return answer(row, entries=entries_of(row))
    given = SaveIn(data=request.data)
    given.is_valid(raise_exception=True)
    sent = given.validated_data
    reading = read_changes(STEPS, sent["entries"])
    if reading.problems:
        message = "Not saved: " + " ".join(reading.problems.values())
        raise Refusal(message, details={"fields": reading.problems})
    captured = read_captured(sent["provenance"], sent["filled"])
    saving.save(
        row,
        by=person,
        version=version_of(request),
        changes=reading.entries,
        activity=Activity(sent["step"], sent["seconds"]),
        captured=captured,
    )
    return answer(row, notices=[*reading.notices, *captured.notices])


def answer(row: Annotation, **more: object) -> Response:
    saved = {"version": row.version, "saved_at": row.saved_at.isoformat()}
    return Response({**saved, **more}, headers={"ETag": f'"{row.version}"'})
