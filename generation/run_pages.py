"""What the pages of runs and responses show."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, FilteredRelation, Min, Q, QuerySet, Sum

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.models import Instance
from generation import preview, prompt_versions, responses
from generation.asking import places
from generation.model_pages import ModelRow, model_rows
from generation.models import LONG, FirstReply, RejectedReply, Response, Run
from generation.prompt_forms import FORMS
from generation.prompts.prompting import Prompt
from generation.runs import LeftOut
from generation.states import RUN, ResponseState, RunState
from leases import clock
from protocols.declaration import FieldType

Reasons = list[tuple[str, int]]
# Seconds over which the pace of a run is measured, and how many of its latest answers its page shows.
PACE_OF = 60.0
LATEST = 5


# ---------------------------------------------------------------- runs


def prompts_of(run: Run) -> list[Prompt]:
    """The run's prompts that this program has; an imported run may name others."""
    known = prompt_versions.known(run.prompts)
    return [known[name] for name in run.prompts if name in known]


def progress_context(run: Run) -> dict[str, Any]:
    """The part of a run's page that is updated while it runs."""
    progress = responses.progress(run)
    is_over = run.state in (RunState.PAUSED, RunState.CANCELLED, RunState.DONE)
    is_running = run.state in (RunState.RUNNING, RunState.TRYING)
    return {
        "run": run,
        "progress": progress,
        "settled": progress.done + progress.failed,
        "is_running": is_running,
        "preview": preview.run_preview(run) if run.state == RunState.DRAFT else None,
        "pace": pace(run, progress) if run.state == RunState.RUNNING else None,
        "latest": list(latest(run)) if is_running else [],
        "may_start": run.state == RunState.DRAFT,
        "may_pause": RUN.may(run, "pause"),
        "may_retry": progress.failed > 0 and (is_over or run.state == RunState.RUNNING),
        "may_extend": is_running or is_over or run.state == RunState.DRAFT,
        "may_cancel": RUN.may(run, "cancel"),
        "may_resume": run.state in (RunState.PAUSED, RunState.CANCELLED)
        or (run.state == RunState.DONE and progress.cancelled > 0),
        "failures": reasons(run, ResponseState.FAILED),
        "troubles": reasons(run, ResponseState.PENDING),
        "waits_for": places.waits_for(run),
    }


@dataclass(frozen=True)
class Pace:
    """How fast a run's answers came in the last PACE_OF seconds, and how many more seconds it takes at that pace."""

    per_minute: float
    tokens_per_second: float
    left: float


def pace(run: Run, progress: responses.RunProgress) -> Pace | None:
    """None while no answer came lately."""
    now = clock.now()
    lately = Response.objects.filter(
        run=run, answered_at__gt=now - timedelta(seconds=PACE_OF), state=ResponseState.DONE
    )
    seen = lately.aggregate(
        n=Count("pk"), tokens=Sum("completion_tokens"), first=Min("answered_at")
    )
    if not seen["n"]:
        return None
    # A run that has just begun is measured from its first answer.
    seconds = max((now - seen["first"]).total_seconds(), 1.0)
    rate = seen["n"] / seconds
    left = (progress.waiting + progress.running) / rate
    return Pace(60 * rate, (seen["tokens"] or 0) / seconds, left)


def latest(run: Run) -> QuerySet[Response]:
    answered = run.responses.filter(answered_at__isnull=False, state=ResponseState.DONE)
    rows = answered.select_related("instance", "model").defer(*LONG)
    return rows.order_by("-answered_at", "-pk")[:LATEST]


def reasons(run: Run, state: ResponseState) -> Reasons:
    """The reasons of responses in this state and their counts, the most frequent first; at most twenty."""
    rows = Response.objects.filter(run=run, state=state).exclude(error="").order_by()
    return list(rows.values_list("error").annotate(n=Count("pk")).order_by("-n", "error")[:20])


def left_out_shown(left_out: list[LeftOut], person: Person) -> list[tuple[LeftOut, str]]:
    """Those of them whose questions are not hidden from the person, each with its question."""
    asked = Instance.objects.filter(pk__in={row.instance for row in left_out})
    texts = dict(shown_to(person, asked, "contradiction__").values_list("pk", "question"))
    return [(row, texts[row.instance]) for row in left_out if row.instance in texts]


def models_of(run: Run) -> list[ModelRow]:
    """The run's models, with the numbers of their finished responses in it."""
    done = Q(responses__run=run, responses__state=ResponseState.DONE)
    in_run = FilteredRelation("responses", condition=done)
    return model_rows(run.models_asked.annotate(in_run=in_run, answered=Count("in_run")))


# ---------------------------------------------------------------- responses


@dataclass(frozen=True)
class SecondTurn:
    """A response's first turn, as far as it is asked, and the text sent in its second, or why there is none."""

    first: FirstReply | None
    request: str = ""
    reply: str = ""
    sent: str = ""
    why_none: str = ""


# Why nothing was sent after the first text, by the response's state.
WHY_NO_SECOND = {
    ResponseState.PENDING: "None yet. The second turn is sent after it.",
    ResponseState.RUNNING: "None yet. The second turn is sent after it.",
    ResponseState.CANCELLED: "None: it was cancelled before. The second turn was not sent.",
    ResponseState.FAILED: "None: its call failed. The second turn was not sent.",
    ResponseState.DONE: "The first turn ended it, so there is no second. Its reply is the response.",
}
NO_CHECK = "No check was sent: the reply is an abstention, or has no answer to check."


def second_turn(response: Response, prompt: Prompt | None) -> SecondTurn | None:
    """None for a response to a prompt of one turn."""
    if response.follow_up is None:
        return None
    first: FirstReply | None = getattr(response, "first_reply", None)
    if first is None:
        is_unchecked = prompt and prompt.check and response.text and not response.finding
        why = NO_CHECK if is_unchecked else WHY_NO_SECOND[ResponseState(response.state)]
        return SecondTurn(None, why_none=why)
    sent = response.sent_texts[-1]
    return SecondTurn(first, readable(first.request), readable(first.reply), sent)


def drawn_order(response: Response) -> list[str]:
    """The titles of a response's shuffled passages, in the order of its text; none where nothing was shuffled."""
    drawn = response.drawn or {}
    if "order" not in drawn:
        return []
    fields = response.run.collection.declaration.fields
    return [fields[name].title for name in drawn["order"]]


def letters_of(response: Response) -> dict[str, str]:
    """What the letters in the fields of a response's record stand for, as "Original answer"."""
    record, found = response.instance.contradiction.fields or {}, dict[str, list[str]]()
    for field in response.run.collection.declaration.fields.values():
        if field.type == FieldType.LETTER and record.get(field.name):
            found.setdefault(record[field.name], []).append(field.title)
    return {letter: ", ".join(titles) for letter, titles in sorted(found.items())}


@dataclass(frozen=True)
class RejectedAsking:
    """A reply without the asked form, with its request and reply as text."""

    reply: RejectedReply
    request: str
    raw: str


@dataclass(frozen=True)
class AskingAgain:
    """The form that a response's prompt asks for, how often at most, and the replies without it."""

    form: str
    times: int
    rejected: list[RejectedAsking]


def asking_again(response: Response) -> AskingAgain | None:
    """None for a response to a prompt without an asked form."""
    if response.wanted is None:
        return None
    rows = response.rejected.all()
    rejected = [RejectedAsking(row, readable(row.request), readable(row.reply)) for row in rows]
    return AskingAgain(FORMS[response.wanted["form"]], response.wanted["times"], rejected)


def readable(data: Mapping[str, Any] | None) -> str:
    """A request or reply as indented JSON; "" where there is none."""
    return json.dumps(data, ensure_ascii=False, indent=2) if data else ""
