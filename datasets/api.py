"""The API of collections, read-only."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import HasRole, person_of
from accounts.roles import Role
from datasets.blinding import hidden_in, keep_listed, keep_shown, shown_to
from datasets.counts import sizes
from datasets.excluding.exclusions import exclusions_of, listed
from datasets.models import Collection, Contradiction, Exclusion, Instance, RevisedPassage
from datasets.records import (
    check_not_declared,
    collection_named,
    current,
    deviations_of,
    record_of,
)
from pages.paging import paged

MayRead = HasRole.any_of(Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR)
MayExclude = HasRole.any_of(Role.ADMIN, Role.RESEARCHER)


class CollectionOut(serializers.ModelSerializer[Collection]):
    contradictions = serializers.SerializerMethodField()
    questions = serializers.SerializerMethodField()

    protocol = serializers.CharField(source="declaration.name")
    protocol_version = serializers.IntegerField(source="declaration.version")

    class Meta:
        model = Collection
        fields = (
            "name", "title", "source", "licence", "protocol", "protocol_version", "is_demonstration",
            "contradictions", "questions",
        )  # fmt: skip

    def get_contradictions(self, collection: Collection) -> int:
        return self.context["sizes"][collection.pk][0]

    def get_questions(self, collection: Collection) -> int:
        return self.context["sizes"][collection.pk][1]


class QuestionOut(serializers.ModelSerializer[Instance]):
    class Meta:
        model = Instance
        fields = ("id", "n", "question", "kind", "answer_1", "answer_2")


class DeviationOut(serializers.Serializer[Any]):
    kind = serializers.CharField()
    place = serializers.CharField()
    detail = serializers.CharField()


class ContradictionOut(serializers.ModelSerializer[Contradiction]):
    """`record` is the contradiction in the format of the published file, or as the protocol declares it."""

    record = serializers.SerializerMethodField()
    questions = QuestionOut(many=True, source="instances")
    deviations = serializers.SerializerMethodField()

    class Meta:
        model = Contradiction
        fields = (
            "id", "external_id", "version", "position", "oldid", "record", "questions",
            "deviations",
        )  # fmt: skip

    @extend_schema_field(serializers.DictField)
    def get_record(self, row: Contradiction) -> dict[str, Any]:
        return record_of(row)

    @extend_schema_field(DeviationOut(many=True))
    def get_deviations(self, row: Contradiction) -> list[dict[str, str]]:
        return [deviation._asdict() for deviation in deviations_of(row)]


@extend_schema(responses=CollectionOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def collections(request: Request) -> Response:
    """All collections with their numbers of contradictions and questions."""
    rows = Collection.objects.select_related("protocol")
    held = sizes(person_of(request), rows)
    return Response(CollectionOut(rows, many=True, context={"sizes": held}).data)


@extend_schema(responses=ContradictionOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def contradictions(request: Request, name: str) -> Response:
    """The newest contradictions of a collection, in its order; `?page=` and `?page_size=` (at most 500).

    `hidden` is how many are left out, because the reader may still annotate their tags.
    """
    collection, person = collection_named(name), person_of(request)
    rows = shown_to(person, current(collection)).defer(None).prefetch_related("instances")
    answer = paged(request, rows, ContradictionOut, hidden=hidden_in(person, collection))
    keep_listed(person, (row["id"] for row in answer.data["results"]), request.path)
    return answer


class OfQuestion(serializers.Serializer[Any]):
    """The fields that name the question of a row."""

    contradiction = serializers.CharField(source="instance.contradiction.external_id")
    question_number = serializers.IntegerField(source="instance.n")
    question = serializers.CharField(source="instance.question")


class ExclusionOut(OfQuestion, serializers.ModelSerializer[Exclusion]):
    """A proposal, or with `seconded_by` an exclusion in force; people appear under their pseudonyms.

    `is_undoing`: somebody proposes to undo it.
    """

    proposed_by = serializers.CharField(source="proposed_by.pseudonym")
    proposed_at = serializers.DateTimeField(source="created_at")
    seconded_by = serializers.CharField(source="seconded_by.pseudonym", default=None)
    is_undoing = serializers.BooleanField()

    class Meta:
        model = Exclusion
        fields = (
            "id", "contradiction", "question_number", "question", "reason", "proposed_by",
            "proposed_at", "seconded_by", "seconded_at", "is_undoing", "seen",
        )  # fmt: skip


@extend_schema(responses=ExclusionOut(many=True))
@api_view(["GET"])
@permission_classes([MayExclude])
def exclusions(request: Request, name: str) -> Response:
    """The questions that are proposed for exclusion or excluded, without those hidden from a judge."""
    person = person_of(request)
    answer = paged(request, listed(exclusions_of(collection_named(name), person)), ExclusionOut)
    of_page = {row["id"] for row in answer.data["results"]}
    keep_shown(person, Contradiction.objects.filter(instances__exclusion__in=of_page), request.path)
    return answer


class RevisionOut(OfQuestion, serializers.ModelSerializer[RevisedPassage]):
    """Passages revised so that they agree; people appear under their pseudonyms."""

    author = serializers.CharField(source="author.pseudonym")
    checker = serializers.CharField(source="checker.pseudonym", default=None)

    class Meta:
        model = RevisedPassage
        fields = (
            "id", "contradiction", "question_number", "question", "state", "passage_1", "passage_2",
            "answer", "author", "created_at", "checker", "decided_at", "note",
        )  # fmt: skip


@extend_schema(responses=RevisionOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def revised(request: Request, name: str) -> Response:
    """All revised passages of a collection, past ones too, in the order of its questions."""
    collection = collection_named(name)
    check_not_declared(collection, "Revised passages")
    revised = RevisedPassage.objects.filter(instance__contradiction__collection=collection)
    person = person_of(request)
    rows = shown_to(person, revised, "instance__contradiction__")
    related = rows.select_related("instance__contradiction", "author", "checker")
    ordered = related.order_by("instance__contradiction__position", "instance__n", "pk")
    answer = paged(request, ordered, RevisionOut)
    of_page = {row["id"] for row in answer.data["results"]}
    asked = Contradiction.objects.filter(instances__revised_passages__in=of_page)
    keep_shown(person, asked, request.path)
    return answer
