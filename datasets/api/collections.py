"""Operations on collections: the list, one, its questions, and its subsets."""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from datasets.api.filters import QUESTION_FILTERS, in_slice, parameter_of
from datasets.blinding import keep_listed, show, shown_to
from datasets.counts import counts_of, current_instances, sizes
from datasets.models import Collection, Instance, Subset
from datasets.records import collection_named
from datasets.subsets import contradictions_of, described, subset_of, superseded_in
from pages.rest.lists import rows_page
from pages.rest.operations import operation

READERS = (Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR)
EXPORTERS = (Role.ADMIN, Role.RESEARCHER)


class CollectionOut(serializers.ModelSerializer[Collection]):
    """`records` and `questions` are those of the newest versions that the reader may see."""

    protocol = serializers.CharField(source="declaration.name")
    protocol_version = serializers.IntegerField(source="declaration.version")
    records = serializers.SerializerMethodField()
    questions = serializers.SerializerMethodField()

    class Meta:
        model = Collection
        fields: tuple[str, ...] = (
            "name", "title", "source", "licence", "language", "protocol", "protocol_version", "is_demonstration",
            "created_at", "records", "questions",
        )  # fmt: skip

    def get_records(self, collection: Collection) -> int:
        return self.context["sizes"][collection.pk][0]

    def get_questions(self, collection: Collection) -> int:
        return self.context["sizes"][collection.pk][1]


class CreatorOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    orcid = serializers.CharField()
    affiliation = serializers.CharField()


class FacetOut(serializers.Serializer[Any]):
    """A parameter of the list of questions with one of its values, and how many questions it gives."""

    parameter = serializers.CharField()
    value = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    questions = serializers.IntegerField()


class OneCollectionOut(CollectionOut):
    """`invalid`: how many of the records are of invalid tags. `canary` marks the source of records of a protocol."""

    creators = CreatorOut(many=True)
    source_authors = CreatorOut(many=True)
    canary = serializers.CharField()
    invalid = serializers.SerializerMethodField()
    facets = serializers.SerializerMethodField()

    class Meta:
        model = Collection
        fields = (
            *CollectionOut.Meta.fields, "description", "creators", "keywords", "funding", "contact", "source_title",
            "source_authors", "source_year", "source_citation", "source_paper", "source_data", "annotated_by",
            "how_made", "limits", "biases", "personal_data", "canary", "invalid", "facets",
        )  # fmt: skip

    def get_invalid(self, collection: Collection) -> int:
        return self.context["counts"].invalid

    @extend_schema_field(FacetOut(many=True))
    def get_facets(self, collection: Collection) -> Any:
        return [
            {**parameter_of(facet), "label": facet.label, "questions": questions}
            for facet, questions in self.context["counts"].facets
        ]


class RecordQuestionOut(serializers.ModelSerializer[Instance]):
    class Meta:
        model = Instance
        fields: tuple[str, ...] = ("id", "n", "question", "kind", "answer_1", "answer_2")


class ListedQuestionOut(RecordQuestionOut):
    """`record` is the id of its record here, `external_id` that in files."""

    record = serializers.IntegerField(source="contradiction_id")
    external_id = serializers.CharField(source="contradiction.external_id")

    class Meta:
        model = Instance
        fields = ("id", "record", "external_id", *RecordQuestionOut.Meta.fields[1:], "created_at")


class StratumOut(serializers.Serializer[Any]):
    """How many questions of a stratum could be drawn, and how many were."""

    label = serializers.CharField()  # type: ignore[assignment]
    questions = serializers.IntegerField()
    drawn = serializers.IntegerField()


class SubsetOut(serializers.ModelSerializer[Subset]):
    """`frame`: how many questions could be drawn; `query` says which."""

    created_by = serializers.CharField(source="created_by.pseudonym", default=None, allow_null=True)
    questions = serializers.IntegerField(source="size")

    class Meta:
        model = Subset
        fields: tuple[str, ...] = (
            "id", "name", "query", "by", "seed", "one_per_tag", "frame", "questions", "created_by", "created_at",
        )  # fmt: skip


class OneSubsetOut(SubsetOut):
    """`of`: the query in words. `superseded`: how many of its records have a newer version, which it does not hold."""

    of = serializers.SerializerMethodField()
    strata = serializers.SerializerMethodField()
    superseded = serializers.SerializerMethodField()

    class Meta:
        model = Subset
        fields = (*SubsetOut.Meta.fields, "of", "strata", "superseded")

    def get_of(self, subset: Subset) -> str:
        return described(subset)

    @extend_schema_field(StratumOut(many=True))
    def get_strata(self, subset: Subset) -> Any:
        return [
            {"label": label, "questions": n, "drawn": drawn} for label, n, drawn in subset.strata
        ]

    def get_superseded(self, subset: Subset) -> int:
        return superseded_in(subset).count()


@operation("GET", scope=Scope.READ, roles=READERS, answers=CollectionOut, listed=True)
def collections_list(request: Request) -> Response:
    """All collections with their numbers of records and questions."""
    return rows_page(
        request,
        Collection.objects.select_related("protocol"),
        CollectionOut,
        order=("name",),
        context=lambda rows: {"sizes": sizes(person_of(request), rows)},
    )


@operation("GET", scope=Scope.READ, roles=READERS, answers=OneCollectionOut)
def collections_read(request: Request, name: str) -> Response:
    """A collection: what it says of itself, and its numbers."""
    collection, person = collection_named(name), person_of(request)
    context = {"sizes": sizes(person, [collection]), "counts": counts_of(collection, person)}
    return Response(OneCollectionOut(collection, context=context).data)


@operation(
    "GET", scope=Scope.READ, roles=READERS, answers=ListedQuestionOut, parameters=QUESTION_FILTERS, listed=True
)  # fmt: skip
def questions_list(request: Request, name: str) -> Response:
    """The questions of the newest records, in the collection's order."""
    collection, person = collection_named(name), person_of(request)
    rows = shown_to(person, current_instances(collection), "contradiction__")
    rows = in_slice(request, collection, rows, of_records=False).select_related("contradiction")
    return rows_page(
        request,
        rows.defer("contradiction__fields"),
        ListedQuestionOut,
        order=("contradiction__position", "n", "pk"),
        shown=lambda page: keep_listed(
            person, (row.contradiction_id for row in page), request.path
        ),
    )


@operation("GET", scope=Scope.READ, roles=EXPORTERS, answers=SubsetOut, listed=True, etag=True)
def subsets_list(request: Request, name: str) -> Response:
    """The subsets of a collection, newest first."""
    rows = collection_named(name).subsets.select_related("created_by")
    return rows_page(request, rows.annotate(size=Count("instances")), SubsetOut, order=("-pk",))


@operation("GET", scope=Scope.READ, roles=EXPORTERS, answers=OneSubsetOut, refusals=(409,))
def subsets_read(request: Request, name: str, subset_id: int) -> Any:
    """A subset, and how it was drawn."""
    row = _shown_subset(request, name, subset_id)
    row.size = row.instances.count()  # type: ignore[attr-defined]
    return row


@operation(
    "GET", scope=Scope.READ, roles=EXPORTERS, answers=ListedQuestionOut, listed=True, refusals=(409,)
)  # fmt: skip
def subsets_questions(request: Request, name: str, subset_id: int) -> Response:
    """The questions that were drawn."""
    rows = _shown_subset(request, name, subset_id).instances.select_related("contradiction")
    return rows_page(
        request,
        rows.defer("contradiction__fields"),
        ListedQuestionOut,
        order=("contradiction__position", "n", "pk"),
    )


def _shown_subset(request: Request, name: str, subset_id: int) -> Subset:
    row = subset_of(collection_named(name), subset_id)
    show(person_of(request), contradictions_of(row), request.path)
    return row
