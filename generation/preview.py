"""What a run that has not started will take: calls, tokens and time for each model, from earlier answers if any."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Sum
from django.db.models.functions import Length

from generation import chat, client, costs
from generation.faults import NotConfigured
from generation.models import LanguageModel, Response, Run
from generation.states import ResponseState

# How many of a model's latest answers to these prompts are looked at.
LATEST = 100
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
    # A second turn sends the first text again; the few words of its own are left out.
    more = sizes.filter(first_reply=None).filter(follow_up__isnull=False)
    again = {key: each for key, *each in more}
    models = LanguageModel.objects.in_bulk([model for model, *_ in sizes])
    rows = [
        _row(models[key], run, *map(sum, zip(each, again.get(key, (0, 0)), strict=True)))
        for key, *each in sorted(sizes)
    ]
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


def _row(model: LanguageModel, run: Run, calls: int, length: int) -> Row:
    seen = _seen(model, run)
    read, written = length / seen.per_token, seen.written and calls * seen.written
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
        follow_up__isnull=True,
        model=model,
        prompt__in=run.prompts,
        state=ResponseState.DONE,
        latency_ms__gt=0,
    ).order_by("-answered_at")
    known = answers.filter(prompt_tokens__gt=0, completion_tokens__isnull=False)
    columns = ("prompt_tokens", "completion_tokens", "latency_ms")
    rows = list(known.values_list(*columns, Length("rendered"))[:LATEST])
    if not rows:
        most = model.options.get(chat.MAX_TOKENS)
        return Seen(0, CHARACTERS_PER_TOKEN, most, None)
    read, written, milliseconds, length = (sum(column) for column in zip(*rows, strict=True))
    n = len(rows)
    return Seen(n, length / read, written / n, milliseconds / n / 1000)


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
