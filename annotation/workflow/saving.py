"""Save an annotator's draft; submitting.py submits it.

A save names the version it was made from and is one conditional UPDATE, so no save overwrites another unseen: a refused
one gets both texts. A save that says exactly what is stored already is taken as done, whatever version it names: that
is a repeated request, not a conflict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from accounts.models import Person
from annotation.evidence.captured import origin_of
from annotation.evidence.provenance import Captured
from annotation.fields.entries import (
    NAMES,
    columns_of,
    differing,
    entries_in,
    entries_of,
    replace_questions,
)
from annotation.fields.form_input import plain
from annotation.fields.steps import QUESTIONS, STEPS
from annotation.fields.walker import Entries
from annotation.models import Annotation, Assignment, DraftRevision
from annotation.monitoring.worktime import keep_time
from annotation.states import EDITABLE, AssignmentState
from annotation.workflow import claiming
from leases.clock import in_seconds
from leases.prepared import Prepared
from leases.refusal import Conflict, NotFoundHere, Refusal, StaleVersion
from leases.states import update_in_memory

# Of all saves within this many seconds only the last is kept as a revision of the draft.
REVISION_EVERY = 300
# The most active time that one save may report, in seconds; a browser left open does not count.
MOST_SECONDS_A_SAVE = 120
MOST_FLAG_NOTE = 1_000
STEP_KEYS = frozenset(step.key for step in STEPS)


@dataclass(frozen=True)
class Activity:
    """The person's current step, and the seconds of activity since the last save."""

    step: str = ""
    seconds: float = 0

    @property
    def counted(self) -> float:
        """The seconds that are believed."""
        return min(max(self.seconds, 0), MOST_SECONDS_A_SAVE)


NO_ACTIVITY = Activity()


def draft_of(annotation_id: int, by: Person) -> Annotation:
    """This person's annotation. Raises NotFoundHere, also for another person's."""
    rows = OWN(annotation=annotation_id, person=by.pk)
    if not rows:
        raise NotFoundHere(
            "You have no such draft. Your queue, or /api/drafts/, lists what is yours."
        )
    return rows[0]


OWN = Prepared(
    lambda annotation, person: Annotation.objects.filter(
        pk=annotation, author=person
    ).select_related("assignment__campaign", "sighting__tag__article"),
    "annotation",
    "person",
)


def save(
    draft: Annotation,
    *,
    by: Person,
    version: int,
    changes: Entries,
    activity: Activity = NO_ACTIVITY,
    captured: Captured | None = None,
) -> Annotation:
    """Store `changes` over version `version` of the draft; returns it at its new version.

    Without `captured` every field of `changes` counts as the person's own. Its notices are those of the save.
    Raises Conflict if it cannot be edited any more, StaleVersion if it was saved elsewhere since: details
    hold {version, saved_at, mine, theirs, filled, fields}; `filled` is about theirs.
    """
    # Outside the transaction: it may render the article.
    before = entries_of(draft)
    change = change_of(draft, by, before, version, changes, activity, captured or Captured())
    if change.columns or change.activity_columns(vars(draft)):
        with transaction.atomic():
            if not change.write():
                raise why_not_saved(draft.pk, version, changes)
    return draft


def _locked(annotation: int) -> QuerySet[Annotation, dict[str, Any]]:
    saves = DraftRevision.objects.filter(annotation=annotation).order_by("-version")
    recent = saves.filter(saved_at__gt=in_seconds(-REVISION_EVERY)).values("pk")[:1]
    rows = Annotation.objects.filter(pk=annotation).order_by().select_for_update(of=("self",))
    columns = ("seconds_active", "seconds_by_step", "assignment__campaign__stop_at_valid")
    return rows.values(*columns, at=Now(), recent=Subquery(recent))


# What a save reads of the row as it is now; others that would change the row wait.
LOCKED = Prepared(_locked, "annotation")


@dataclass(frozen=True)
class DraftChange:
    """What a save makes of a draft, which must still have the version `base`.

    `columns` are those to set, none where the draft says the same already; `entries` are those of the whole draft,
    and `asked` the questions before. `now`, in its methods, is the row as LOCKED read it.
    """

    draft: Annotation
    by: Person
    activity: Activity
    base: int
    asked: Sequence[Entries]
    columns: dict[str, Any]
    entries: Entries

    def write(self, **more: Any) -> bool:
        """Write the save, and `more` columns, in one conditional UPDATE. For use in a transaction.

        False if the draft is not as it was read any more: then nothing was written.
        """
        [now] = LOCKED(annotation=self.draft.pk)
        columns = self.saved_columns(now) | more
        rows = Annotation.objects.filter(pk=self.draft.pk)
        if self.columns or more:  # the step and the time alone are added to any version
            rows = self.editable(rows)
        if not rows.update(**columns):
            return False
        self.keep(columns, self.entries, now)
        if self.columns and self.draft.assignment:
            claiming.renew(self.draft.assignment, self.by)
        return True

    def editable(self, rows: QuerySet[Annotation]) -> QuerySet[Annotation]:
        """Those of the rows that still have the version and that the person may edit."""
        return _in_hand(rows, self.by).filter(version=self.base)

    def saved_columns(self, now: Mapping[str, Any]) -> dict[str, Any]:
        columns = {**self.columns, **self.activity_columns(now)}
        if self.columns:
            columns |= {"saved_at": now["at"], "version": self.base + 1}
        return columns

    def activity_columns(self, now: Mapping[str, Any]) -> dict[str, Any]:
        """The step and the time, added to the times of the row; none if there is nothing new.

        They make no new version: two tabs at different steps are no conflict.
        """
        last, seconds = self.draft.current_step, self.activity.counted
        step = self.activity.step if self.activity.step in STEP_KEYS else last
        if not seconds:
            return {"current_step": step} if step != last else {}
        at, times = step or STEPS[0].key, now["seconds_by_step"]
        return {
            "current_step": step,
            "seconds_active": now["seconds_active"] + seconds,
            "seconds_by_step": {**times, at: times.get(at, 0) + seconds},
        }

    def keep(self, columns: Mapping[str, Any], entries: Entries, now: Mapping[str, Any]) -> None:
        """After the UPDATE with these columns: the draft in memory, its questions, the time, and its revision.

        A save takes the place of the revision of the last REVISION_EVERY seconds.
        """
        update_in_memory(self.draft, columns)
        if (questions := entries[QUESTIONS.name]) != self.asked:
            replace_questions(self.draft, questions, had_some=bool(self.asked))
        if self.activity.counted:
            keep_time(self.draft, self.activity.counted)
        revision = {"version": self.base + 1, "entries": self.entries}
        if self.columns and now["recent"]:
            DraftRevision.objects.filter(pk=now["recent"]).update(**revision)
        elif self.columns:
            DraftRevision.objects.create(annotation=self.draft, **revision)


def _in_hand(rows: QuerySet[Annotation], by: Person) -> QuerySet[Annotation]:
    """Those of the person's rows that can be edited, of tags that nobody else has now."""
    # No join: Django would move the conditions into a subquery, which PostgreSQL does not evaluate again
    # after waiting for another save of this row.
    own_place = Assignment.objects.filter(
        pk=OuterRef("assignment"), state=AssignmentState.HELD, person=by
    )
    return rows.filter(Q(assignment=None) | Exists(own_place), state__in=EDITABLE)


def change_of(
    draft: Annotation,
    by: Person,
    before: Entries,
    version: int,
    changes: Entries,
    activity: Activity,
    captured: Captured,
) -> DraftChange:
    """What `changes` over version `version` make of a draft with the entries `before`."""
    asked = before[QUESTIONS.name]
    changed = differing(changes, before, [name for name in NAMES if name in changes])
    origin = origin_of(draft, before, {**before, **changes}, captured)
    is_same = all(getattr(draft, name) == value for name, value in origin.items())
    is_repeated = draft.version != version and set(changes) == set(NAMES)
    if not changed and (is_repeated or (is_same and draft.version == version)):
        return DraftChange(draft, by, activity, draft.version, asked, {}, before)
    columns = {**origin, **columns_of(changes, draft.taxonomy)}
    after = entries_in({**vars(draft), **columns}, changes.get(QUESTIONS.name, asked))
    return DraftChange(draft, by, activity, version, asked, columns, after)


def why_not_saved(annotation_id: int, version: int, mine: Entries) -> Refusal:
    now = Annotation.objects.select_related("assignment").get(pk=annotation_id)
    if now.state not in EDITABLE:
        state = now.get_state_display().lower()
        return Conflict(f"This annotation is {state}; it can no longer be edited.")
    if now.version == version:
        return Conflict(
            "This tag is no longer assigned to you. Your draft is kept as it was last saved."
        )
    theirs = entries_of(now)
    return StaleVersion(
        "This draft was saved elsewhere since it was read here. Nothing was overwritten: "
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


def flag(*, draft: Annotation, by: Person, flagged: bool, note: str) -> None:
    """Flag one's own draft for the admins, or remove the flag. Makes no new version.

    Raises Conflict if it cannot be edited any more.
    """
    columns = {"flagged": flagged, "flag_note": plain(note)[:MOST_FLAG_NOTE] if flagged else ""}
    if not _in_hand(Annotation.objects.filter(pk=draft.pk), by).update(**columns):
        draft.refresh_from_db(fields=["version"])
        raise why_not_saved(draft.pk, draft.version, {})
    update_in_memory(draft, columns)
