"""Operations on what people decided about questions: exclusions, revised passages."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.tokens.scopes import Scope
from datasets.api.collections import EXPORTERS, READERS
from datasets.blinding import keep_shown, shown_to
from datasets.exclusions import exclusions_of
from datasets.models import Contradiction, Exclusion, RevisedPassage
from datasets.records import check_not_declared, collection_named
from pages.rest.lists import rows_page
from pages.rest.operations import operation


class OfQuestion(serializers.Serializer[Any]):
    """The fields that name the question of a row: its id, and its record's id in files."""

    question_id = serializers.IntegerField(source="instance_id")
    external_id = serializers.CharField(source="instance.contradiction.external_id")
    n = serializers.IntegerField(source="instance.n")
    question = serializers.CharField(source="instance.question")


OF_QUESTION = ("question_id", "external_id", "n", "question")


class ExclusionOut(OfQuestion, serializers.ModelSerializer[Exclusion]):
    """An exclusion, or with `excluded_by` null what a closed study proposes; people appear under their pseudonyms.

    `after_results`: whether a model had answered the question when it was excluded.
    """

    excluded_by = serializers.CharField(
        source="excluded_by.pseudonym", default=None, allow_null=True
    )

    class Meta:
        model = Exclusion
        fields = (
            "id", *OF_QUESTION, "reason", "created_at", "excluded_by", "excluded_at", "after_results",
        )  # fmt: skip


@operation("GET", scope=Scope.READ, roles=EXPORTERS, answers=ExclusionOut, listed=True)
def exclusions_list(request: Request, name: str) -> Response:
    """The questions that are excluded or proposed for it, without those hidden from who judges them."""
    rows = exclusions_of(collection_named(name), person_of(request))
    return rows_page(request, rows, ExclusionOut, shown=lambda page: _keep(request, page))


class RevisionOut(OfQuestion, serializers.ModelSerializer[RevisedPassage]):
    """Passages revised so that they agree; people appear under their pseudonyms."""

    author = serializers.CharField(source="author.pseudonym")
    checker = serializers.CharField(source="checker.pseudonym", default=None, allow_null=True)

    class Meta:
        model = RevisedPassage
        fields = (
            "id", *OF_QUESTION, "state", "passage_1", "passage_2", "answer", "author", "created_at", "checker",
            "decided_at", "note",
        )  # fmt: skip


@operation("GET", scope=Scope.READ, roles=READERS, answers=RevisionOut, listed=True)
def revised_list(request: Request, name: str) -> Response:
    """All revised passages of a collection, past ones too, in the order of its questions."""
    collection = collection_named(name)
    check_not_declared(collection, "Revised passages")
    revised = RevisedPassage.objects.filter(instance__contradiction__collection=collection)
    rows = shown_to(person_of(request), revised, "instance__contradiction__")
    return rows_page(
        request,
        rows.select_related("instance__contradiction", "author", "checker"),
        RevisionOut,
        order=("instance__contradiction__position", "instance__n", "pk"),
        shown=lambda page: _keep(request, page),
    )


def _keep(request: Request, page: Iterable[Any]) -> None:
    asked = Contradiction.objects.filter(instances__in={row.instance_id for row in page})
    keep_shown(person_of(request), asked, request.path)
