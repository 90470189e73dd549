"""Exclude a question from results: one person proposes it with a reason, another agrees or declines.

Only an exclusion that a second person has agreed to counts. Nothing is deleted: responses and verdicts stay, and
every table shows how many it leaves out. The second person decides on exactly the proposal that they have read.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.blinding import shown_to
from datasets.excluding.exposure import hidden_from, known_to
from datasets.models import (
    Collection,
    Contradiction,
    Exclusion,
    Instance,
    PastExclusion,
    ReleaseExclusion,
    Undoing,
)
from datasets.records import hold, newest
from datasets.states import UndoingState
from leases.refusal import Conflict, NotAllowed, Refusal
from leases.rows import first_of

MOST_WORDS = 2_000
How = PastExclusion.How
PROPOSED = UndoingState.PROPOSED
HIDDEN = (
    "You judge responses to this question in a study that is still open, so whether it is to be excluded stays "
    "hidden from you until the study is closed. If something is wrong with it, flag the response."
)
GONE = "This proposal is no longer there. Read what became of it below; nothing was changed."


def question_of(contradiction_id: int, n: int) -> Instance:
    """The question with its contradiction and collection. Raises NotFoundHere."""
    rows = Instance.objects.select_related("contradiction__collection")
    seen = rows.filter(contradiction__collection__arriving_until=None)
    asked = seen.filter(contradiction=contradiction_id, n=n)
    return first_of(asked, "There is no such question.")


def check_not_hidden(person: Person, instance: Instance) -> None:
    """Raise NotAllowed, with the same message whether there is a proposal or not."""
    if instance.pk in hidden_from(person):
        raise NotAllowed(HIDDEN)


# ---------------------------------------------------------------- queries


def exclusions_of(collection: Collection, person: Person) -> QuerySet[Exclusion]:
    """All proposed and in force, on questions of every version, without those hidden from the person."""
    rows = Exclusion.objects.filter(instance__contradiction__collection=collection)
    shown = shown_to(person, rows, "instance__contradiction__")
    return shown.exclude(instance__in=hidden_from(person))


def listed(rows: QuerySet[Exclusion]) -> QuerySet[Exclusion]:
    """In the order of the list: first those that wait for a second person, oldest first; then the latest in force.

    `is_old` says that the contradiction has a newer version, `is_undoing` that somebody proposes to undo it, and
    `undoing_by` who.
    """
    related = ("instance__contradiction", "proposed_by", "seconded_by")
    proposals = Undoing.objects.filter(instance=OuterRef("instance"), state=PROPOSED)
    undoing, author = Exists(proposals), Subquery(proposals.values("proposed_by"))
    waiting_first = Case(When(seconded_by=None, then=0), When(undoing, then=0), default=1)
    latest = F("seconded_at").desc(nulls_last=True)
    newer = Contradiction.objects.filter(supersedes=OuterRef("instance__contradiction"))
    marked = (
        rows.select_related(*related)
        .defer("instance__contradiction__fields")
        .annotate(is_old=Exists(newer), is_undoing=undoing, undoing_by=author)
    )
    return marked.order_by(waiting_first, latest, "created_at", "pk")


def tally(rows: QuerySet[Exclusion]) -> dict[str, int]:
    """The numbers in force on questions of the newest versions ("excluded"), and of proposals that wait ("proposed").

    A proposal to undo one waits too.
    """
    undoing = Exists(Undoing.objects.filter(instance=OuterRef("instance"), state=PROPOSED))
    in_force = newest("instance__contradiction__") & Q(seconded_by__isnull=False)
    return rows.aggregate(
        excluded=Count("pk", filter=in_force),
        proposed=Count("pk", filter=Q(undoing) | Q(seconded_by=None)),
    )


def past_of(collection: Collection, person: Person) -> QuerySet[PastExclusion]:
    """Proposals that were declined or withdrawn, and exclusions that were undone; the latest first."""
    rows = PastExclusion.objects.filter(instance__contradiction__collection=collection)
    shown = shown_to(person, rows, "instance__contradiction__")
    return shown.exclude(instance__in=hidden_from(person))


def in_force(collection: Collection) -> QuerySet[Exclusion]:
    """The exclusions in force on questions of the newest versions."""
    return Exclusion.objects.filter(
        newest("instance__contradiction__"),
        seconded_by__isnull=False,
        instance__contradiction__collection=collection,
    ).order_by("instance__contradiction__position", "instance__n")


def excluded_ids(collection: Collection) -> list[int]:
    """The ids of the newest questions that new releases and exports leave out."""
    return list(in_force(collection).values_list("instance_id", flat=True))


def left_out_for(person: Person) -> QuerySet[ReleaseExclusion]:
    """The questions that releases leave out, without those hidden from the person."""
    rows = ReleaseExclusion.objects.select_related("instance")
    shown = shown_to(person, rows, "instance__contradiction__")
    return shown.exclude(instance__in=hidden_from(person))


# ---------------------------------------------------------------- actions


def propose(*, instance: Instance, reason: str, said: str = "", by: Person) -> Exclusion:
    """Propose to exclude the question. Raises Refusal without a reason, Conflict if it is proposed already.

    A second click returns the proposal of the first.
    """
    check_not_hidden(by, instance)
    reason, said = checked_words(reason, "reason"), checked_words(said, "note on what you had seen")
    if not reason:
        raise Refusal("Say why the question should be excluded.")
    seen = {"proposed": {"said": said, "known": known_to(by, instance)}}
    try:
        with transaction.atomic():
            hold(instance.contradiction_id)
            made = Exclusion.objects.create(
                instance=instance, reason=reason, proposed_by=by, seen=seen
            )
            recorded("proposed", instance, by)
    except IntegrityError:
        return _already_proposed(instance, reason, by)
    made.refresh_from_db()
    return made


@transaction.atomic
def propose_found(instances: Iterable[Instance], reason: str, by: Person) -> int:
    """Propose what a declared rule finds, also where it is hidden from the person in whose name; returns how many.

    A question that is excluded, proposed, or was proposed for this reason before is left alone.
    """
    rows = {instance.pk: instance for instance in instances}
    before = PastExclusion.objects.filter(instance__in=rows, reason=reason)
    there = {*Exclusion.objects.filter(instance__in=rows).values_list("instance", flat=True)}
    there |= {*before.values_list("instance", flat=True)}
    found = [instance for pk, instance in rows.items() if pk not in there]
    for instance in found:
        seen = {"proposed": {"said": "", "known": known_to(by, instance)}}
        Exclusion.objects.create(instance=instance, reason=reason, proposed_by=by, seen=seen)
        recorded("proposed", instance, by)
    return len(found)


def _already_proposed(instance: Instance, reason: str, by: Person) -> Exclusion:
    there = Exclusion.objects.filter(instance=instance).first()
    if there and there.proposed_by_id == by.pk and there.reason == reason:
        return there
    raise Conflict(
        "Someone else has proposed to exclude this question in the meantime. Their proposal is shown below; what "
        "you wrote is kept under it, to copy."
    )


@transaction.atomic
def second(*, instance: Instance, proposal: int, said: str = "", by: Person) -> Exclusion:
    """Agree: the exclusion is now in force. Raises NotAllowed for one's own, Conflict if it is gone."""
    exclusion = _proposal(instance, proposal, by)
    if exclusion.seconded_by_id == by.pk:
        return exclusion
    _check_open(exclusion, by)
    said = checked_words(said, "note on what you had seen")
    exclusion.seconded_by, exclusion.seconded_at = by, Now()
    exclusion.seen = {**exclusion.seen, "seconded": {"said": said, "known": known_to(by, instance)}}
    exclusion.save(update_fields=["seconded_by", "seconded_at", "seen"])
    recorded("agreed", instance, by)
    exclusion.refresh_from_db()
    return exclusion


@transaction.atomic
def decline(*, instance: Instance, proposal: int, note: str, by: Person) -> PastExclusion:
    """Decline with a reason: the question stays, and the proposal is kept as a past one."""
    if past := _ended_before(instance, proposal, How.DECLINED, by):
        return past
    exclusion = _proposal(instance, proposal, by)
    _check_open(exclusion, by)
    note = checked_words(note, "reason")
    if not note:
        raise Refusal("Say why you decline: the person who proposed it will read it.")
    return end_proposal(exclusion, How.DECLINED, by, note)


@transaction.atomic
def withdraw(*, instance: Instance, proposal: int, by: Person) -> PastExclusion:
    """Withdraw one's own proposal, as long as nobody has agreed to it."""
    if past := _ended_before(instance, proposal, How.WITHDRAWN, by):
        return past
    exclusion = _proposal(instance, proposal, by)
    if exclusion.proposed_by_id != by.pk:
        raise NotAllowed("Another person proposed this: you can agree or decline.")
    _check_not_seconded(exclusion)
    return end_proposal(exclusion, How.WITHDRAWN, by)


def _proposal(instance: Instance, proposal: int, by: Person) -> Exclusion:
    """The proposal with this id, locked."""
    check_not_hidden(by, instance)
    rows = Exclusion.objects.select_for_update().filter(pk=proposal, instance=instance)
    exclusion = rows.first()
    if exclusion is None:
        raise Conflict(GONE)
    return exclusion


def _check_open(exclusion: Exclusion, by: Person) -> None:
    if exclusion.proposed_by_id == by.pk:
        raise NotAllowed("You proposed this yourself: another researcher or admin has to agree.")
    _check_not_seconded(exclusion)


def _check_not_seconded(exclusion: Exclusion) -> None:
    if exclusion.seconded_by_id is not None:
        raise Conflict(
            "A second person has agreed to this exclusion meanwhile: the question is excluded."
        )


def end_proposal(
    exclusion: Exclusion, how: str, by: Person, note: str = "", **undone: Any
) -> PastExclusion:
    """The proposal or exclusion as a past one, which is all that is left of it."""
    past = PastExclusion.objects.create(
        instance_id=exclusion.instance_id,
        proposal=exclusion.pk,
        reason=exclusion.reason,
        proposed_by_id=exclusion.proposed_by_id,
        proposed_at=exclusion.created_at,
        seen=exclusion.seen,
        how=how,
        ended_by=by,
        note=note,
        **undone,
    )
    recorded(how, exclusion.instance, by)
    exclusion.delete()
    return past


def recorded(what: str, instance: Instance, by: Person) -> None:
    tag = instance.contradiction
    record(
        AuditKind.EXCLUSION, by, f"{what}: question {instance.n} of {tag.collection.name} {tag.pk}"
    )


def _ended_before(instance: Instance, proposal: int, how: str, by: Person) -> PastExclusion | None:
    """The same proposal, ended by a first click."""
    check_not_hidden(by, instance)
    return PastExclusion.objects.filter(
        instance=instance, proposal=proposal, how=how, ended_by=by
    ).first()


def checked_words(text: str, what: str) -> str:
    """The text as it is stored: \\n line ends, stripped. Raises Refusal if it is too long."""
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if len(text) > MOST_WORDS:
        raise Refusal(
            f"The {what} has {len(text):,} characters; at most {MOST_WORDS:,} can be kept. Shorten it."
        )
    return text


class Standing(NamedTuple):
    """A question with its exclusion, proposed or in force; `hidden` if the person may not know of one."""

    instance: Instance
    exclusion: Exclusion | None
    hidden: bool = False

    @property
    def excluded(self) -> bool:
        return bool(self.exclusion and self.exclusion.seconded_by_id)


def standings(instances: Iterable[Instance], person: Person) -> list[Standing]:
    """The standing of each question, in the order given."""
    questions = list(instances)
    hidden = hidden_from(person)
    rows = Exclusion.objects.filter(instance__in=[question.pk for question in questions])
    exclusions = {row.instance_id: row for row in rows.exclude(instance__in=hidden)}
    return [
        Standing(question, exclusions.get(question.pk), question.pk in hidden)
        for question in questions
    ]
