"""Taking a question out after the fact: one person proposes with a reason, another agrees or declines.

Only an exclusion that a second person has agreed to counts. Nothing is deleted: responses and verdicts stay, and
every table says how many it leaves out. The second person decides on the very proposal that they have read.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, When
from django.db.models.functions import Now

from accounts.models import Person
from datasets.models import (
    Collection,
    Contradiction,
    Exclusion,
    Instance,
    PastExclusion,
    ReleaseExclusion,
)
from datasets.witnesses import hidden_from, known_to
from leases.refusal import Conflict, NotAllowed, NotFoundHere, Refusal

MOST_WORDS = 2_000
How = PastExclusion.How
HIDDEN = (
    "You judge responses to this question in a study that is still open, so whether it is to be excluded stays "
    "hidden from you until the study is closed. If something is wrong with it, flag the response."
)
GONE = "This proposal is no longer there. Read what became of it below; nothing was changed."


def question_of(contradiction_id: int, n: int) -> Instance:
    """The question with its contradiction and collection. Raises NotFoundHere."""
    rows = Instance.objects.select_related("contradiction__collection")
    found = rows.filter(contradiction=contradiction_id, n=n).first()
    if found is None:
        raise NotFoundHere("There is no such question.")
    return found


def check_not_hidden(person: Person, instance: Instance) -> None:
    """Raise NotAllowed, with the same words whether there is a proposal or not."""
    if instance.pk in hidden_from(person):
        raise NotAllowed(HIDDEN)


# ---------------------------------------------------------------- what there is


def exclusions_of(collection: Collection, person: Person) -> QuerySet[Exclusion]:
    """All that are proposed or in force, on questions of every version, but what is hidden from the person."""
    rows = Exclusion.objects.filter(instance__contradiction__collection=collection)
    return rows.exclude(instance__in=hidden_from(person))


def listed(rows: QuerySet[Exclusion]) -> QuerySet[Exclusion]:
    """For a list: what waits for a second person first, the longest waiting on top; then the latest in force.

    `is_old` says that the contradiction has a newer version.
    """
    related = ("instance__contradiction", "proposed_by", "seconded_by")
    waiting_first = Case(When(seconded_by=None, then=0), default=1)
    latest = F("seconded_at").desc(nulls_last=True)
    newer = Contradiction.objects.filter(supersedes=OuterRef("instance__contradiction"))
    marked = rows.select_related(*related).annotate(is_old=Exists(newer))
    return marked.order_by(waiting_first, latest, "created_at", "pk")


def tally(rows: QuerySet[Exclusion]) -> dict[str, int]:
    """How many are in force on questions of the newest versions ("excluded"), and how many wait ("proposed")."""
    newest = Q(seconded_by__isnull=False, instance__contradiction__superseded_by=None)
    return rows.aggregate(
        excluded=Count("pk", filter=newest), proposed=Count("pk", filter=Q(seconded_by=None))
    )


def past_of(collection: Collection, person: Person) -> QuerySet[PastExclusion]:
    """Proposals that were declined or withdrawn, the latest first."""
    rows = PastExclusion.objects.filter(instance__contradiction__collection=collection)
    return rows.exclude(instance__in=hidden_from(person))


def in_force(collection: Collection) -> QuerySet[Exclusion]:
    """The exclusions that count, on questions of the newest versions."""
    return Exclusion.objects.filter(
        seconded_by__isnull=False,
        instance__contradiction__collection=collection,
        instance__contradiction__superseded_by=None,
    ).order_by("instance__contradiction__position", "instance__n")


def excluded_ids(collection: Collection) -> list[int]:
    """The ids of the newest questions that new releases and exports leave out."""
    return list(in_force(collection).values_list("instance_id", flat=True))


def left_out_for(person: Person) -> QuerySet[ReleaseExclusion]:
    """What releases leave out, but what is hidden from the person."""
    rows = ReleaseExclusion.objects.select_related("instance")
    return rows.exclude(instance__in=hidden_from(person))


# ---------------------------------------------------------------- what people do


def propose(*, instance: Instance, reason: str, said: str = "", by: Person) -> Exclusion:
    """Propose to take the question out. Raises Refusal without a reason, Conflict where it has been proposed.

    A second click finds what the first one made.
    """
    check_not_hidden(by, instance)
    reason, said = _words(reason, "reason"), _words(said, "note on what you had seen")
    if not reason:
        raise Refusal("Say why the question should be excluded.")
    seen = {"proposed": {"said": said, "known": known_to(by, instance)}}
    try:
        with transaction.atomic():
            made = Exclusion.objects.create(
                instance=instance, reason=reason, proposed_by=by, seen=seen
            )
    except IntegrityError:
        return _already_proposed(instance, reason, by)
    made.refresh_from_db()
    return made


def _already_proposed(instance: Instance, reason: str, by: Person) -> Exclusion:
    there = Exclusion.objects.filter(instance=instance).first()
    if there and there.proposed_by_id == by.pk and there.reason == reason:
        return there
    raise Conflict(
        "Somebody has proposed to exclude this question meanwhile. Read that proposal below; what you wrote is kept "
        "beneath it, to copy."
    )


@transaction.atomic
def second(*, instance: Instance, proposal: int, said: str = "", by: Person) -> Exclusion:
    """Agree: from now on the exclusion counts. Raises NotAllowed for one's own, Conflict where it is gone."""
    found = _proposal(instance, proposal, by)
    if found.seconded_by_id == by.pk:
        return found
    _check_open(found, by)
    said = _words(said, "note on what you had seen")
    found.seconded_by, found.seconded_at = by, Now()
    found.seen = {**found.seen, "seconded": {"said": said, "known": known_to(by, instance)}}
    found.save(update_fields=["seconded_by", "seconded_at", "seen"])
    found.refresh_from_db()
    return found


@transaction.atomic
def decline(*, instance: Instance, proposal: int, note: str, by: Person) -> PastExclusion:
    """Say no, with a reason: the question stays, and the proposal is kept among the past ones."""
    if ended := _ended(instance, proposal, How.DECLINED, by):
        return ended
    found = _proposal(instance, proposal, by)
    _check_open(found, by)
    note = _words(note, "reason")
    if not note:
        raise Refusal("Say why you decline: whoever proposed it wants to know.")
    return _end(found, How.DECLINED, by, note)


@transaction.atomic
def withdraw(*, instance: Instance, proposal: int, by: Person) -> PastExclusion:
    """Take one's own proposal back, as long as nobody has agreed to it."""
    if ended := _ended(instance, proposal, How.WITHDRAWN, by):
        return ended
    found = _proposal(instance, proposal, by)
    if found.proposed_by_id != by.pk:
        raise NotAllowed("Somebody else proposed this: you can agree or decline.")
    _check_not_seconded(found)
    return _end(found, How.WITHDRAWN, by)


def _proposal(instance: Instance, proposal: int, by: Person) -> Exclusion:
    """The proposal that was read, locked."""
    check_not_hidden(by, instance)
    rows = Exclusion.objects.select_for_update().filter(pk=proposal, instance=instance)
    found = rows.first()
    if found is None:
        raise Conflict(GONE)
    return found


def _check_open(found: Exclusion, by: Person) -> None:
    if found.proposed_by_id == by.pk:
        raise NotAllowed("You proposed this yourself: another researcher or admin has to agree.")
    _check_not_seconded(found)


def _check_not_seconded(found: Exclusion) -> None:
    if found.seconded_by_id is not None:
        raise Conflict(
            "A second person has agreed to this exclusion meanwhile: the question is excluded."
        )


def _end(found: Exclusion, how: str, by: Person, note: str = "") -> PastExclusion:
    past = PastExclusion.objects.create(
        instance_id=found.instance_id,
        proposal=found.pk,
        reason=found.reason,
        proposed_by_id=found.proposed_by_id,
        proposed_at=found.created_at,
        seen=found.seen,
        how=how,
        ended_by=by,
        note=note,
    )
    found.delete()
    return past


def _ended(instance: Instance, proposal: int, how: str, by: Person) -> PastExclusion | None:
    """What a first click has made of the same proposal."""
    check_not_hidden(by, instance)
    return PastExclusion.objects.filter(
        instance=instance, proposal=proposal, how=how, ended_by=by
    ).first()


def _words(text: str, what: str) -> str:
    """The text as it is kept: one kind of line end, nothing around it. Raises Refusal where it is too long."""
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if len(text) > MOST_WORDS:
        raise Refusal(
            f"The {what} has {len(text):,} characters; at most {MOST_WORDS:,} can be kept. Shorten it."
        )
    return text


class Standing(NamedTuple):
    """A question with its exclusion, proposed or in force; `hidden` where the person may not know of one."""

    instance: Instance
    exclusion: Exclusion | None
    hidden: bool = False

    @property
    def excluded(self) -> bool:
        return bool(self.exclusion and self.exclusion.seconded_by_id)


def standings(instances: Iterable[Instance], person: Person) -> list[Standing]:
    """How each question stands, in the order given."""
    asked = list(instances)
    hidden = hidden_from(person)
    rows = Exclusion.objects.filter(instance__in=[one.pk for one in asked])
    found = {row.instance_id: row for row in rows.exclude(instance__in=hidden)}
    return [Standing(one, found.get(one.pk), one.pk in hidden) for one in asked]
