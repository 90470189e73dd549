"""Passages revised so that the two agree, for prompts 5.3 and 5.4: one person writes them, another checks.

A question has at most one revision that waits for a check, and at most one that is checked; runs ask about the
checked one. A response keeps the passages that its prompt showed, even if they change later.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.urls import reverse

from accounts.leaving.open_work import OpenWork, only_own
from accounts.models import Person
from accounts.roles import Role
from datasets.blinding import shown_to
from datasets.contexts import context_1, context_2, is_same
from datasets.counts import current_instances
from datasets.models import Collection, Contradiction, Instance, RevisedPassage
from datasets.records import hold
from datasets.states import REVISION, RevisionState
from leases.refusal import Conflict, NotAllowed, Refusal
from pages.counting import how_many
from pages.worddiff import Piece, word_diff

MOST_PASSAGE = 20_000
MOST_ANSWER = 1_000
MOST_NOTE = 2_000
# Filters of a list; "none" is a question without a revision that waits or is checked.
WAITING, CHECKED, NONE = "waiting", "checked", "none"
State = RevisionState
GONE = "These passages are no longer there to be decided on. Reload the page."
CHECKERS = (Role.ADMIN, Role.RESEARCHER)


class Texts(NamedTuple):
    """A revision's texts: both passages (the same text twice if both answers come from one) and the answer."""

    passage_1: str
    passage_2: str
    answer: str = ""


def originals(instance: Instance) -> Texts:
    """The question's contradicting passages as prompts show them."""
    tag = instance.contradiction
    return Texts(context_1(tag), context_1(tag) if is_same(tag) else context_2(tag))


def starting_from(instance: Instance, *, afresh: bool = False) -> Texts:
    """The form's initial texts: the latest revision, so that a rejected one can be corrected; else the originals."""
    latest = None if afresh else instance.revised_passages.order_by("-pk").first()
    if latest is None:
        return originals(instance)
    return Texts(latest.passage_1, latest.passage_2, latest.answer)


# ---------------------------------------------------------------- actions


def write(*, instance: Instance, texts: Texts, by: Person) -> RevisedPassage:
    """Submit a revision to be checked; a second click returns the revision of the first.

    Raises Refusal for unusable texts, Conflict if another waits or the question has a newer version.
    """
    texts = _texts(instance, texts)
    if Contradiction.objects.filter(supersedes=instance.contradiction_id).exists():
        raise Conflict("A newer version of this contradiction exists: write passages for that one.")
    fields = {"instance": instance, "author": by, "state": State.PROPOSED, **texts._asdict()}
    try:
        with transaction.atomic():
            hold(instance.contradiction_id)
            made = RevisedPassage.objects.create(**fields)
    except IntegrityError:
        if same := RevisedPassage.objects.filter(**fields).first():
            return same
        raise Conflict(
            "Revised passages for this question wait for a check already. They have to be accepted, rejected or "
            "withdrawn before others are handed in; what you wrote is kept below, to copy."
        ) from None
    made.refresh_from_db()
    return made


@transaction.atomic
def accept(*, instance: Instance, revision: int, by: Person) -> RevisedPassage:
    """Accept the revision; it replaces one that was accepted before."""
    revised = _to_decide(instance, revision, by)
    if revised.state == State.CHECKED and revised.checker_id == by.pk:
        return revised
    if REVISION.may(revised, "accept"):
        REVISION.move(instance.revised_passages.all(), "replace")
    REVISION.require(revised, "accept", checker=by, decided_at=Now())
    return revised


@transaction.atomic
def reject(*, instance: Instance, revision: int, note: str, by: Person) -> RevisedPassage:
    """Reject the revision with a note; anyone can start from its texts again."""
    revised = _to_decide(instance, revision, by)
    if revised.state == State.REJECTED and revised.checker_id == by.pk:
        return revised
    note = _bounded(note, "note", MOST_NOTE).strip()
    if not note:
        raise Refusal("Say what is wrong with them, so that their author can fix it.")
    REVISION.require(revised, "reject", checker=by, decided_at=Now(), note=note)
    return revised


@transaction.atomic
def withdraw(*, instance: Instance, revision: int, by: Person) -> RevisedPassage:
    """Withdraw one's own revision, as long as nobody has checked it."""
    revised = _locked(instance, revision)
    if revised.author_id != by.pk:
        raise NotAllowed("Another person wrote these: you can accept or reject them.")
    if revised.state != State.WITHDRAWN:
        REVISION.require(revised, "withdraw", decided_at=Now())
    return revised


def _to_decide(instance: Instance, revision: int, by: Person) -> RevisedPassage:
    revised = _locked(instance, revision)
    if revised.author_id == by.pk:
        raise NotAllowed("You wrote these yourself: another researcher or admin has to check them.")
    return revised


def _locked(instance: Instance, revision: int) -> RevisedPassage:
    revised = instance.revised_passages.select_for_update().filter(pk=revision).first()
    if revised is None:
        raise Conflict(GONE)
    return revised


# ---------------------------------------------------------------- queries


class Progress(NamedTuple):
    """The numbers of newest questions with a checked revision, with one that waits, or with neither.

    A question whose checked revision is to be replaced has both.
    """

    questions: int
    checked: int
    waiting: int
    none: int


def with_revisions(collection: Collection, person: Person) -> QuerySet[Instance]:
    """The newest questions that the person may see, in order, each with is_checked and is_waiting."""
    of_question = RevisedPassage.objects.filter(instance=OuterRef("pk"))
    return shown_to(person, current_instances(collection), "contradiction__").annotate(
        is_checked=Exists(of_question.filter(state=State.CHECKED)),
        is_waiting=Exists(of_question.filter(state=State.PROPOSED)),
    )


CONDITIONS = {
    CHECKED: Q(is_checked=True),
    WAITING: Q(is_waiting=True),
    NONE: Q(is_checked=False, is_waiting=False),
}


def narrowed(rows: QuerySet[Instance], which: str) -> QuerySet[Instance]:
    """Filter by WAITING, CHECKED or NONE; any other value filters nothing."""
    return rows.filter(CONDITIONS.get(which, Q()))


def progress(collection: Collection, person: Person) -> Progress:
    counts = {name: Count("pk", filter=condition) for name, condition in CONDITIONS.items()}
    rows = with_revisions(collection, person).order_by()
    return Progress(**rows.aggregate(questions=Count("pk"), **counts))


def diffs(revision: Texts | RevisedPassage, instance: Instance) -> list[list[Piece]]:
    """The word diff of each passage from its original; only one if both answers come from one passage."""
    before = originals(instance)
    pairs = [(before.passage_1, revision.passage_1), (before.passage_2, revision.passage_2)]
    shown = pairs[:1] if is_same(instance.contradiction) else pairs
    return [word_diff(old, new) for old, new in shown]


# ---------------------------------------------------------------- texts


def _texts(instance: Instance, given: Texts) -> Texts:
    """The texts as they are stored. Raises Refusal if a prompt cannot use them."""
    one_passage = is_same(instance.contradiction)
    first = _bounded(given.passage_1, "passage" if one_passage else "passage 1", MOST_PASSAGE)
    second = first if one_passage else _bounded(given.passage_2, "passage 2", MOST_PASSAGE)
    answer = _bounded(given.answer, "answer", MOST_ANSWER).strip()
    if not first.strip() or not second.strip():
        raise Refusal("A passage is empty. Models are shown exactly these passages.")
    if not answer:
        raise Refusal("Give the one answer: what the revised text now says.")
    if (first, second) == originals(instance)[:2]:
        raise Refusal("Nothing was changed: revise the text so that it gives one answer.")
    return Texts(first, second, answer)


def _bounded(text: str, what: str, most: int) -> str:
    """The text with \\n line ends and no NUL. Raises Refusal if it is too long."""
    text = text.replace("\x00", "").replace("\r\n", "\n")
    if len(text) > most:
        raise Refusal(
            f"The {what} has {len(text):,} characters; at most {most:,} can be kept. Shorten it."
        )
    return text


def revisions_for_nobody(by: Person | None, without: int) -> Iterator[OpenWork]:
    """Those that wait for a check where nobody but their author is left to do it."""
    written = only_own("author", without, *CHECKERS)
    rows = RevisedPassage.objects.filter(written, state=State.PROPOSED)
    counts = Counter(rows.values_list("instance__contradiction__collection__name", flat=True))
    for collection, n in sorted(counts.items()):
        yield OpenWork(
            key=f"revised-{collection}",
            roles=CHECKERS,
            what=f"{how_many(n, 'revised passage')} that nobody else is left to check",
            where=collection,
            url=reverse("datasets:revised", args=[collection]),
            becomes="it waits until there is another researcher or admin",
        )
