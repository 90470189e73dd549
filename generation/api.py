"""The API of models, runs and responses; it only reads."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response as Answer

from accounts.access import HasRole, person_of
from accounts.roles import Role
from generation import registry
from generation.access import check_models_shown, keep_questions, run_for, visible_to
from generation.models import FirstReply, LanguageModel, OptionScore, RejectedReply, Response, Run
from generation.responses import RunProgress, progress_of
from pages.paging import ApiPages, paged

# A reply may be a megabyte long.
MOST_ON_A_PAGE = 100
MayRead = HasRole.any_of(Role.ADMIN, Role.RESEARCHER)


class ModelOut(serializers.ModelSerializer[LanguageModel]):
    class Meta:
        model = LanguageModel
        fields = (
            "id", "service", "model_id", "display_name", "options", "options_hash", "abilities",
            "price_read", "price_written",
        )  # fmt: skip


class ProgressOut(serializers.Serializer[RunProgress]):
    total = serializers.IntegerField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    skipped = serializers.IntegerField()
    asked_again = serializers.IntegerField()


class RunOut(serializers.ModelSerializer[Run]):
    collection = serializers.SlugRelatedField("name", read_only=True)  # type: ignore[var-annotated]
    models_asked = ModelOut(many=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = (
            "id", "name", "collection", "state", "prompts", "samples", "seed", "models_asked", "progress", "cost",
            "cost_cap", "is_demonstration", "created_at", "finished_at",
        )  # fmt: skip

    @extend_schema_field(ProgressOut)
    def get_progress(self, run: Run) -> Any:
        return ProgressOut(self.context["progress"][run.pk]).data


class OptionScoreOut(serializers.ModelSerializer[OptionScore]):
    class Meta:
        model = OptionScore
        fields = ("option", "mass")


KEPT = (
    "text", "reasoning", "request", "reply", "answered_by", "finish_reason", "prompt_tokens", "completion_tokens",
    "latency_ms", "answered_at",
)  # fmt: skip


class FirstReplyOut(serializers.ModelSerializer[FirstReply]):
    class Meta:
        model = FirstReply
        fields = KEPT


class RejectedReplyOut(serializers.ModelSerializer[RejectedReply]):
    class Meta:
        model = RejectedReply
        fields = ("n", *KEPT)


class ResponseOut(serializers.ModelSerializer[Response]):
    option_scores = OptionScoreOut(many=True)
    first_reply = FirstReplyOut(default=None)
    rejected = RejectedReplyOut(many=True)

    class Meta:
        model = Response
        fields = (
            "id", "instance", "model", "prompt", "prompt_hash", "sample", "state", "rendered", "follow_up",
            "first_reply", "drawn", "gold", "scored", "option_scores", "wanted", "askings", "rejected", "text",
            "check_reply", "reasoning", "held", "finding", "request", "reply", "answered_by", "finish_reason",
            "prompt_tokens", "completion_tokens", "latency_ms", "cost", "attempts", "error", "answered_at",
        )  # fmt: skip


@extend_schema(responses=ModelOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def models(request: Request) -> Answer:
    """All models with their options."""
    check_models_shown(person_of(request))
    return Answer(ModelOut(registry.seen(), many=True).data)


@extend_schema(responses=RunOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def runs(request: Request) -> Answer:
    """All runs that the person may see now, newest first."""
    pages = ApiPages()
    rows = Run.objects.select_related("collection").prefetch_related("models_asked")
    visible = visible_to(person_of(request), pages.paginate_queryset(rows, request) or [])
    context = {"progress": progress_of(visible)}
    return pages.get_paginated_response(RunOut(visible, many=True, context=context).data)


@extend_schema(responses=RunOut)
@api_view(["GET"])
@permission_classes([MayRead])
def run(request: Request, key: int) -> Answer:
    """One run with its progress."""
    run = run_for(person_of(request), key)
    return Answer(RunOut(run, context={"progress": progress_of([run])}).data)


@extend_schema(responses=ResponseOut(many=True))
@api_view(["GET"])
@permission_classes([MayRead])
def responses(request: Request, key: int) -> Answer:
    """A run's responses in the order of their requests, each with everything needed to repeat the request.

    A page has at most 100.
    """
    run = run_for(person_of(request), key)
    rows = run.responses.order_by("order", "pk").select_related("first_reply")
    rows = rows.prefetch_related("option_scores", "rejected")
    answer = paged(request, rows, ResponseOut, MOST_ON_A_PAGE)
    shown = (row["instance"] for row in answer.data["results"])
    keep_questions(person_of(request), shown, request.path)
    return answer
