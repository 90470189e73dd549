"""An annotator's actions: save a draft, submit it.

A save names the version it was made from and is one conditional UPDATE, so no save overwrites another unseen;
a refused one gets both texts. A save that says exactly what is stored already is taken as done, whatever
version it names: that is a repeated request, not a conflict.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from annotation.campaigns import claiming, reserve
from annotation.evidence.captured import kept_pieces, origin_of
from annotation.evidence.provenance import Captured, origin_in
from annotation.fields.checks import Finding, blocks, check, unchecked, value_at
from annotation.fields.entries import (
    NAMES,
    columns_of,
    differing,
    entries_of,
    replace_questions,
    same_entries,
)
from annotation.fields.form_input import plain
from annotation.fields.steps import QUESTIONS, STEPS, VALID
from annotation.fields.suggesting import FILLABLE, final_entries
from annotation.fields.walker import Entries
from annotation.models import Annotation, Assignment, DraftRevision
from annotation.monitoring.worktime import keep_time
from annotation.states import ANNOTATION, ASSIGNMENT, EDITABLE, AnnotationState, AssignmentState
from leases.clock import in_seconds
from leases.refusal import Conflict, Refusal, StaleVersion
from leases.rows import first_of

# Of all saves within this many seconds only the last is kept as a revision of the draft.
REVISION_EVERY = 300
# The most active time that one save may report, in seconds; a browser left open does not count.
MOST_SECONDS_A_SAVE = 120
MOST_FLAG_NOTE = 1_000


@dataclass(frozen=True)
class Place:
    """The person's current step, and the seconds of activity since the last save."""

    step: str = ""
    seconds: float = 0


def draft_of(annotation_id: int, by: Person) -> Annotation:
    """This person's annotation. Raises NotFoundHere, also for another person's."""
    rows = Annotation.objects.filter(pk=annotation_id, author=by)
    return first_of(rows, "You have no such draft. Your queue lists what is yours.")


def save_draft(
    *,
    annotation_id: int,
    by: Person,
    version: int,
    changes: Entries,
    place: Place = Place(),
    captured: Captured | None = None,
) -> Annotation:
    """Store `changes` over version `version` of the draft; returns it at its new version.

    Without `captured` every field of `changes` counts as the person's own. Its notices are those of the save.
    Raises NotFoundHere, Conflict if it cannot be edited any more, StaleVersion if it was saved
    elsewhere since: details hold {version, saved_at, mine, theirs, filled, fields}; `filled` is about theirs.
    """
    draft = draft_of(annotation_id, by)
    before = entries_of(draft)
    changed = differing(changes, before, [name for name in NAMES if name in changes])
    # Checked outside the transaction: it may render the article.
    origin = origin_of(draft, before, {**before, **changes}, captured or Captured())
    is_same = all(getattr(draft, name) == value for name, value in origin.items())
    is_repeated = draft.version != version and set(changes) == set(NAMES)
    if not changed and (is_repeated or (is_same and draft.version == version)):
        _keep_place(draft, place)
        return draft
    return _store(draft, by, version, changes, changed, origin, place)


@transaction.atomic
def _store(
    draft: Annotation,
    by: Person,
    version: int,
    changes: Entries,
    changed: list[str],
    origin: Mapping[str, Any],
    place: Place,
) -> Annotation:
    moved = _editable(draft, by, version).update(
        version=F("version") + 1,
        saved_at=Now(),
        **origin,
        **columns_of(changes, draft.taxonomy),
    )
    if not moved:
        raise _why_not_saved(draft.pk, version, changes)
    if QUESTIONS.name in changed:
        replace_questions(draft, changes[QUESTIONS.name])
    draft = Annotation.objects.get(pk=draft.pk)
    _keep_place(draft, place)
    _keep_revision(draft)
    if draft.assignment:
        claiming.renew(draft.assignment, by)
    return draft


def _editable(draft: Annotation, by: Person, version: int) -> QuerySet[Annotation]:
    """The draft's row, if it still has this version and the person may edit it."""
    # No join: Django would move the version into a subquery, which PostgreSQL does not evaluate again
    # after waiting for another save of this row.
    own_places = Assignment.objects.filter(state=AssignmentState.HELD, person=by)
    return Annotation.objects.filter(
        Q(assignment=None) | Q(assignment__in=own_places),
        pk=draft.pk,
        version=version,
        state__in=EDITABLE,
    )


@transaction.atomic
def _keep_place(draft: Annotation, place: Place) -> None:
    """Store the step and the time without a new version: two tabs at different steps are no conflict."""
    seconds = min(max(place.seconds, 0), MOST_SECONDS_A_SAVE)
    step = place.step if place.step in {step.key for step in STEPS} else draft.current_step
    if seconds or step != draft.current_step:
        times = _locked(draft).seconds_by_step
        if seconds:
            at = step or STEPS[0].key
            times[at] = times.get(at, 0) + seconds
            keep_time(draft, seconds)
        Annotation.objects.filter(pk=draft.pk).update(
            current_step=step, seconds_active=F("seconds_active") + seconds, seconds_by_step=times
        )
        draft.current_step = step


def _why_not_saved(annotation_id: int, version: int, mine: Entries) -> Refusal:
    now = Annotation.objects.select_related("assignment").get(pk=annotation_id)
    if now.state not in EDITABLE:
        state = now.get_state_display().lower()
        return Conflict(f"This annotation is {state}; it can no longer be edited.")
    if now.version == version:
        return Conflict(
            "This tag is no longer assigned to you. Your draft is kept as it was last saved."
        )
    return stale(now, mine)


def stale(now: Annotation, mine: Entries) -> StaleVersion:
    """The refusal of a save made from an older version, with both texts."""
    theirs = entries_of(now)
    return StaleVersion(
        "This draft was saved elsewhere since you opened it here. Nothing was overwritten: "
        "compare the two and keep what you want.",
        details={
            "version": now.version,
            "saved_at": now.saved_at.isoformat(),
            "mine": dict(mine),
            "theirs": theirs,
            "filled": now.filled,
            "fields": differing(mine, theirs, [name for name in NAMES if name in mine]),
        },
    )


def _keep_revision(draft: Annotation) -> None:
    """Store the save as a revision, replacing one of the last REVISION_EVERY seconds."""
    kept_now = {"version": draft.version, "entries": entries_of(draft)}
    recent = draft.draft_revisions.filter(saved_at__gt=in_seconds(-REVISION_EVERY)).first()
    if recent:
        DraftRevision.objects.filter(pk=recent.pk).update(**kept_now)
    else:
        DraftRevision.objects.create(annotation=draft, **kept_now)


@dataclass(frozen=True)
class Submission:
    """The result of a submission: accepted, or the findings that prevent it. The entries are saved in both cases.

    `repeated`: the annotation was submitted before, with the same entries; nothing was done.
    """

    annotation: Annotation
    findings: list[Finding]
    repeated: bool = False

    @property
    def taken(self) -> bool:
        return not self.findings


def submit(
    *,
    annotation_id: int,
    by: Person,
    version: int,
    entries: Entries,
    checked: frozenset[str] = frozenset(),
    place: Place = Place(),
    captured: Captured | None = None,
) -> Submission:
    """Save, check, and submit. `checked` holds the keys of the warnings ticked "I checked".

    An invalid tag is submitted without steps 2 to 6. Submitting twice has no further effect.
    Raises as save_draft does.
    """
    captured = captured or Captured()
    # Outside the transaction: it may render the article.
    before = draft_of(annotation_id, by)
    kept_pieces(before, captured, {**entries_of(before), **entries})
    with transaction.atomic():
        draft = _locked(draft_of(annotation_id, by))
        if _submitted_before(draft, version, entries):
            return Submission(draft, [], repeated=True)
        draft = save_draft(
            annotation_id=annotation_id,
            by=by,
            version=version,
            changes=entries,
            place=place,
            captured=captured,
        )
        if findings := _in_the_way(draft, checked):
            return Submission(draft, findings)
        if draft.assignment:
            return Submission(_hand_in(draft), [])
    raise Conflict("This draft is no longer assigned to you. Continue it from your queue first.")


def _locked(draft: Annotation) -> Annotation:
    """The row as it is now; others that would change it wait, as the second of a double click."""
    return Annotation.objects.select_for_update().get(pk=draft.pk)


def _submitted_before(draft: Annotation, version: int, entries: Entries) -> bool:
    """Whether this is a submission sent again, as by a reload, whatever was decided on it since."""
    if draft.state == AnnotationState.SENT_BACK:
        is_late = draft.reviews.filter(annotation_version__gt=version).exists()
    else:
        is_late = draft.state != AnnotationState.DRAFT
    stored, posted = (final_entries(each, FILLABLE) for each in (entries_of(draft), entries))
    return is_late and same_entries(stored, posted)


def _in_the_way(draft: Annotation, checked: frozenset[str]) -> list[Finding]:
    """What prevents the submission; the warnings ticked so far are stored."""
    entries = entries_of(draft)
    findings = check(entries)
    seen = looked_at(draft, findings, entries, checked)
    draft.checked_warnings = [list(pair) for pair in seen.items()]
    Annotation.objects.filter(pk=draft.pk).update(checked_warnings=draft.checked_warnings)
    return blocks(findings) + unchecked(findings, entries, seen)


def looked_at(
    draft: Annotation, findings: list[Finding], entries: Entries, checked: frozenset[str]
) -> dict[str, Any]:
    """The warnings ticked before and unchanged, and those ticked now: finding key to the field's value."""
    before: Mapping[str, Any] = dict(draft.checked_warnings)
    now = {finding.key: value_at(entries, finding.field) for finding in findings}
    return {
        key: value
        for key, value in now.items()
        if key in checked or (key in before and before[key] == value)
    }


def _hand_in(draft: Annotation) -> Annotation:
    assert draft.assignment is not None
    final = final_entries(entries_of(draft), draft.filled)
    columns = columns_of(final, draft.taxonomy)
    if final["validity"] == VALID:  # an invalid tag that is sent back has its later steps again
        columns |= origin_in(final, draft.provenance, draft.filled)
    if draft.first_entries is None and draft.submitted_at is None:
        columns |= {"first_entries": final, "first_submitted_at": Now()}
    if draft.first_assignment_id is None:
        columns |= {"first_assignment": draft.assignment}
    ANNOTATION.require(draft, "submit", submitted_at=Now(), version=F("version") + 1, **columns)
    replace_questions(draft, final[QUESTIONS.name])
    ASSIGNMENT.require(draft.assignment, "submit", lease_holder="", lease_until=None)
    reserve.follow_stop_rule(draft.assignment.campaign_id)
    return Annotation.objects.get(pk=draft.pk)


def flag(*, annotation: Annotation, flagged: bool, note: str) -> None:
    """Flag one's own annotation for the admins, or remove the flag. Makes no new version."""
    kept_note = plain(note)[:MOST_FLAG_NOTE] if flagged else ""
    Annotation.objects.filter(pk=annotation.pk).update(flagged=flagged, flag_note=kept_note)
