"""A reviewer's verbs on a submitted annotation: accept, send back with notes by field, drop.

A decision is on the version that the reviewer read; each is kept as a Review.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import F, QuerySet

from accounts.models import Person
from annotation.blinding import seeing
from annotation.campaigns.claiming import SENT_BACK_SECONDS, holder_of
from annotation.campaigns.reserve import follow_stop_rule
from annotation.fields.entries import FIELDS, columns_of, replace_questions
from annotation.fields.form_input import plain
from annotation.fields.steps import INVALID, QUESTIONS
from annotation.models import Annotation, Review
from annotation.states import ANNOTATION, ASSIGNMENT, AnnotationState
from leases.clock import in_seconds
from leases.refusal import NotAllowed, NotFoundHere, Refusal, StaleVersion

Decision = Review.Decision
MOST_NOTE = 4_000


@dataclass(frozen=True)
class Notes:
    """A reviewer's notes: on the whole annotation, and by field name."""

    whole: str = ""
    by_field: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_text(self) -> bool:
        return any(map(plain, [self.whole, *self.by_field.values()]))


@transaction.atomic
def decide(
    *, annotation_id: int, by: Person, version: int, decision: str, notes: Notes = Notes()
) -> Review:
    """Carry out one decision.

    Raises NotAllowed for one's own annotation, Refusal if the decision lacks a reason, StaleVersion if the
    text has changed.
    """
    annotation = Annotation.objects.filter(pk=annotation_id).first()
    if annotation is None or decision not in Decision.values:
        raise NotFoundHere("There is no such annotation, or no such decision.")
    check_may_review(annotation, by)
    _require_reason(decision, notes)
    if not ANNOTATION.move(Annotation.objects.filter(pk=annotation_id, version=version), decision):
        _refuse(annotation, version, decision)
    seeing.note(by=by, tag=annotation.sighting.tag_id, opened=f"/reviews/{annotation_id}/")
    if decision == Decision.SEND_BACK:
        _give_back(annotation)
    if annotation.assignment:  # what is dropped is not valid any more
        follow_stop_rule(annotation.assignment.campaign_id)
    return Review.objects.create(
        annotation=annotation,
        annotation_version=version,
        decision=decision,
        note=plain(notes.whole),
        notes_by_field={name: plain(note) for name, note in notes.by_field.items() if plain(note)},
        reviewer=by,
    )


def may_review(annotation: Annotation, person: Person) -> bool:
    """Nobody reviews their own annotation."""
    return annotation.author_id != person.pk


def check_may_review(annotation: Annotation, person: Person) -> None:
    if not may_review(annotation, person):
        raise NotAllowed(
            "This is your own annotation, so another admin has to decide on it. You can invite one under People."
        )


def _require_reason(decision: str, notes: Notes) -> None:
    if decision != Decision.ACCEPT and not notes.has_text:
        verb = "send it back" if decision == Decision.SEND_BACK else "drop it"
        raise Refusal(f"Say why you {verb}: a note on the whole, or on a field.")
    if unknown := {name.partition("-")[0] for name in notes.by_field} - set(FIELDS):
        raise Refusal(f"There are no fields {sorted(unknown)}. Reload the page.")
    longest = max(map(len, [notes.whole, *notes.by_field.values()]))
    if longest > MOST_NOTE:
        raise Refusal(
            f"A note has {longest:,} characters; at most {MOST_NOTE:,} can be kept. Shorten it."
        )


def _refuse(annotation: Annotation, version: int, decision: str) -> None:
    annotation.refresh_from_db()
    if annotation.version != version:
        raise StaleVersion(
            "This annotation has changed since you opened it. Read it again, then decide."
        )
    ANNOTATION.require(annotation, decision)


def _give_back(annotation: Annotation) -> None:
    """Let the author edit the annotation again, with the entries that an invalid submission left out."""
    assignment = annotation.assignment
    if assignment is None or assignment.person_id is None:
        raise Refusal(
            "This annotation belongs to no campaign any more; it can only be accepted or dropped."
        )
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


def waiting_for(person: Person) -> QuerySet[Annotation]:
    """The annotations that this person can review, oldest first: all but their own."""
    submitted = Annotation.objects.filter(state=AnnotationState.SUBMITTED)
    return submitted.exclude(author=person).order_by("submitted_at")
