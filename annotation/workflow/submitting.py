"""Submit an annotator's draft: save it, check it, and hand it in, in one conditional UPDATE as a save."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from accounts.models import Person
from annotation.campaigns.reserve import follow_submission
from annotation.evidence.checking import findings_on
from annotation.evidence.provenance import Captured, origin_in
from annotation.fields.checks import CheckFinding, blocks, unchecked, value_at
from annotation.fields.entries import columns_of, entries_of, same_entries
from annotation.fields.steps import VALID
from annotation.fields.suggesting import FILLABLE, final_entries
from annotation.fields.walker import Entries
from annotation.models import Annotation, Assignment
from annotation.states import ANNOTATION, ASSIGNMENT, AnnotationState
from annotation.workflow.saving import (
    LOCKED,
    NO_ACTIVITY,
    Activity,
    DraftChange,
    change_of,
    draft_of,
    why_not_saved,
)
from leases.claim import FREE
from leases.refusal import Conflict


@dataclass(frozen=True)
class Submission:
    """The result: taken, or the findings that prevent it; the entries are saved in both cases.

    `repeated`: the annotation was submitted before, with the same entries; nothing was done.
    """

    annotation: Annotation
    findings: list[CheckFinding]
    repeated: bool = False

    @property
    def taken(self) -> bool:
        return not self.findings


def submit(
    draft: Annotation,
    *,
    by: Person,
    version: int,
    entries: Entries,
    checked: Collection[str] = (),
    activity: Activity = NO_ACTIVITY,
    captured: Captured | None = None,
) -> Submission:
    """Save, check, and submit. `checked` holds the keys of the warnings ticked "I checked".

    An invalid tag is submitted without steps 2 to 6. Submitting twice has no further effect. The checks run before the
    transaction; it writes only if the draft is still the one that was read. If the assignment was taken away since, the
    entries are saved. Raises as save does.
    """
    before = entries_of(draft)
    if _submitted_before(draft, before, version, entries):
        return Submission(draft, [], repeated=True)
    change = change_of(draft, by, before, version, entries, activity, captured or Captured())
    findings = findings_on(draft, change.entries)
    seen = _looked_at(draft, findings, change.entries, checked)
    in_the_way = blocks(findings) + unchecked(findings, change.entries, seen)
    final = None
    if draft.assignment and not in_the_way:
        final = final_entries(change.entries, change.columns.get("filled", draft.filled))
    if not _is_written(change, final, seen):
        now = draft_of(draft.pk, by)
        if _submitted_before(now, entries_of(now), version, entries):
            return Submission(now, [], repeated=True)  # a double click: the other was faster
        if now.version == version and now.assignment_id != draft.assignment_id:
            sent: dict[str, Any] = {"version": version, "entries": entries, "checked": checked}
            return submit(now, by=by, activity=activity, captured=captured, **sent)
        raise why_not_saved(draft.pk, version, entries)
    if final is None and not in_the_way:
        raise Conflict(
            "This draft is no longer assigned to you. Continue it from your queue, or take it up, first."
        )
    return Submission(draft, in_the_way)


def _submitted_before(draft: Annotation, before: Entries, version: int, entries: Entries) -> bool:
    """Whether this is a submission sent again, as by a reload, whatever was decided on it since."""
    if draft.state == AnnotationState.SENT_BACK:
        is_late = draft.reviews.filter(annotation_version__gt=version).exists()
    else:
        is_late = draft.state != AnnotationState.DRAFT
    return is_late and same_entries(
        final_entries(before, FILLABLE), final_entries(entries, FILLABLE)
    )


def _looked_at(
    draft: Annotation, findings: list[CheckFinding], entries: Entries, checked: Collection[str]
) -> dict[str, Any]:
    """The warnings ticked before and unchanged, and those ticked now: finding key to the field's value."""
    before: Mapping[str, Any] = dict(draft.checked_warnings)
    now = {finding.key: value_at(entries, finding.field) for finding in findings}
    return {
        key: value
        for key, value in now.items()
        if key in checked or (key in before and before[key] == value)
    }


def _is_written(change: DraftChange, final: Entries | None, seen: Mapping[str, Any]) -> bool:
    """Save or, with the `final` entries, submit; nothing is written if the draft or its assignment has changed."""
    ticked = {"checked_warnings": [list(pair) for pair in seen.items()]}
    try:
        with transaction.atomic():
            return change.write(**ticked) if final is None else _hand_in(change, final, **ticked)
    except Conflict:
        return False


def _hand_in(change: DraftChange, final: Entries, **more: Any) -> bool:
    """As change.write, with the moves of annotation and assignment. Raises Conflict where that was taken away."""
    draft = change.draft
    [now] = LOCKED(annotation=draft.pk)
    columns = {**change.saved_columns(now), **_final_columns(change, final), **more}
    columns["version"] = change.base + bool(change.columns) + 1
    place = {"assignment": draft.assignment_id, "version": change.base}
    if not ANNOTATION.move(Annotation.objects.filter(pk=draft.pk, **place), "submit", **columns):
        return False
    change.keep(columns, final, now)
    draft.state = AnnotationState.SUBMITTED
    assert draft.assignment is not None
    own = Assignment.objects.filter(pk=draft.assignment.pk, person=draft.author_id)
    if not ASSIGNMENT.move(own, "submit", **FREE):
        raise Conflict("This tag was taken away from you.")
    if now["assignment__campaign__stop_at_valid"] is not None:
        follow_submission(draft.assignment.campaign_id, is_valid=draft.validity == VALID)
    return True


def _final_columns(change: DraftChange, final: Entries) -> dict[str, Any]:
    """The columns that a submission sets besides those of a save."""
    draft = change.draft
    saved = {**vars(draft), **change.columns}
    columns = {"submitted_at": Now(), "opened_at": None, **columns_of(final, saved["taxonomy"])}
    if final["validity"] == VALID:  # an invalid tag that is sent back has its later steps again
        columns |= origin_in(final, saved["provenance"], saved["filled"])
    if draft.first_entries is None:
        columns |= {"first_entries": final, "first_submitted_at": Now()}
    if draft.first_assignment_id is None:
        columns |= {"first_assignment": draft.assignment}
    return columns
