"""What a run that has not started will take: calls, tokens and time for each model, from earlier answers if any."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    BooleanField,
    Count,
    ExpressionWrapper,
    Func,
    IntegerField,
    Q,
    QuerySet,
    Sum,
)
from django.db.models.functions import Length

from generation import costs, prompt_versions
from generation.inference import chat, client
from generation.inference.faults import NotConfigured
from generation.models import LanguageModel, Response, Run
from generation.states import ResponseState

# How many of a model's latest answers to these prompts are looked at.
LATEST = 100
COLUMNS = ("prompt_tokens", "completion_tokens", "latency_ms")
FIRST = ("first_reply__text", *(f"first_reply__{name}" for name in COLUMNS))
# A usual figure for English, where no answer shows the model's own.
CHARACTERS_PER_TOKEN = 4.0


@dataclass(frozen=True)
class SeenAnswers:
    """The means of `answers` earlier answers; without any, those expected: at most `written` tokens, and no time.

    `per_token`: characters of the prompt for each token read. `seconds` is the time of one call.
    """

    answers: int
    per_token: float
    written: float | None
    seconds: float | None


@dataclass(frozen=True)
class PreviewRow:
    """One model: tokens read and written in all calls, their cost, and seconds with all calls in flight.

    `scores`: the calls ask for the scores of options, one token each; a model's others have a row of their own.
    `calls` are the most that it may take, `least` those if every reply has the asked form and
    none is checked. None where not known.
    """

    model: LanguageModel
    scores: bool
    seen: SeenAnswers
    least: int
    calls: int
    read: int
    written: int | None
    seconds: float | None
    cost: float | None


@dataclass(frozen=True)
class Preview:
    """The rows and their sums; services are asked at the same time."""

    rows: list[PreviewRow]
    least: int
    calls: int
    read: int
    written: int | None
    seconds: float | None
    cost: float | None

    @property
    def is_measured(self) -> bool:
        return all(row.seen.answers for row in self.rows)


def run_preview(run: Run) -> Preview:
    waiting = Response.objects.filter(run=run, state=ResponseState.PENDING).order_by()
    known = prompt_versions.known(run.prompts)
    work = _work(waiting, [name for name, prompt in known.items() if prompt.check])
    models = LanguageModel.objects.in_bulk({key for key, _ in work})
    rows = [_row(models[key], scores, run, work[key, scores]) for key, scores in sorted(work)]
    by_service: dict[str, list[float | None]] = defaultdict(list)
    for row in rows:
        by_service[row.model.service].append(row.seconds)
    times = [_sum(seconds) for seconds in by_service.values()]
    return Preview(
        rows=rows,
        least=sum(row.least for row in rows),
        calls=sum(row.calls for row in rows),
        read=sum(row.read for row in rows),
        written=_whole(_sum([row.written for row in rows])),
        seconds=None if None in times else max(filter(None, times), default=0.0),
        cost=_sum([row.cost for row in rows]),
    )


@dataclass
class _Work:
    """The fewest and the most calls, and what the most send: characters, and first replies again."""

    least: int = 0
    calls: int = 0
    length: int = 0
    replies: int = 0


def _work(waiting: QuerySet[Response], checked: Collection[str]) -> dict[tuple[int, bool], _Work]:
    """By the models' keys, and whether options are scored; `checked` are the prompts whose replies are checked."""
    work = defaultdict[tuple[int, bool], _Work](_Work)
    scores = ExpressionWrapper(Q(scored__isnull=False), output_field=BooleanField())
    kinds = waiting.annotate(scores=scores).values_list("model", "scores")
    of_check = Q(prompt__in=checked)
    final = kinds.values_list("model", "scores", "wanted__times", "askings")
    unchecked = final.exclude(of_check, first_reply__isnull=False)
    for key, kind, times, askings, n, length in unchecked.annotate(
        n=Count("pk"), all=Sum(Length("rendered"))
    ):
        mine, left = work[key, bool(kind)], (times or 1) - (askings or 0)
        mine.least += n
        mine.calls += n * left
        mine.length += length * left
    # A second turn sends the first text again, the first reply once and at each of its places, and words of its own.
    two = final.filter(~of_check, follow_up__isnull=False)
    for key, kind, times, askings, own, replies in two.annotate(
        own=Sum(_Pieces()), replies=Sum(_Pieces("1"))
    ):
        mine, left = work[key, bool(kind)], (times or 1) - (askings or 0)
        mine.length += own * left
        mine.replies += replies * left
    first = kinds.filter(~of_check, follow_up__isnull=False, first_reply=None)
    for key, kind, n, length in first.annotate(n=Count("pk"), all=Sum(Length("rendered"))):
        mine = work[key, bool(kind)]
        mine.least += n
        mine.calls += n
        mine.length += length
    # Of those that wait for their check, that is the only call.
    checks = kinds.filter(of_check).annotate(
        n=Count("pk"), replied=Count("first_reply"), all=Sum(Length("rendered"))
    )
    for key, kind, n, replied, length, own, replies in checks.annotate(
        own=Sum(_Pieces()), replies=Sum(_Pieces("1"))
    ):
        mine = work[key, bool(kind)]
        mine.least += replied
        mine.calls += n
        mine.length += length + own
        mine.replies += replies
    return work


class _Pieces(Func):
    """Characters of the pieces of a second turn; with "1" how many there are."""

    output_field = IntegerField()

    def __init__(self, each: str = "LENGTH(value)") -> None:
        super().__init__("follow_up", each=each)

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(SELECT SUM(%(each)s) FROM json_each(%(expressions)s))"
        return self.as_sql(compiler, connection, template=template, **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(SELECT SUM(%(each)s) FROM jsonb_array_elements_text(%(expressions)s) AS value)"
        return self.as_sql(compiler, connection, template=template, **more)


def _row(model: LanguageModel, scores: bool, run: Run, work: _Work) -> PreviewRow:
    seen, calls = _seen(model, scores, run), work.calls
    written = seen.written and calls * seen.written
    read = work.length / seen.per_token + work.replies * (seen.written or 0)
    has_price = model.price_read is not None and written is not None
    return PreviewRow(
        model=model,
        scores=scores,
        seen=seen,
        least=work.least,
        calls=calls,
        read=round(read),
        written=_whole(written),
        cost=costs.price(model, read, written or 0) if has_price else None,
        seconds=None if seen.seconds is None else time_of(calls, seen.seconds, model.service),
    )


def _seen(model: LanguageModel, scores: bool, run: Run) -> SeenAnswers:
    answers = Response.objects.filter(
        model=model,
        scored__isnull=not scores,
        prompt__in=run.prompts,
        state=ResponseState.DONE,
        latency_ms__gt=0,
    ).order_by("-answered_at")
    known = answers.filter(prompt_tokens__gt=0, completion_tokens__isnull=False)
    lasting = known.select_related("first_reply").only("rendered", "follow_up", *COLUMNS, *FIRST)
    latest = list(lasting[:LATEST])
    calls = [call for response in latest for call in _calls(response)]
    if not calls:
        most = 1 if scores else model.options.get(chat.MAX_TOKENS)
        return SeenAnswers(0, CHARACTERS_PER_TOKEN, most, None)
    read, written, milliseconds, length = (sum(column) for column in zip(*calls, strict=True))
    n = len(calls)
    return SeenAnswers(len(latest), length / read, written / n, milliseconds / n / 1000)


def _calls(response: Response) -> Iterator[tuple[Any, ...]]:
    """The COLUMNS of each turn's call and the characters that it sent; without a first call that was not counted."""
    before, *then = response.sent_texts
    if then:
        first = response.first_reply
        numbers = first.prompt_tokens, first.completion_tokens, first.latency_ms
        if None not in numbers:
            yield (*numbers, len(before))
        before += first.text + then[0]
    yield response.prompt_tokens, response.completion_tokens, response.latency_ms, len(before)


def time_of(calls: int, seconds: float, service: str) -> float | None:
    """Seconds for so many calls of so many seconds each, by the service's in_flight and per_minute."""
    try:
        entry = client.service(service).entry
    except NotConfigured:
        return None
    by_pace = 60 * calls / entry.per_minute if entry.per_minute else 0.0
    return max(calls * seconds / min(entry.in_flight, calls), by_pace)


def _sum(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)
