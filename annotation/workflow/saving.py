"""An annotator's actions: save a draft, submit it.

A save names the version it was made from and is one conditional UPDATE, and so is a submission, which saves too: no
save overwrites another unseen; a refused one gets both texts. A save that says exactly what is stored already is
taken as done, whatever version it names: that is a repeated request, not a conflict.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from accounts.models import Person
from annotation.campaigns import reserve
from annotation.evidence.captured import origin_of
from annotation.evidence.provenance import Captured, origin_in
from annotation.fields.checks import CheckFinding, blocks, check, unchecked, value_at
from annotation.fields.entries import (
    NAMES,
    columns_of,
    differing,
    entries_in,
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
from annotation.workflow import claiming
from leases import claim as leases
from leases.clock import in_seconds
from leases.prepared import Prepared
from leases.refusal import Conflict, NotFoundHere, Refusal, StaleVersion
from leases.states import update_in_memory

# Of all saves within this many seconds only the last is kept as a revision of the draft.
REVISION_EVERY = 300
# The most active time that one save may report, in seconds; a browser left open does not count.
MOST_SECONDS_A_SAVE = 120
MOST_FLAG_NOTE = 1_000
NOW = Now()
STEP_KEYS = frozenset(step.key for step in STEPS)


@dataclass(frozen=True)
class Activity:
    """The person's current step, and the seconds of activity since the last save."""

    step: str = ""
    seconds: float = 0


def draft_of(annotation_id: int, by: Person) -> Annotation:
    """This person's annotation. Raises NotFoundHere, also for another person's."""
    rows = OWN(annotation=annotation_id, person=by.pk)
    if not rows:
        raise NotFoundHere("You have no such draft. Your queue lists what is yours.")
    return rows[0]


OWN = Prepared(
    lambda annotation, person: Annotation.objects.filter(
        pk=annotation, author=person
    ).select_related("assignment__campaign", "sighting__tag__article"),
    "annotation",
    "person",
)


def save_draft(*, annotation_id: int, by: Person, **sent: Any) -> Annotation:
    """As `save`, of a draft that is not read yet. Raises NotFoundHere too."""
    return save(draft_of(annotation_id, by), by=by, **sent)


def save(
    draft: Annotation,
    *,
    by: Person,
    version: int,
    changes: Entries,
    place: Activity = Activity(),
    captured: Captured | None = None,
) -> Annotation:
    """Store `changes` over version `version` of the draft; returns it at its new version.

    Without `captured` every field of `changes` counts as the person's own. Its notices are those of the save.
    Raises Conflict if it cannot be edited any more, StaleVersion if it was saved elsewhere since: details
    hold {version, saved_at, mine, theirs, filled, fields}; `filled` is about theirs.
    """
    # Outside the transaction: it may render the article.
    wanted = _wanted(draft, entries_of(draft), version, changes, captured or Captured())
    if wanted.columns or _place_columns(draft, place, vars(draft)):
        with transaction.atomic():
            if not _write(draft, by, wanted, place):
                raise _why_not_saved(draft.pk, version, changes)
    return draft


@dataclass(frozen=True)
class _Wanted:
    """What a save makes of a draft, which must still have the version `base`.

    `columns` are those to set, none where the draft says the same already; `entries` are those of the whole draft,
    and `asked` the questions before.
    """

    base: int
    asked: Sequence[Entries]
    columns: dict[str, Any]
    entries: Entries


def _wanted(
    draft: Annotation, before: Entries, version: int, changes: Entries, captured: Captured
) -> _Wanted:
    asked = before[QUESTIONS.name]
    changed = differing(changes, before, [name for name in NAMES if name in changes])
    origin = origin_of(draft, before, {**before, **changes}, captured)
    is_same = all(getattr(draft, name) == value for name, value in origin.items())
    is_repeated = draft.version != version and set(changes) == set(NAMES)
    if not changed and (is_repeated or (is_same and draft.version == version)):
        return _Wanted(draft.version, asked, {}, before)
    columns = {**origin, **columns_of(changes, draft.taxonomy)}
    questions = changes.get(QUESTIONS.name, asked)
    return _Wanted(version, asked, columns, entries_in({**vars(draft), **columns}, questions))


def _write(
    draft: Annotation,
    by: Person,
    wanted: _Wanted,
    place: Activity,
    final: Entries | None = None,
    **more: Any,
) -> bool:
    """Write a save, or a submission with its `final` entries, and `more` columns, in one conditional UPDATE.

    False if the draft is not as it was read any more: then nothing was written. For use in a transaction.
    """
    [now] = LOCKED(annotation=draft.pk)
    is_saved, is_submitted = bool(wanted.columns), final is not None
    columns = {**wanted.columns, **_place_columns(draft, place, now), **more}
    if is_saved:
        columns["saved_at"] = now["at"]
    if is_saved or is_submitted:
        columns["version"] = wanted.base + is_saved + is_submitted
    is_place_alone = not (is_saved or more)
    row = Annotation.objects.filter(pk=draft.pk)
    if not is_place_alone:
        row = _editable(row, by, wanted.base)
    if is_submitted:
        written = ANNOTATION.move(row.filter(assignment=draft.assignment_id), "submit", **columns)
    else:
        written = row.update(**columns)
    if not written:
        return False
    update_in_memory(draft, columns)
    draft.state = AnnotationState.SUBMITTED if is_submitted else draft.state
    if (questions := (final or wanted.entries)[QUESTIONS.name]) != wanted.asked:
        replace_questions(draft, questions, had_some=bool(wanted.asked))
    if "seconds_active" in columns:
        keep_time(draft, seconds_in(place))
    if is_saved:
        _keep_revision(draft, wanted, now["recent"])
    if is_submitted:
        _hand_in(draft, has_stop_rule=now["assignment__campaign__stop_at_valid"] is not None)
    elif is_saved and draft.assignment:
        claiming.renew(draft.assignment, by)
    return True


def _locked(annotation: int) -> QuerySet[Annotation, dict[str, Any]]:
    saves = DraftRevision.objects.filter(annotation=annotation).order_by("-version")
    recent = saves.filter(saved_at__gt=in_seconds(-REVISION_EVERY)).values("pk")[:1]
    rows = Annotation.objects.filter(pk=annotation).order_by().select_for_update(of=("self",))
    columns = ("seconds_active", "seconds_by_step", "assignment__campaign__stop_at_valid")
    return rows.values(*columns, at=Now(), recent=Subquery(recent))


# What a save reads of the row as it is now; others that would change the row wait.
LOCKED = Prepared(_locked, "annotation")


def _editable(rows: QuerySet[Annotation], person: Person, version: int) -> QuerySet[Annotation]:
    """Those of the rows that still have this version and that the person may edit."""
    # No join: Django would move the version into a subquery, which PostgreSQL does not evaluate again
    # after waiting for another save of this row.
    own_place = Assignment.objects.filter(
        pk=OuterRef("assignment"), state=AssignmentState.HELD, person=person
    )
    is_free = Q(assignment=None) | Exists(own_place)
    return rows.filter(is_free, version=version, state__in=EDITABLE)


def seconds_in(place: Activity) -> float:
    return min(max(place.seconds, 0), MOST_SECONDS_A_SAVE)


def _place_columns(draft: Annotation, place: Activity, now: Mapping[str, Any]) -> dict[str, Any]:
    """The step and the time, added to the times of the row as it is `now`; none if there is nothing new.

    They make no new version: two tabs at different steps are no conflict.
    """
    seconds = seconds_in(place)
    step = place.step if place.step in STEP_KEYS else draft.current_step
    if not seconds:
        return {"current_step": step} if step != draft.current_step else {}
    at, times = step or STEPS[0].key, now["seconds_by_step"]
    return {
        "current_step": step,
        "seconds_active": now["seconds_active"] + seconds,
        "seconds_by_step": {**times, at: times.get(at, 0) + seconds},
    }


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


def _keep_revision(draft: Annotation, wanted: _Wanted, recent: int | None) -> None:
    """Store the save as a revision, replacing the `recent` one, of the last REVISION_EVERY seconds."""
    kept_now = {"version": wanted.base + 1, "entries": wanted.entries}
    if recent:
        DraftRevision.objects.filter(pk=recent).update(**kept_now)
    else:
        DraftRevision.objects.create(annotation=draft, **kept_now)


@dataclass(frozen=True)
class Submission:
    """The result of a submission: accepted, or the findings that prevent it. The entries are saved in both cases.

    `repeated`: the annotation was submitted before, with the same entries; nothing was done.
    """

    annotation: Annotation
    findings: list[CheckFinding]
    repeated: bool = False

    @property
    def taken(self) -> bool:
        return not self.findings


def submit(*, annotation_id: int, by: Person, **sent: Any) -> Submission:
    """As `submit_draft`, of a draft that is not read yet. Raises NotFoundHere too."""
    return submit_draft(draft_of(annotation_id, by), by=by, **sent)


def submit_draft(
    draft: Annotation,
    *,
    by: Person,
    version: int,
    entries: Entries,
    checked: Collection[str] = (),
    place: Activity = Activity(),
    captured: Captured | None = None,
) -> Submission:
    """Save, check, and submit. `checked` holds the keys of the warnings ticked "I checked".

    An invalid tag is submitted without steps 2 to 6. Submitting twice has no further effect. The entries are
    checked before the transaction, and written only if the draft is still the one that was read; where its
    assignment was taken away since, they are saved. Raises as save does.
    """
    before = entries_of(draft)
    if _submitted_before(draft, before, version, entries):
        return Submission(draft, [], repeated=True)
    wanted = _wanted(draft, before, version, entries, captured or Captured())
    findings = check(wanted.entries)
    seen = looked_at(draft, findings, wanted.entries, checked)
    columns: dict[str, Any] = {"checked_warnings": [list(pair) for pair in seen.items()]}
    in_the_way = blocks(findings) + unchecked(findings, wanted.entries, seen)
    final = None
    if draft.assignment and not in_the_way:
        final = final_entries(wanted.entries, wanted.columns.get("filled", draft.filled))
        columns |= _final_columns(draft, wanted, final)
    if not _is_written(draft, by, wanted, place, final, columns):
        now = draft_of(draft.pk, by)
        if _submitted_before(now, entries_of(now), version, entries):
            return Submission(now, [], repeated=True)  # a double click: the other was faster
        if now.version == version and now.assignment_id != draft.assignment_id:
            return submit_draft(
                now,
                by=by,
                version=version,
                entries=entries,
                checked=checked,
                place=place,
                captured=captured,
            )
        raise _why_not_saved(draft.pk, version, entries)
    if final is None and not in_the_way:
        raise Conflict(
            "This draft is no longer assigned to you. Continue it from your queue first."
        )
    return Submission(draft, in_the_way)


def _is_written(
    draft: Annotation,
    by: Person,
    wanted: _Wanted,
    place: Activity,
    final: Entries | None,
    columns: dict[str, Any],
) -> bool:
    """Whether all of a submission was written; nothing was if the draft or its assignment changed since it was read."""
    try:
        with transaction.atomic():
            return _write(draft, by, wanted, place, final, **columns)
    except Conflict:
        return False


def _submitted_before(draft: Annotation, before: Entries, version: int, entries: Entries) -> bool:
    """Whether this is a submission sent again, as by a reload, whatever was decided on it since."""
    if draft.state == AnnotationState.SENT_BACK:
        is_late = draft.reviews.filter(annotation_version__gt=version).exists()
    else:
        is_late = draft.state != AnnotationState.DRAFT
    return is_late and same_entries(*(final_entries(each, FILLABLE) for each in (before, entries)))


def looked_at(
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


def _final_columns(draft: Annotation, wanted: _Wanted, final: Entries) -> dict[str, Any]:
    """The columns that a submission sets besides those of a save."""
    saved = {**vars(draft), **wanted.columns}
    columns = {"submitted_at": NOW, **columns_of(final, saved["taxonomy"])}
    if final["validity"] == VALID:  # an invalid tag that is sent back has its later steps again
        columns |= origin_in(final, saved["provenance"], saved["filled"])
    if draft.first_entries is None:
        columns |= {"first_entries": final, "first_submitted_at": NOW}
    if draft.first_assignment_id is None:
        columns |= {"first_assignment": draft.assignment}
    return columns


def _hand_in(draft: Annotation, *, has_stop_rule: bool) -> None:
    assert draft.assignment is not None
    own = Assignment.objects.filter(pk=draft.assignment.pk, person=draft.author_id)
    if not ASSIGNMENT.move(own, "submit", **leases.FREE):
        raise Conflict("This tag was taken away from you.")
    if has_stop_rule:
        is_valid = draft.validity == VALID
        reserve.follow_submission(draft.assignment.campaign_id, is_valid=is_valid)


def flag(*, annotation: Annotation, flagged: bool, note: str) -> None:
    """Flag one's own annotation for the admins, or remove the flag. Makes no new version."""
    kept_note = plain(note)[:MOST_FLAG_NOTE] if flagged else ""
    Annotation.objects.filter(pk=annotation.pk).update(flagged=flagged, flag_note=kept_note)
