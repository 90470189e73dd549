"""Reading models, runs and responses by program."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response as Answer

from accounts.access import HasRole, person_of
from accounts.roles import Role
from generation.guards import run_for, seen_by
from generation.models import LanguageModel, Response, Run
from generation.responses import Progress, progress_of

MayRead = HasRole.of(Role.ADMIN, Role.RESEARCHER)


class Pages(PageNumberPagination):
    page_size_query_param = "page_size"
    max_page_size = 500


class ModelOut(serializers.ModelSerializer[LanguageModel]):
    class Meta:
        model = LanguageModel
        fields = ("id", "service", "model_id", "display_name", "options", "options_hash")


class ProgressOut(serializers.Serializer[Progress]):
    total = serializers.IntegerField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()


class RunOut(serializers.ModelSerializer[Run]):
    collection = serializers.SlugRelatedField("name", read_only=True)  # type: ignore[var-annotated]
    models_asked = ModelOut(many=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = (
            "id", "name", "collection", "state", "prompts", "samples", "models_asked", "progress",
            "is_demonstration", "created_at", "finished_at",
        )  # fmt: skip

    @extend_schema_field(ProgressOut)
    def get_progress(self, run: Run) -> Any:
        return ProgressOut(self.context["progress"][run.pk]).data


class ResponseOut(serializers.ModelSerializer[Response]):
    class Meta:
        model = Response
        fields = (
            "id", "instance", "model", "prompt", "prompt_hash", "sample", "state", "rendered", "gold",
            "text", "request", "reply", "answered_by", "finish_reason", "prompt_tokens",
            "completion_tokens", "latency_ms", "attempts", "error", "answered_at",
        )  # fmt: skip


@extend_schema(responses=ModelOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def models(request: Request) -> Answer:
    """All models with their options."""
    return Answer(ModelOut(LanguageModel.objects.all(), many=True).data)


@extend_schema(responses=RunOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def runs(request: Request) -> Answer:
    """All runs that the person may see now, the newest first."""
    pages = Pages()
    rows = Run.objects.select_related("collection").prefetch_related("models_asked")
    seen = seen_by(person_of(request), pages.paginate_queryset(rows, request) or [])
    context = {"progress": progress_of(seen)}
    return pages.get_paginated_response(RunOut(seen, many=True, context=context).data)


@extend_schema(responses=RunOut)
@api_view(["GET"])
@permission_classes([MayRead])
def run(request: Request, key: int) -> Answer:
    """One run with its progress."""
    found = run_for(person_of(request), key)
    return Answer(RunOut(found, context={"progress": progress_of([found])}).data)


@extend_schema(responses=ResponseOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def responses(request: Request, key: int) -> Answer:
    """A run's responses in the order of asking, each with all that is needed to ask again."""
    found = run_for(person_of(request), key)
    pages = Pages()
    rows = pages.paginate_queryset(found.responses.order_by("order", "pk"), request)
    return pages.get_paginated_response(ResponseOut(rows or [], many=True).data)
