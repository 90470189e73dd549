"""State tables of datasets."""

from django.db.models import TextChoices

from leases.states import StateTable


class FreezeState(TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


FREEZE_JOB = StateTable(
    "Freeze",
    FreezeState,
    {
        "start": ((FreezeState.WAITING,), FreezeState.RUNNING, "worker"),
        "expire": ((FreezeState.RUNNING,), FreezeState.WAITING, "sweeper"),
        "finish": ((FreezeState.RUNNING,), FreezeState.DONE, "worker"),
        "fail": ((FreezeState.WAITING, FreezeState.RUNNING), FreezeState.FAILED, "worker"),
        "cancel": (
            (FreezeState.WAITING, FreezeState.RUNNING, FreezeState.FAILED),
            FreezeState.CANCELLED,
            "admin",
        ),
        "again": ((FreezeState.FAILED, FreezeState.CANCELLED), FreezeState.WAITING, "admin"),
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


class ImportState(TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    CHECKED = "checked", "Checked"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    DISCARDED = "discarded", "Discarded"
    EXPIRED = "expired", "Expired"
    UNDONE = "undone", "Undone"


IMPORT = StateTable(
    "Import",
    ImportState,
    {
        "start": ((ImportState.WAITING,), ImportState.RUNNING, "worker"),
        "expire": ((ImportState.RUNNING,), ImportState.WAITING, "sweeper"),
        "report": ((ImportState.RUNNING,), ImportState.CHECKED, "worker"),
        "choose options": ((ImportState.CHECKED,), ImportState.WAITING, "sender"),
        "confirm": ((ImportState.CHECKED,), ImportState.WAITING, "sender"),
        "finish": ((ImportState.RUNNING,), ImportState.DONE, "worker"),
        "fail": ((ImportState.WAITING, ImportState.RUNNING), ImportState.FAILED, "worker, sweeper"),
        "discard": (
            (ImportState.WAITING, ImportState.RUNNING, ImportState.CHECKED),
            ImportState.DISCARDED,
            "sender",
        ),
        "lapse": ((ImportState.CHECKED,), ImportState.EXPIRED, "sweeper"),
        "undo": ((ImportState.DONE,), ImportState.UNDONE, "sender"),
    },
)
