"""The API of entries, used by the autosave of the page on which they are written."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from annotation.fields.form_input import read_changes
from pages.rest.operations import operation
from pages.rest.parameters import version_of
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


@operation(
    "PATCH",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    takes=EntryIn,
    answers=EntryOut,
    refusals=(409,),
    versioned=True,
    cleans=True,
)
def entries_save(request: Request, key: int, sent: Mapping[str, Any]) -> Response:
    """Save fields of one's own entry. From an older version it is refused with 412 and both texts."""
    person = person_of(request)
    row = own_entry(key, person)
    reading = read_changes(row.form.steps, sent["entries"])
    reading.check()
    saving.save(row, by=person, version=version_of(request), changes=reading.entries)
    notices = [*reading.notices, *([saving.SUPERSEDED] if is_superseded(row) else [])]
    saved = {"version": row.version, "saved_at": row.saved_at, "notices": notices}
    return Response(EntryOut(saved).data, headers={"ETag": f'"{row.version}"'})
