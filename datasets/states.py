"""State tables of datasets."""

from django.db.models import TextChoices

from leases.states import StateTable


class UndoingState(TextChoices):
    PROPOSED = "proposed", "Waiting for a second person"
    AGREED = "agreed", "Agreed"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


UNDOING = StateTable(
    "Undoing of an exclusion",
    UndoingState,
    {
        "agree": ((UndoingState.PROPOSED,), UndoingState.AGREED, "second person"),
        "decline": ((UndoingState.PROPOSED,), UndoingState.DECLINED, "second person"),
        "withdraw": ((UndoingState.PROPOSED,), UndoingState.WITHDRAWN, "author"),
    },
)


class RevisionState(TextChoices):
    PROPOSED = "proposed", "Waiting for a check"
    CHECKED = "checked", "Checked"
    REJECTED = "rejected", "Rejected"
    WITHDRAWN = "withdrawn", "Withdrawn"
    REPLACED = "replaced", "Replaced"


REVISION = StateTable(
    "Revision",
    RevisionState,
    {
        "accept": ((RevisionState.PROPOSED,), RevisionState.CHECKED, "checker"),
        "reject": ((RevisionState.PROPOSED,), RevisionState.REJECTED, "checker"),
        "withdraw": ((RevisionState.PROPOSED,), RevisionState.WITHDRAWN, "author"),
        "replace": ((RevisionState.CHECKED,), RevisionState.REPLACED, "checker of a later one"),
    },
)
