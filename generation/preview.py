"""What a run that has not started will take: calls, tokens and time for each model, from earlier answers if any."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Func, IntegerField, Sum
from django.db.models.functions import Length

from generation import chat, client, costs
from generation.faults import NotConfigured
from generation.models import LanguageModel, Response, Run
from generation.states import ResponseState

# How many of a model's latest answers to these prompts are looked at.
LATEST = 100
COLUMNS = ("prompt_tokens", "completion_tokens", "latency_ms")
FIRST = ("first_reply__text", *(f"first_reply__{name}" for name in COLUMNS))
# A usual figure for English, where no answer shows the model's own.
CHARACTERS_PER_TOKEN = 4.0


@dataclass(frozen=True)
class Seen:
    """The means of `answers` earlier answers; without any, those expected: at most `written` tokens, and no time.

    `per_token`: characters of the prompt for each token read. `seconds` is the time of one call.
    """

    answers: int
    per_token: float
    written: float | None
    seconds: float | None


@dataclass(frozen=True)
class Row:
    """One model: tokens read and written in all calls, their cost, and seconds with all calls in flight.

    None where not known.
    """

    model: LanguageModel
    seen: Seen
    calls: int
    read: int
    written: int | None
    seconds: float | None
    cost: float | None


@dataclass(frozen=True)
class Preview:
    """The rows and their sums; services are asked at the same time."""

    rows: list[Row]
    calls: int
    read: int
    written: int | None
    seconds: float | None
    cost: float | None

    @property
    def is_measured(self) -> bool:
        return all(row.seen.answers for row in self.rows)


def of(run: Run) -> Preview:
    """The preview of the run's waiting responses."""
    waiting = Response.objects.filter(run=run, state=ResponseState.PENDING).order_by()
    sizes = waiting.values_list("model").annotate(n=Count("pk"), length=Sum(Length("rendered")))
    two = waiting.filter(follow_up__isnull=False).values_list("model")
    # A second turn sends the first text again, the first reply once and at each of its places, and words of its own.
    again = {
        key: each for key, *each in two.annotate(own=Sum(_Pieces()), replies=Sum(_Pieces("1")))
    }
    both = two.filter(first_reply=None).annotate(n=Count("pk"), length=Sum(Length("rendered")))
    firsts = {key: each for key, *each in both}
    models = LanguageModel.objects.in_bulk([model for model, *_ in sizes])
    rows = []
    for key, n, length in sorted(sizes):
        (own, replies), (more, first) = again.get(key, (0, 0)), firsts.get(key, (0, 0))
        rows.append(_row(models[key], run, n + more, length + first + own, replies))
    by_service: dict[str, list[float | None]] = defaultdict(list)
    for row in rows:
        by_service[row.model.service].append(row.seconds)
    times = [_sum(each) for each in by_service.values()]
    return Preview(
        rows=rows,
        calls=sum(row.calls for row in rows),
        read=sum(row.read for row in rows),
        written=_whole(_sum([row.written for row in rows])),
        seconds=None if None in times else max(filter(None, times), default=0.0),
        cost=_sum([row.cost for row in rows]),
    )


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


def _row(model: LanguageModel, run: Run, calls: int, length: int, replies: int) -> Row:
    """`replies` is how often a first reply is read again."""
    seen = _seen(model, run)
    written = seen.written and calls * seen.written
    read = length / seen.per_token + replies * (seen.written or 0)
    has_price = model.price_read is not None and written is not None
    return Row(
        model=model,
        seen=seen,
        calls=calls,
        read=round(read),
        written=_whole(written),
        cost=costs.price(model, read, written or 0) if has_price else None,
        seconds=None if seen.seconds is None else time_of(calls, seen.seconds, model.service),
    )


def _seen(model: LanguageModel, run: Run) -> Seen:
    answers = Response.objects.filter(
        model=model,
        prompt__in=run.prompts,
        state=ResponseState.DONE,
        latency_ms__gt=0,
    ).order_by("-answered_at")
    known = answers.filter(prompt_tokens__gt=0, completion_tokens__isnull=False)
    lasting = known.select_related("first_reply").only("rendered", "follow_up", *COLUMNS, *FIRST)
    latest = list(lasting[:LATEST])
    calls = [call for response in latest for call in _calls(response)]
    if not calls:
        most = model.options.get(chat.MAX_TOKENS)
        return Seen(0, CHARACTERS_PER_TOKEN, most, None)
    read, written, milliseconds, length = (sum(column) for column in zip(*calls, strict=True))
    n = len(calls)
    return Seen(len(latest), length / read, written / n, milliseconds / n / 1000)


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
