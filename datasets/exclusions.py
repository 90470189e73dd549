"""Questions that are excluded from results: by whom, why, and whether results existed then.

One person excludes a question with a reason, and undoes it with another. What a closed study proposes is a list, which
one person confirms or refuses. Nothing is deleted: responses and verdicts stay, and tables say how many they leave out.
"""

from collections.abc import Collection as Keys
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.blinding import shown_to
from datasets.models import (
    Collection,
    Contradiction,
    Exclusion,
    Instance,
    PastExclusion,
    ReleaseExclusion,
)
from datasets.records import hold, newest
from leases.extension import ExtensionPoint
from leases.refusal import Conflict, NotAllowed, Refusal
from leases.rows import first_of

Row = TypeVar("Row", Exclusion, PastExclusion)

MOST_WORDS = 2_000
HIDDEN = (
    "You judge responses to this question in a study that is still open, so whether it is excluded stays hidden from "
    "you until the study is closed. If something is wrong with it, flag the response."
)
GONE = "This question is not excluded any more. Read what became of it below; nothing was changed."

# The ids of those of the questions to which results exist: a model has answered them.
with_results: ExtensionPoint[[Sequence[Instance]], set[int]] = ExtensionPoint(
    "datasets.exclusions.with_results"
)
# The ids of the questions whose exclusion is hidden from the person now, whatever their roles.
hidden_questions: ExtensionPoint[[Person], set[int]] = ExtensionPoint(
    "datasets.exclusions.hidden_questions"
)


def hidden_from(person: Person) -> set[int]:
    """The ids of the questions whose exclusion is hidden from the person now."""
    return set().union(*hidden_questions(person))


def question_of(contradiction_id: int, n: int) -> Instance:
    """The question with its contradiction and collection. Raises NotFoundHere."""
    rows = Instance.objects.select_related("contradiction__collection")
    seen = rows.filter(contradiction__collection__arriving_until=None)
    asked = seen.filter(contradiction=contradiction_id, n=n)
    return first_of(asked, "There is no such question.")


def check_not_hidden(person: Person, instance: Instance) -> None:
    """Raise NotAllowed, with the same message whether the question is excluded or not."""
    if instance.pk in hidden_from(person):
        raise NotAllowed(HIDDEN)


# ---------------------------------------------------------------- queries


def exclusions_of(collection: Collection, person: Person) -> QuerySet[Exclusion]:
    """Proposed and in force, on questions of every version, without those hidden from the person; the latest first.

    `is_old` says that the contradiction has a newer version.
    """
    newer = Contradiction.objects.filter(supersedes=OuterRef("instance__contradiction"))
    rows = _shown(Exclusion.objects.all(), collection, person).annotate(is_old=Exists(newer))
    return rows.order_by("-excluded_at", "pk")


def past_of(collection: Collection, person: Person) -> QuerySet[PastExclusion]:
    """Exclusions that were undone and proposals that were refused; the latest first."""
    return _shown(PastExclusion.objects.all(), collection, person)


def _shown(rows: QuerySet[Row], collection: Collection, person: Person) -> QuerySet[Row]:
    related = rows.filter(instance__contradiction__collection=collection).select_related(
        "instance__contradiction", "excluded_by"
    )
    shown = shown_to(person, related, "instance__contradiction__")
    return shown.exclude(instance__in=hidden_from(person)).defer("instance__contradiction__fields")


def tally(rows: QuerySet[Exclusion]) -> dict[str, int]:
    """The numbers in force on questions of the newest versions ("excluded"), and of proposals ("proposed")."""
    in_force = newest("instance__contradiction__") & Q(excluded_by__isnull=False)
    return rows.order_by().aggregate(
        excluded=Count("pk", filter=in_force), proposed=Count("pk", filter=Q(excluded_by=None))
    )


def in_force(collection: Collection) -> QuerySet[Exclusion]:
    """The exclusions in force on questions of the newest versions."""
    return Exclusion.objects.filter(
        newest("instance__contradiction__"),
        excluded_by__isnull=False,
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


class Standing(NamedTuple):
    """A question with its exclusion, proposed or in force; `hidden` if the person may not know of one."""

    instance: Instance
    exclusion: Exclusion | None
    hidden: bool = False

    @property
    def excluded(self) -> bool:
        return bool(self.exclusion and self.exclusion.excluded_by_id)


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


# ---------------------------------------------------------------- actions


def exclude(*, instance: Instance, reason: str, by: Person) -> Exclusion:
    """Exclude the question from now on, also where a closed study proposes it.

    Raises Refusal without a reason, Conflict if somebody else has excluded it. A second click returns what the first
    one made.
    """
    check_not_hidden(by, instance)
    reason = _checked(reason, "Say why the question should be excluded.")
    try:
        with transaction.atomic():
            hold(instance.contradiction_id)
            Exclusion.objects.filter(instance=instance, excluded_by=None).delete()
            made = Exclusion.objects.create(
                instance=instance,
                reason=reason,
                excluded_by=by,
                excluded_at=Now(),
                after_results=bool(_answered([instance])),
            )
            _recorded("excluded", instance, by)
    except IntegrityError:
        there = Exclusion.objects.filter(instance=instance, excluded_by=by, reason=reason)
        if first := there.first():
            return first
        raise Conflict(
            "Someone else has excluded this question in the meantime. Their reason is shown below; what you wrote is "
            "kept under it, to copy."
        ) from None
    made.refresh_from_db()
    return made


@transaction.atomic
def undo(*, instance: Instance, exclusion: int, reason: str, by: Person) -> PastExclusion:
    """Let the question count again: in tables, new runs and new releases. Raises Conflict if it does already.

    `exclusion` is the id of the one that the person has read. Earlier releases and frozen reports stay as they are.
    """
    check_not_hidden(by, instance)
    note = _checked(reason, "Say why the question should count again.")
    rows = Exclusion.objects.select_for_update().filter(pk=exclusion, instance=instance)
    row = rows.filter(excluded_by__isnull=False).first()
    if row is None:
        raise Conflict(GONE)
    return _end(row, by, "undone", note)


@transaction.atomic
def propose(instances: Iterable[Instance], reason: str) -> int:
    """Propose what a closed study found; returns how many.

    A question that is excluded, proposed, or was excluded or proposed for this reason before is left alone.
    """
    rows = [instance.pk for instance in instances]
    before = PastExclusion.objects.filter(instance__in=rows, reason=reason)
    there = {*Exclusion.objects.filter(instance__in=rows).values_list("instance", flat=True)}
    there |= {*before.values_list("instance", flat=True)}
    made = [Exclusion(instance_id=pk, reason=reason) for pk in rows if pk not in there]
    # Somebody else may propose or exclude one of them meanwhile.
    return len(Exclusion.objects.bulk_create(made, ignore_conflicts=True))


@transaction.atomic
def decide(collection: Collection, proposals: Keys[int], *, confirm: bool, by: Person) -> int:
    """Confirm or refuse those of the proposals with these ids that still wait and are shown; returns how many."""
    ids = exclusions_of(collection, by).filter(pk__in=proposals).order_by()
    locked = Exclusion.objects.select_for_update(of=("self",)).filter(
        pk__in=list(ids.values_list("pk", flat=True)), excluded_by=None
    )
    rows = list(locked.select_related("instance__contradiction__collection"))
    if not rows:
        raise Conflict(
            "Nothing was changed: no proposal was chosen, or somebody has decided on them in the meantime."
        )
    answered = _answered([row.instance for row in rows]) if confirm else set()
    for row in rows:
        if confirm:
            row.excluded_by, row.excluded_at = by, Now()
            row.after_results = row.instance_id in answered
            row.save(update_fields=["excluded_by", "excluded_at", "after_results"])
            _recorded("excluded", row.instance, by)
        else:
            _end(row, by, "proposal refused")
    return len(rows)


def _answered(instances: Sequence[Instance]) -> set[int]:
    return set().union(*with_results(instances))


def _end(row: Exclusion, by: Person, what: str, note: str = "") -> PastExclusion:
    past = PastExclusion.objects.create(
        instance=row.instance,
        reason=row.reason,
        excluded_by_id=row.excluded_by_id,
        excluded_at=row.excluded_at,
        after_results=row.after_results,
        ended_by=by,
        note=note,
    )
    _recorded(what, row.instance, by)
    row.delete()
    return past


def _recorded(what: str, instance: Instance, by: Person) -> None:
    tag = instance.contradiction
    record(
        AuditKind.EXCLUSION, by, f"{what}: question {instance.n} of {tag.collection.name} {tag.pk}"
    )


def _checked(text: str, missing: str) -> str:
    """The text as it is stored: \\n line ends, stripped. Raises Refusal without one, and if it is too long."""
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not text:
        raise Refusal(missing)
    if len(text) > MOST_WORDS:
        raise Refusal(
            f"The reason has {len(text):,} characters; at most {MOST_WORDS:,} can be kept. Shorten it."
        )
    return text
