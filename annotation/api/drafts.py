"""Operations on one's own drafts: read, save, submit. The annotate page's autosave uses them too."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from annotation.desk.own_progress import note_of
from annotation.evidence.provenance import Captured, read_captured
from annotation.fields.entries import NAMES, entries_of
from annotation.fields.form_input import FormReading, read_changes
from annotation.fields.steps import STEPS
from annotation.models import Annotation
from annotation.states import EDITABLE, AnnotationState
from annotation.workflow import saving, submitting, undoing
from annotation.workflow.saving import MOST_FLAG_NOTE, Activity
from annotation.workflow.submitting import Submission
from leases.refusal import Refusal
from pages.rest.lists import rows_page
from pages.rest.operations import methods, operation
from pages.rest.parameters import choice, version_of


class DraftSaveIn(serializers.Serializer[Any]):
    """`entries`: any fields by name; `step`: the current step; `seconds`: active time since the last save.

    `provenance`: {"1": [{revision, start, end, sha256, text}], "2": …}, the pieces copied since the page was opened;
    `filled`: the fields that still hold what the app filled in.
    """

    entries = serializers.DictField(help_text=f"Fields by name: {', '.join(NAMES)}.")
    step = serializers.CharField(required=False, allow_blank=True, max_length=40, default="")
    seconds = serializers.FloatField(required=False, min_value=0, default=0)
    provenance = serializers.JSONField(required=False, default=dict)
    filled = serializers.JSONField(required=False, default=None)


class DraftSubmitIn(DraftSaveIn):
    """As a save; without `entries` the draft is submitted as it was saved. `checked`: keys of warnings looked at."""

    entries = serializers.DictField(required=False, default=dict)
    checked = serializers.ListField(
        child=serializers.CharField(max_length=100), default=list, max_length=200
    )


class DraftFlagIn(serializers.Serializer[Any]):
    flagged = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True, default="", max_length=MOST_FLAG_NOTE)


class ListedDraftOut(serializers.ModelSerializer[Annotation]):
    """`assignment` is null where the tag is not in hand: it was handed back, or held for too long without a save."""

    assignment = serializers.IntegerField(source="assignment_id", allow_null=True)
    tag = serializers.IntegerField(source="sighting.tag_id")
    title = serializers.CharField(source="sighting.tag.article.title")

    class Meta:
        model = Annotation
        fields = ("id", "assignment", "tag", "title", "state", "version", "saved_at")


class DraftOut(serializers.Serializer[Any]):
    """`note`: the reviewer's, on what was sent back. `filled`: the fields that hold what the app filled in.

    `assignment` is null where the tag is not in hand.
    """

    id = serializers.IntegerField()
    assignment = serializers.IntegerField(allow_null=True)
    flagged = serializers.BooleanField()
    flag_note = serializers.CharField()
    state = serializers.ChoiceField(AnnotationState.choices)
    version = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    note = serializers.CharField()
    filled = serializers.ListField(child=serializers.CharField())
    entries = serializers.DictField()


class DraftSavedOut(serializers.Serializer[Any]):
    """`notices` say what of the entries was not kept as it was sent.

    `warnings`: by field, for each passage as copied that the save changed, what its stored article does not have.
    """

    version = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    state = serializers.ChoiceField(AnnotationState.choices)
    notices = serializers.ListField(child=serializers.CharField())
    warnings = serializers.DictField(child=serializers.ListField(child=serializers.DictField()))


def draft_data(row: Annotation) -> dict[str, Any]:
    """What DraftOut gives of a draft."""
    review = row.reviews.first() if row.state == AnnotationState.SENT_BACK else None
    return {
        "id": row.pk,
        "assignment": row.assignment_id,
        "state": row.state,
        "version": row.version,
        "saved_at": row.saved_at,
        "note": note_of(review) if review else "",
        "flagged": row.flagged,
        "flag_note": row.flag_note,
        "filled": row.filled,
        "entries": entries_of(row),
    }


class SentDraft:
    """What a request says of a draft. Raises Refusal for entries that cannot be stored."""

    def __init__(self, sent: Mapping[str, Any]) -> None:
        self.reading: FormReading = read_changes(STEPS, sent["entries"])
        self.reading.check()
        self.activity = Activity(sent["step"], sent["seconds"])
        self.captured: Captured = read_captured(sent["provenance"], sent["filled"])

    def saved(self, row: Annotation) -> Response:
        saved = {
            "version": row.version,
            "saved_at": row.saved_at,
            "state": row.state,
            "notices": [*self.reading.notices, *self.captured.notices],
            "warnings": {
                name: [asdict(finding) for finding in found]
                for name, found in self.captured.warnings.items()
            },
        }
        return Response(DraftSavedOut(saved).data)


@operation(
    "GET",
    scope=Scope.READ,
    roles=(Role.ANNOTATOR,),
    answers=ListedDraftOut,
    listed=True,
    etag=True,
    parameters=(choice("state", AnnotationState, "state"),),
)
def drafts_list(request: Request) -> Response:
    """One's own drafts and what was handed in, newest first."""
    rows = Annotation.objects.filter(author=person_of(request))
    rows = rows.select_related("sighting__tag__article")
    return rows_page(request, rows, ListedDraftOut, order=("-pk",))


@operation("GET", scope=Scope.ANNOTATE, roles=(Role.ANNOTATOR,), answers=DraftOut)
def drafts_read(request: Request, annotation_id: int) -> dict[str, Any]:
    """One's own draft, or what was handed in."""
    return draft_data(saving.draft_of(annotation_id, person_of(request)))


@operation(
    "PATCH",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    takes=DraftSaveIn,
    answers=DraftSavedOut,
    refusals=(409,),
    versioned=True,
    cleans=True,
)
def drafts_save(request: Request, annotation_id: int, sent: Mapping[str, Any]) -> Response:
    """Save fields of one's own draft. From an older version it is refused with 412 and both texts."""
    person = person_of(request)
    row = saving.draft_of(annotation_id, person)
    draft = SentDraft(sent)
    saving.save(
        row,
        by=person,
        version=version_of(request),
        changes=draft.reading.entries,
        activity=draft.activity,
        captured=draft.captured,
    )
    return draft.saved(row)


@operation(
    "POST",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    takes=DraftSubmitIn,
    answers=DraftSavedOut,
    refusals=(409,),
    versioned=True,
    cleans=True,
)
def drafts_submit(request: Request, annotation_id: int, sent: Mapping[str, Any]) -> Response:
    """Save and hand in; 400 with the code `incomplete` where something is missing or a warning is not in `checked`.

    The entries are saved then. Sent again it does nothing.
    """
    person, version = person_of(request), version_of(request)
    row = saving.draft_of(annotation_id, person)
    draft = SentDraft(sent)
    if row.state in EDITABLE and row.version != version:
        # Other fields are submitted as they are stored: that must be what was read.
        raise saving.why_not_saved(row.pk, version, draft.reading.entries)
    result = submitting.submit(
        row,
        by=person,
        version=version,
        entries={**entries_of(row), **draft.reading.entries},
        checked=sent["checked"],
        activity=draft.activity,
        captured=draft.captured,
    )
    if not result.taken:
        raise incomplete(result)
    return draft.saved(result.annotation)


@operation(
    "POST",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    answers=DraftOut,
    refusals=(409,),
    versioned=True,
)
def drafts_undo(request: Request, annotation_id: int) -> dict[str, Any]:
    """Take a submission back within a minute, before somebody has opened it: it is a draft again.

    The version is the one that the submission answered with. Sent again it does nothing.
    """
    person = person_of(request)
    undoing.undo(annotation_id=annotation_id, by=person, version=version_of(request))
    return draft_data(saving.draft_of(annotation_id, person))


@operation(
    "POST",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    takes=DraftFlagIn,
    answers=DraftOut,
    refusals=(409,),
)
def drafts_flag(request: Request, annotation_id: int, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Flag one's own draft for the admins with a note, or remove the flag. It makes no new version."""
    person = person_of(request)
    row = saving.draft_of(annotation_id, person)
    saving.flag(draft=row, by=person, **sent)
    return draft_data(row)


def incomplete(result: Submission) -> Refusal:
    fields: dict[str, list[str]] = {}
    for finding in result.findings:
        fields.setdefault(finding.field, []).append(finding.message)
    findings = [{"key": finding.key, **asdict(finding)} for finding in result.findings]
    return Refusal(
        "Saved, but not submitted: `fields` says what to enter. A warning that you have looked at goes into `checked` "
        "by its key, which `details` has.",
        code="incomplete",
        fields=fields,
        details={"version": result.annotation.version, "findings": findings},
    )


draft = methods(drafts_read, drafts_save)
