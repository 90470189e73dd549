"""Operations on records: those of a collection, and one."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.tokens.scopes import Scope
from datasets.api.collections import READERS, RecordQuestionOut
from datasets.api.filters import RECORD_FILTERS, in_slice
from datasets.blinding import keep_listed, shown_to
from datasets.contradiction_page import opened_record
from datasets.models import Contradiction
from datasets.records import collection_named, current, deviations_of, record_of
from pages.rest.lists import rows_page
from pages.rest.operations import operation


class DeviationOut(serializers.Serializer[Any]):
    kind = serializers.CharField()
    place = serializers.CharField()
    detail = serializers.CharField()


class RecordOut(serializers.ModelSerializer[Contradiction]):
    """`record` is as the published file has it, or as the collection's protocol declares it; `external_id` names it in
    files. `deviations`: where it differs from what the form asks for.
    """

    record = serializers.SerializerMethodField()
    questions = RecordQuestionOut(many=True, source="instances")
    deviations = serializers.SerializerMethodField()

    class Meta:
        model = Contradiction
        fields: tuple[str, ...] = (
            "id", "external_id", "version", "position", "oldid", "created_at", "record", "questions", "deviations",
        )  # fmt: skip

    @extend_schema_field(serializers.DictField)
    def get_record(self, row: Contradiction) -> dict[str, Any]:
        return record_of(row)

    @extend_schema_field(DeviationOut(many=True))
    def get_deviations(self, row: Contradiction) -> list[dict[str, str]]:
        return [deviation._asdict() for deviation in deviations_of(row)]


class OneRecordOut(RecordOut):
    """`supersedes` and `superseded_by`: the ids of the version before and the next one."""

    collection = serializers.CharField(source="collection.name")
    supersedes = serializers.IntegerField(source="supersedes_id", allow_null=True)
    superseded_by = serializers.IntegerField(
        source="superseded_by.pk", default=None, allow_null=True
    )

    class Meta:
        model = Contradiction
        fields = ("collection", *RecordOut.Meta.fields, "supersedes", "superseded_by")


@operation(
    "GET", scope=Scope.READ, roles=READERS, answers=RecordOut, parameters=RECORD_FILTERS, listed=True
)  # fmt: skip
def records_list(request: Request, name: str) -> Response:
    """The newest records of a collection that one may see now, in its order."""
    collection, person = collection_named(name), person_of(request)
    rows = in_slice(request, collection, shown_to(person, current(collection)), of_records=True)
    related = rows.defer(None).select_related("collection__protocol").prefetch_related("instances")
    return rows_page(
        request,
        related,
        RecordOut,
        order=("position", "pk"),
        shown=lambda page: keep_listed(person, (row.pk for row in page), request.path),
    )


@operation("GET", scope=Scope.READ, roles=READERS, answers=OneRecordOut, refusals=(409,))
def records_read(request: Request, key: int) -> Contradiction:
    """A record, of any version."""
    return opened_record(person_of(request), key, request.path)
