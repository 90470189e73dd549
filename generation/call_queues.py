"""Rows that wait for a call to a service: what the loop of calls (asking/turn.py) needs of each kind.

There are two kinds: the responses of runs, and the verdicts of judge models. Each claims and stores its own rows.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from generation.inference import chat, scoring
from generation.inference.faults import ServiceFault
from generation.models import LanguageModel
from generation.prompts.controlled import WantedForm, varied
from leases import claim
from leases.clock import in_seconds
from leases.extension import ExtensionPoint
from leases.models import Leased
from leases.states import StateTable

# Calls for one row before it fails; a resumed row starts counting again.
MAX_ATTEMPTS = 5
LOST = "The worker stopped while it asked."
# Waiting rows that may be asked now: their pause after a fault is over.
DUE = Q(not_before=None) | Q(not_before__lte=Now())


@dataclass(frozen=True)
class QueueLine:
    """Rows of one model. Lines with the same `group` (a run, a judge) share that group's turns."""

    queue: "CallQueue"
    service: str
    group: Hashable
    key: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Call:
    """A claimed row: whom to ask what. `attempts` is without this one, and so is `cost`.

    `reserved` is what this call may cost at most, where a cap counts it already. `before` are the texts of earlier
    turns (chat.body), and `goes_on` says that the reply is not the last one. `wanted` is the form of the last one,
    for which it was asked `asking` times before. `scored` are the options that get scores (inference/scoring.py).
    `reading` says how the answer is read of which a check follows (answers.py); of the check, `checked` has what the
    response keeps of the reply to which it was sent.
    """

    line: QueueLine
    pk: int
    attempts: int
    model: LanguageModel
    text: str
    cost: float = 0.0
    reserved: float = 0.0
    before: tuple[str, ...] = ()
    goes_on: bool = False
    wanted: WantedForm | None = None
    asking: int = 0
    scored: tuple[str, ...] = ()
    reading: Mapping[str, str] | None = None
    checked: Mapping[str, Any] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The model's options as they are sent."""
        return varied(self.model.options, 0 if self.checked else self.asking)

    @property
    def takes_empty(self) -> bool:
        """Whether an empty reply is one off the asked form, and not a failed call."""
        return self.wanted is not None and not self.goes_on

    @property
    def length(self) -> int:
        return sum(len(text.encode("utf-8", "replace")) for text in (*self.before, self.text))


@dataclass(frozen=True)
class Settled:
    """What becomes of a call: "finish" with a reply; "retry" (asked again after a pause), "fail" or "release".

    The last of several aborted replies is finished with its fault too. A released row waits as before: no attempt is
    counted, and without a pause it may be asked at once. Without reply and fault it was not asked. `was_up`: a look
    showed that the service answers others.
    """

    call: Call
    verb: str
    reply: chat.Reply | None = None
    fault: ServiceFault | None = None
    error: str = ""
    pause: float = 0.0
    was_up: bool = False

    @property
    def request(self) -> dict[str, Any]:
        model = self.call.model
        call = self.call
        whom = (model.model_id, call.options)
        return scoring.body(*whom, call.text, model.able, call.before, call.scored)


class CallQueue:
    """One kind of row. Equal queues hold the same rows."""

    rows: ClassVar[type[Leased]]
    running: ClassVar[str]
    service_of: ClassVar[str]  # path to the name of a row's service
    advice: ClassVar[str]  # how to ask a failed row again

    def lines(self, service: str | None = None) -> list[QueueLine]:
        """The lines that have rows to ask now; of one service, or of all."""
        raise NotImplementedError

    def claim(self, line: QueueLine, holder: str, seconds: float, most: int) -> list[Call]:
        """Hold the line's next rows."""
        raise NotImplementedError

    def settle(self, holder: str, settled: Sequence[Settled]) -> None:
        """Store what became of calls, each whose lease is still held, and log them."""
        raise NotImplementedError

    def calls(self, key: int, status: int) -> int:
        """How many logged calls for the row were answered with this HTTP status."""
        raise NotImplementedError

    def pause(self, line: QueueLine, reason: str) -> None:
        """Ask no more rows of the line's group until a person resumes it."""
        raise NotImplementedError

    def stopped(self, keys: Collection[int]) -> set[int]:
        """Those of the rows that are not to be asked, because their group was cancelled or paused."""
        raise NotImplementedError

    def finish(self, groups: Collection[Any]) -> None:
        """The loop holds no row of these groups any more, and found none that waits."""

    def sweep(self) -> int:
        """Take back the rows of dead workers: asked again, or failed at their last attempt; returns how many."""
        raise NotImplementedError

    # ------------------------------------------------------------ the same for all kinds

    def held_by_others(self, service: str, holder: str) -> int:
        """Calls in flight that other turns started."""
        held = self.rows._default_manager.filter(
            **{self.service_of: service, "state": self.running}
        )
        return held.filter(lease_until__gt=Now()).exclude(lease_holder=holder).count()

    def renew(
        self, holder: str, keys: Collection[int], *, below: float, seconds: float
    ) -> set[int]:
        """Extend the leases that the holder has for less than `below` seconds more; the keys of those it has."""
        held = self.rows._default_manager.filter(pk__in=keys, lease_holder=holder)
        held.filter(lease_until__lt=in_seconds(below)).update(lease_until=in_seconds(seconds))
        return set(held.values_list("pk", flat=True))


def fields_of(
    settled: Sequence[Settled], verb: str, columns: Callable[[Settled], dict[str, Any]]
) -> dict[int, dict[str, Any]]:
    """The columns to store by key, for the calls with this verb."""
    return {row.call.pk: columns(row) for row in settled if row.verb == verb}


def set_back(row: Settled, present: datetime) -> dict[str, Any]:
    """The columns of a row that was not answered; `present` is the database's time."""
    later = present + timedelta(seconds=row.pause) if row.pause else None
    if row.verb == "release":
        return {"error": "", "not_before": later, "attempts": row.call.attempts}
    return {"error": row.error, "not_before": later}


def sweep(expired: QuerySet[Any], table: StateTable, advice: str) -> int:
    """Fail the expired rows that were asked too often, and let the others wait again; returns how many."""
    lost = f"{LOST} That happened at the last of {MAX_ATTEMPTS} calls. {advice}"
    last = expired.filter(attempts__gte=MAX_ATTEMPTS)
    failed = claim.sweep(last, table, "fail", error=lost)
    return failed + claim.sweep(expired, table, "expire", error=LOST)


# Every kind of row that waits for services.
queues: ExtensionPoint[[], CallQueue] = ExtensionPoint("generation.call_queues.queues")
