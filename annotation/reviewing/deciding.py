"""A reviewer's verbs on all annotations of a tag in a round: accept one, merge, two contradictions, send back, drop.

A decision is on the versions that the reviewer read. It is refused with 412 if any of them, their number or the tag's
decision has changed. Each annotation concerned keeps it as a Review.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from accounts.models import Person
from annotation.blinding import seeing
from annotation.campaigns.reserve import follow_stop_rule
from annotation.fields.entries import FIELDS, columns_of, replace_questions
from annotation.fields.form_input import plain
from annotation.fields.steps import INVALID, QUESTIONS
from annotation.models import Annotation, Review, TagReview
from annotation.reviewing.combining import Merge, about, made_of
from annotation.reviewing.publishing_tags import draft_of
from annotation.reviewing.tags_in_round import InRound, may_review
from annotation.states import ANNOTATION, ASSIGNMENT, AnnotationState, AssignmentState
from annotation.workflow.assigning import tell
from annotation.workflow.claiming import FREE_AGAIN, SENT_BACK_SECONDS, holder_of
from datasets.records import checked
from leases.clock import in_seconds
from leases.refusal import Conflict, NotAllowed, NotFoundHere, Refusal, StaleVersion

Decision = TagReview.Decision
Outcome = Review.Decision
MOST_NOTE = 4_000
STALE = "Something has changed since you opened this tag: read it again, then decide."


@dataclass(frozen=True)
class ReviewNotes:
    """A reviewer's notes on one annotation: on the whole, and by field name."""

    whole: str = ""
    by_field: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_text(self) -> bool:
        return any(map(plain, [self.whole, *self.by_field.values()]))


@dataclass(frozen=True)
class ReviewInput:
    """What the reviewer read and wrote: versions and notes by annotation, a reason for all of them.

    `withdraw`: take away what others still have in progress, instead of waiting for it.
    """

    versions: Mapping[int, int]
    reason: str = ""
    notes: Mapping[int, ReviewNotes] = field(default_factory=dict)
    withdraw: bool = False

    def notes_on(self, annotation: Annotation) -> ReviewNotes:
        return self.notes.get(annotation.pk, ReviewNotes())


@transaction.atomic
def accept(
    at: InRound, chosen: int, *, by: Person, read: ReviewInput, is_same: bool | None
) -> TagReview:
    """Accept one annotation; the others are not used. `is_same` is None where there is one alone."""
    rows = _opened(at, by, read)
    _require_answer(rows, is_same)
    ending = {chosen: Outcome.ACCEPT}
    return _decided(at, rows, Decision.ACCEPT, ending, by=by, read=read, is_same=is_same)


@transaction.atomic
def merge(at: InRound, how: Merge, *, by: Person, read: ReviewInput) -> TagReview:
    """Make a new annotation of several; those that gave nothing to it are not used."""
    rows = _opened(at, by, read)
    made, sources = made_of(rows, how, by)
    ending = dict.fromkeys(sources, Outcome.MERGE)
    kept = _decided(at, rows, Decision.MERGE, ending, by=by, read=read, is_same=True)
    _keep(kept, made, Outcome.ACCEPT, ReviewNotes(), by)
    return kept


@transaction.atomic
def accept_two(at: InRound, chosen: Sequence[int], *, by: Person, read: ReviewInput) -> TagReview:
    rows = _opened(at, by, read)
    pair = [row for row in rows if row.pk in chosen]
    if len(pair) != 2 or any(row.validity == INVALID for row in pair):
        raise about(
            "chosen",
            "Choose the two annotations that describe two contradictions; both are valid.",
        )
    if _same_record(*pair):
        raise about(
            "chosen",
            "These two annotations would be published as exactly the same record. Accept one of them.",
        )
    ending = dict.fromkeys(chosen, Outcome.ACCEPT)
    return _decided(at, rows, Decision.TWO, ending, by=by, read=read, is_same=False)


@transaction.atomic
def drop(at: InRound, *, by: Person, read: ReviewInput, is_same: bool | None) -> TagReview:
    """Drop the tag as ambiguous, with a reason: none of its annotations is published."""
    rows = _opened(at, by, read)
    if not plain(read.reason):
        raise about("reason", "Say why the tag is ambiguous: write a reason.")
    ending = {row.pk: Outcome.DROP for row in rows}
    return _decided(at, rows, Decision.DROP, ending, by=by, read=read, is_same=is_same)


@transaction.atomic
def send_back(
    at: InRound, chosen: Sequence[int], *, by: Person, read: ReviewInput
) -> list[Annotation]:
    """Let the authors edit these annotations again. Each needs a note, or there is a reason for all."""
    rows = [row for row in _opened(at, by, read) if row.pk in chosen]
    if not rows:
        raise about("chosen", "Choose which annotation to send back.")
    for row in rows:
        if not plain(read.reason) and not read.notes_on(row).has_text:
            raise about("reason", "Say why you send it back: a reason, or a note on a field.")
        notes = read.notes_on(row)
        whole = "\n".join(filter(None, [plain(read.reason), plain(notes.whole)]))
        _keep(None, row, Outcome.SEND_BACK, ReviewNotes(whole, notes.by_field), by)
        _move(row, Outcome.SEND_BACK)
        _give_back(row)
    follow_stop_rule(at.campaign_id)
    return rows


@transaction.atomic
def take_back(review_id: int, *, by: Person) -> TagReview:
    """Undo a decision that is not published: its annotations wait for review again.

    Assignments that it left out are free again, and people can take up the drafts that they had.
    """
    kept = TagReview.objects.select_for_update().filter(pk=review_id).first()
    if kept is None:
        raise NotFoundHere("There is no such decision.")
    check_may_review(kept.tag_id, by)
    rows = Annotation.objects.filter(reviews__of_tag=kept)
    if kept.taken_back_at or rows.filter(state=AnnotationState.PUBLISHED).exists():
        raise Conflict("This decision is published or taken back already; it cannot be undone.")
    merged = [row.pk for row in rows.exclude(merged_from=None).distinct()]
    ANNOTATION.move(Annotation.objects.filter(pk__in=merged), "leave")
    others = [row.pk for row in rows.exclude(pk__in=merged)]
    # Another version, so that a decision on the one before is refused and the next one is kept too.
    ANNOTATION.move(Annotation.objects.filter(pk__in=others), "reopen", version=F("version") + 1)
    TagReview.objects.filter(pk=kept.pk).update(taken_back_by=by, taken_back_at=Now())
    ASSIGNMENT.move(InRound.of_review(kept).assignments, "restore", **FREE_AGAIN)
    follow_stop_rule(kept.campaign_id)
    return kept


def check_may_review(tag_id: int, person: Person) -> None:
    if not may_review(tag_id, person):
        raise NotAllowed(
            "You annotated this tag yourself, so another admin has to decide on it. You can invite one under People."
        )


def _opened(at: InRound, by: Person, read: ReviewInput) -> list[Annotation]:
    """The annotations to decide on, locked. Raises StaleVersion unless they are those that were read."""
    check_may_review(at.tag_id, by)
    _check_notes(read)
    # Annotations before assignments, as a save takes them; then nobody claims an assignment meanwhile.
    drafts = Annotation.objects.filter(assignment__in=at.assignments.values("pk"))
    list(drafts.select_for_update().order_by("pk").values_list("pk"))
    list(at.assignments.select_for_update().order_by("pk"))
    rows = list(at.submitted.select_for_update(of=("self",)))
    if {row.pk: row.version for row in rows} != dict(read.versions) or at.decision:
        raise StaleVersion(STALE)
    # What is sent back or taken back may come to somebody again, and not to the reviewer.
    seeing.note(by=by, tag=at.tag_id, opened=at.path)
    return rows


def _check_notes(read: ReviewInput) -> None:
    by_field = [named for notes in read.notes.values() for named in notes.by_field.items()]
    if unknown := {name.partition("-")[0] for name, _ in by_field} - set(FIELDS):
        raise Refusal(f"There are no fields {sorted(unknown)}. Reload the page.")
    texts = [
        read.reason,
        *(notes.whole for notes in read.notes.values()),
        *(n for _, n in by_field),
    ]
    longest = max(map(len, texts))
    if longest > MOST_NOTE:
        raise Refusal(
            f"A note has {longest:,} characters; at most {MOST_NOTE:,} can be kept. Shorten it."
        )


def _require_answer(rows: Sequence[Annotation], is_same: bool | None) -> None:
    if len(rows) > 1 and is_same is None:
        raise about("same", "Answer first: do the annotations describe the same contradiction?")


def _same_record(first: Annotation, second: Annotation) -> bool:
    """Whether both would be published as one record, which holds less than the form."""
    return checked(draft_of(first)).identity == checked(draft_of(second)).identity


def _decided(
    at: InRound,
    rows: Iterable[Annotation],
    decision: Decision,
    ending: Mapping[int, Outcome],
    *,
    by: Person,
    read: ReviewInput,
    is_same: bool | None,
) -> TagReview:
    """Keep the decision and what becomes of each annotation: `ending` by id, LEAVE of the others."""
    rows = list(rows)
    if not ending or set(ending) - {row.pk for row in rows}:
        raise about("chosen", "Choose one of the annotations on this page.")
    _close(at, read, by)
    kept = TagReview.objects.create(
        **at._asdict(),
        decision=decision,
        is_same=is_same if len(rows) > 1 else None,
        reason=plain(read.reason),
        reviewer=by,
    )
    for row in rows:
        outcome = ending.get(row.pk, Outcome.LEAVE)
        _keep(kept, row, outcome, read.notes_on(row), by)
        _move(row, outcome)
    follow_stop_rule(at.campaign_id)  # what is not used or ambiguous is not valid any more
    return kept


def _close(at: InRound, read: ReviewInput, by: Person) -> None:
    """Give out no more assignments of the tag. Raises Conflict where somebody still works on it."""
    held = at.assignments.filter(state=AssignmentState.HELD)
    if read.withdraw:
        gone = list(held)
        Annotation.objects.filter(assignment__in=gone).update(assignment=None)
        if gone:
            holders = [assignment.person_id for assignment in gone]
            tell(gone[0].campaign, holders, "decided without the draft", by)
        ASSIGNMENT.move(held, "leave_out", lease_holder="", lease_until=None)
    elif people := held.count():
        message = (
            f"{people} {'person still works' if people == 1 else 'people still work'} on this tag. Wait for them, or "
            "choose “Withdraw what is in progress”: their drafts stay with them."
        )
        raise Conflict(message, fields={"withdraw": [message]})
    ASSIGNMENT.move(at.assignments.filter(state=AssignmentState.FREE), "leave_out")


def _move(row: Annotation, verb: str) -> None:
    if not ANNOTATION.move(Annotation.objects.filter(pk=row.pk, version=row.version), verb):
        raise StaleVersion(STALE)


def _keep(
    kept: TagReview | None, row: Annotation, outcome: Outcome, notes: ReviewNotes, by: Person
) -> None:
    Review.objects.create(
        of_tag=kept,
        annotation=row,
        annotation_version=row.version,
        decision=outcome,
        note=plain(notes.whole),
        notes_by_field={name: plain(note) for name, note in notes.by_field.items() if plain(note)},
        reviewer=by,
    )


def _give_back(annotation: Annotation) -> None:
    """Let the author edit the annotation again, with the entries that an invalid submission left out."""
    assignment = annotation.assignment
    assert assignment is not None
    ASSIGNMENT.require(
        assignment,
        "send_back",
        lease_holder=holder_of(annotation.author),
        lease_until=in_seconds(SENT_BACK_SECONDS),
    )
    Annotation.objects.filter(pk=annotation.pk).update(version=F("version") + 1)
    last = annotation.draft_revisions.first()
    if annotation.validity == INVALID and last:
        Annotation.objects.filter(pk=annotation.pk).update(**columns_of(last.entries, []))
        replace_questions(annotation, last.entries[QUESTIONS.name])
