"""Operations on runs: the list, one, making, starting and stopping one, and its responses."""

from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Answer

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from datasets.models import Collection
from generation import runs
from generation.access import (
    keep_questions,
    run_for,
    visible_to,
)
from generation.api.models import ModelOut
from generation.asking.dispatch import wake
from generation.forms import MOST_MONEY, MOST_QUESTIONS, RunForm
from generation.models import FirstReply, OptionScore, RejectedReply, Response, Run
from generation.responses import RunProgress, progress_of
from generation.run_pages import left_out_shown
from generation.states import ResponseState, RunState
from generation.views import READERS
from leases.refusal import Refusal
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import choice, moment, number, text

# A reply may be a megabyte long.
MOST_ON_A_PAGE = 100
LARGEST_KEY = 2**63 - 1


class RunProgressOut(serializers.Serializer[RunProgress]):
    total = serializers.IntegerField()
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    skipped = serializers.IntegerField()
    asked_again = serializers.IntegerField()


class RunOut(serializers.ModelSerializer[Run]):
    """`models` and `prompts` are those that it asks with; `reason`: why it was paused.

    `release`: the version of the release whose prompts its responses, made elsewhere, answer.
    """

    collection = serializers.SlugRelatedField("name", read_only=True)  # type: ignore[var-annotated]
    release = serializers.CharField(source="release.version", default=None, allow_null=True)
    prompts = serializers.ListField(child=serializers.CharField())
    models = ModelOut(many=True, source="models_asked")
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields: tuple[str, ...] = (
            "id", "name", "collection", "release", "state", "reason", "prompts", "samples", "seed", "models",
            "progress", "cost", "cost_cap", "is_demonstration", "created_at", "finished_at",
        )  # fmt: skip

    @extend_schema_field(RunProgressOut)
    def get_progress(self, run: Run) -> Any:
        return RunProgressOut(self.context["progress"][run.pk]).data


class UnaskableOut(serializers.Serializer[Any]):
    """A prompt that cannot be used on a question, because a passage in it is empty or the like."""

    question_id = serializers.IntegerField()
    question = serializers.CharField()
    prompt = serializers.CharField()
    problem = serializers.CharField()


class MadeRunOut(RunOut):
    left_out = UnaskableOut(many=True)

    class Meta:
        model = Run
        fields = (*RunOut.Meta.fields, "left_out")


class RunIn(serializers.Serializer[Any]):
    """`models` are ids, `prompts` keys. `limit`: the first questions only. `samples`: responses to each."""

    collection = serializers.CharField(max_length=80)
    models = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_KEY),
        default=list,
        max_length=1_000,
    )
    prompts = serializers.ListField(
        child=serializers.CharField(max_length=60), min_length=1, max_length=1_000
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=MOST_QUESTIONS, default=None, allow_null=True
    )
    samples = serializers.IntegerField(min_value=1, max_value=100, default=1)
    name = serializers.CharField(max_length=120, allow_blank=True, default="")
    cost_cap = serializers.FloatField(
        min_value=0, max_value=MOST_MONEY, default=None, allow_null=True
    )


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
    """A response with all that is needed to repeat its request. `question` and `model` are ids.

    `prompt_verified`: of one made elsewhere, whether its file has the prompt's sha256.
    """

    question = serializers.IntegerField(source="instance_id")
    model = serializers.IntegerField(source="model_id")
    option_scores = OptionScoreOut(many=True)
    first_reply = FirstReplyOut(default=None, allow_null=True)
    rejected = RejectedReplyOut(many=True)

    class Meta:
        model = Response
        fields = (
            "id", "question", "model", "prompt", "prompt_hash", "prompt_verified", "sample", "state", "rendered",
            "follow_up", "first_reply", "drawn", "gold", "scored", "option_scores", "wanted", "askings", "rejected",
            "text", "check_reply", "reasoning", "held", "finding", "request", "reply", "answered_by", "finish_reason",
            "prompt_tokens", "completion_tokens", "latency_ms", "cost", "attempts", "error", "answered_at",
        )  # fmt: skip


def _changed_since(rows: QuerySet[Any], at: Any) -> QuerySet[Any]:
    return rows.filter(Q(created_at__gte=at) | Q(finished_at__gte=at))


@operation(
    "GET", scope=Scope.READ, roles=READERS, answers=RunOut, listed=True,
    parameters=(
        choice("state", RunState, "state"), text("collection", "collection__name", "Its name.", longest=80),
        moment("changed_since", _changed_since, "Those made or finished at this moment or later."),
    ),
)  # fmt: skip
def runs_list(request: Request) -> Answer:
    """All runs that one may see now, newest first."""
    person = person_of(request)
    return rows_page(
        request,
        Run.objects.select_related("collection", "release").prefetch_related("models_asked"),
        RunOut,
        order=("-pk",),
        visible=lambda rows: visible_to(person, rows),
        context=lambda rows: {"progress": progress_of(rows)},
    )


@operation(
    "POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), takes=RunIn, answers=MadeRunOut, status=201, once=True,
    counts="runs", refusals=(404, 409),
)  # fmt: skip
def runs_make(request: Request, sent: dict[str, Any]) -> Answer:
    """Make a run with its responses waiting; nothing is asked before it is started."""
    person = person_of(request)
    form = RunForm(_fields(sent))
    if not form.is_valid():
        raise _refused(form)
    run, left_out = form.make(person)
    shown = [
        {"question_id": row.instance, "question": text, "prompt": row.prompt.name, "problem": row.problem}
        for row, text in left_out_shown(left_out, person)
    ]  # fmt: skip
    made = {**_shown(run).data, "left_out": UnaskableOut(shown, many=True).data}
    return Answer(made, status=201)


# What the form of the page calls them.
FIELDS = {"models": "language_models"}


def _fields(sent: dict[str, Any]) -> dict[str, Any]:
    collection = Collection.objects.filter(name=sent["collection"]).first()
    named = {FIELDS.get(name, name): value for name, value in sent.items() if value is not None}
    return {**named, "collection": str(collection.pk) if collection else "none"}


def _refused(form: RunForm) -> Refusal:
    own = {theirs: ours for ours, theirs in FIELDS.items()}
    fields = {
        own.get(name, name): [str(said) for said in errors] for name, errors in form.errors.items()
    }
    said = " ".join(f"{name}: {' '.join(errors)}" for name, errors in fields.items())
    return Refusal(said, fields=fields)


def _shown(run: Run) -> RunOut:
    return RunOut(run, context={"progress": progress_of([run])})


@operation("GET", scope=Scope.READ, roles=READERS, answers=RunOut, refusals=(409,))
def runs_read(request: Request, key: int) -> Answer:
    """One run with its progress."""
    return Answer(_shown(run_for(person_of(request), key)).data)


@operation(
    "POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=RunOut, counts="runs", refusals=(409,)
)
def runs_start(request: Request, key: int) -> Answer:
    """Let workers ask. A run is started once."""
    run = run_for(person_of(request), key)
    runs.start(run)
    wake()
    return Answer(_shown(run).data)


@operation("POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=RunOut, refusals=(409,))
def runs_stop(request: Request, key: int) -> Answer:
    """Cancel the run: no more requests are sent; calls in progress are still stored, and responses are kept."""
    run = run_for(person_of(request), key)
    runs.cancel(run)
    wake()
    return Answer(_shown(run).data)


@operation(
    "GET", scope=Scope.READ, roles=READERS, answers=ResponseOut, listed=True, most=MOST_ON_A_PAGE, refusals=(409,),
    parameters=(
        choice("state", ResponseState, "state"), text("prompt", "prompt", "Its key.", longest=60),
        number("model", "model", "Its id."), number("question", "instance", "Its id."),
        moment("changed_since", "answered_at__gte", "Those answered at this moment or later."),
    ),
)  # fmt: skip
def responses_list(request: Request, key: int) -> Answer:
    """A run's responses in the order of their requests."""
    person = person_of(request)
    rows = run_for(person, key).responses.select_related("first_reply")
    return rows_page(
        request,
        rows.prefetch_related("option_scores", "rejected"),
        ResponseOut,
        order=("order", "pk"),
        shown=lambda page: keep_questions(person, (row.instance_id for row in page), request.path),
    )
