"""The API of entries, used by the autosave of the page on which they are written."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import HasRole, person_of
from accounts.roles import Role
from annotation.fields.form_input import read_changes
from leases.refusal import Refusal
from pages.versions import IF_MATCH, version_of
from writing import saving
from writing.taking import own_entry
from writing.targets import is_superseded


class EntryIn(serializers.Serializer[Any]):
    """`entries`: any fields of the form by name."""

    entries = serializers.DictField()


class EntryOut(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    notices = serializers.ListField(child=serializers.CharField())


@extend_schema(request=EntryIn, responses=EntryOut, parameters=[IF_MATCH])
@api_view(["PATCH"])
@permission_classes([HasRole.any_of(Role.ANNOTATOR)])
def entry(request: Request, key: int) -> Response:
    """Save one's own entry. A save from an older version is refused with 412 and both texts."""
    person = person_of(request)
    row = own_entry(key, person)
    given = EntryIn(data=request.data)
    given.is_valid(raise_exception=True)
    reading = read_changes(row.form.steps, given.validated_data["entries"])
    if reading.problems:
        message = "Not saved: " + " ".join(reading.problems.values())
        raise Refusal(message, details={"fields": reading.problems})
    saving.save(row, by=person, version=version_of(request), changes=reading.entries)
    notices = [*reading.notices, *([saving.SUPERSEDED] if is_superseded(row) else [])]
    saved = {"version": row.version, "saved_at": row.saved_at.isoformat(), "notices": notices}
    return Response(saved, headers={"ETag": f'"{row.version}"'})
