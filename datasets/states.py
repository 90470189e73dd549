"""State tables of datasets."""

from django.db.models import TextChoices

from leases.states import StateTable


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
