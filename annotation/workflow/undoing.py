"""Take back one's last submission within a minute, while nobody can have acted on it (decision 0072)."""

from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from annotation.campaigns.campaign_people import works_in
from annotation.fields.entries import columns_of, replace_questions
from annotation.fields.steps import QUESTIONS
from annotation.models import Annotation, Assignment, Review, Seen
from annotation.states import ANNOTATION, ASSIGNMENT, EDITABLE, AnnotationState, CampaignState
from annotation.workflow.claiming import LEASE_SECONDS, SENT_BACK_SECONDS, holder_of
from leases.clock import in_seconds
from leases.refusal import Conflict
from leases.rows import first_of

SECONDS = 60


def last_of(person: Person) -> Annotation | None:
    """The submission that this person may take back now, if any."""
    rows = _recent(Annotation.objects.filter(author=person, state=AnnotationState.SUBMITTED))
    is_open = {"opened_at": None, "assignment__campaign__state": CampaignState.OPEN}
    return rows.filter(**is_open).order_by("-submitted_at").first()


def _recent(rows: QuerySet[Annotation]) -> QuerySet[Annotation]:
    return rows.filter(submitted_at__gt=in_seconds(-SECONDS))


@transaction.atomic
def undo(*, annotation_id: int, by: Person, version: int) -> Annotation:
    """Make version `version` of the annotation, as submitted, a draft again; a repetition does nothing.

    Raises NotFoundHere for another person's, and Conflict where it cannot be taken back any more.
    """
    own = Annotation.objects.filter(pk=annotation_id, author=by).order_by()
    locked = own.select_related("assignment__campaign", "sighting").select_for_update(of=("self",))
    row = first_of(locked, "You have no such annotation. Your queue lists what is yours.")
    if row.state in EDITABLE:
        if row.reviews.filter(annotation_version__gte=version).exists():
            raise Conflict("A reviewer has sent it back to you. Your queue lists it.")
        return row
    _check(row, by, version)
    was_sent_back = row.reviews.filter(decision=Review.Decision.SEND_BACK).exists()
    # What was taken back was no submission: the first one is the one that stands.
    first: dict[str, Any] = dict.fromkeys(
        ("first_entries", "first_submitted_at", "first_assignment")
    )
    columns = {"submitted_at": None, "version": F("version") + 1, **_entries_before(row)}
    verb, columns = ("undo_again", columns) if was_sent_back else ("undo", columns | first)
    if not ANNOTATION.move(_recent(own), verb, **columns):
        raise Conflict("A minute has passed since you submitted it: it cannot be taken back.")
    lease = in_seconds(SENT_BACK_SECONDS if was_sent_back else LEASE_SECONDS)
    assert row.assignment_id is not None
    place = Assignment.objects.filter(pk=row.assignment_id, person=by)
    if not ASSIGNMENT.move(place, "undo", lease_holder=holder_of(by), lease_until=lease):
        raise Conflict("This tag is no longer assigned to you: it cannot be taken back.")
    return row


def _check(row: Annotation, by: Person, version: int) -> None:
    if row.state != AnnotationState.SUBMITTED or row.assignment is None or row.opened_at:
        raise Conflict(
            "It has been opened for review and cannot be taken back. A reviewer can send it back to you."
        )
    if row.version != version:
        raise Conflict(
            "You have submitted it again since, and only the newest version can be taken back: read it again."
        )
    if row.assignment.campaign.state != CampaignState.OPEN:
        raise Conflict("Its campaign is closed: what was submitted cannot be taken back.")
    if not works_in(by).filter(pk=row.assignment.campaign_id).exists():
        raise Conflict("You get no more tags of its campaign: it cannot be taken back.")
    if Seen.objects.filter(person=by, tag=row.sighting.tag_id, at__gte=row.submitted_at).exists():
        raise Conflict(
            "You have read since what others entered for this tag: yours cannot be taken back."
        )


def _entries_before(row: Annotation) -> dict[str, Any]:
    """The entries as they were in the form: a submission leaves some out, as steps 2 to 6 of an invalid tag."""
    last = row.draft_revisions.first()
    assert last is not None
    replace_questions(row, last.entries[QUESTIONS.name])
    copies = [
        f"passage_{n}_standalone"
        for n in (1, 2)
        if not getattr(row, f"passage_{n}_standalone")
        and last.entries[f"passage_{n}_standalone"] == last.entries[f"passage_{n}_copied"] != ""
    ]
    return {**columns_of(last.entries, []), "filled": [*dict.fromkeys([*row.filled, *copies])]}


def opened(annotations: QuerySet[Annotation]) -> None:
    """Note that these were opened for review: none of them can be taken back from now on."""
    annotations.filter(opened_at=None).order_by().update(opened_at=Now())
