"""State tables of generation."""

from django.db.models import TextChoices

from leases.states import StateTable


class RunState(TextChoices):
    DRAFT = "draft", "Not started"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"
    IMPORTED = "imported", "Imported"


RUN = StateTable(
    "Run",
    RunState,
    {
        "start": ((RunState.DRAFT,), RunState.RUNNING, "admin"),
        "finish": ((RunState.RUNNING,), RunState.DONE, "worker"),
        "cancel": ((RunState.DRAFT, RunState.RUNNING), RunState.CANCELLED, "admin"),
        "resume": ((RunState.CANCELLED, RunState.DONE), RunState.RUNNING, "admin"),
    },
)


class ResponseState(TextChoices):
    PENDING = "pending", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


RESPONSE = StateTable(
    "Response",
    ResponseState,
    {
        "start": ((ResponseState.PENDING,), ResponseState.RUNNING, "worker"),
        "expire": ((ResponseState.RUNNING,), ResponseState.PENDING, "sweeper"),
        "retry": ((ResponseState.RUNNING,), ResponseState.PENDING, "worker"),
        "finish": ((ResponseState.RUNNING,), ResponseState.DONE, "worker"),
        "fail": ((ResponseState.PENDING, ResponseState.RUNNING), ResponseState.FAILED, "worker"),
        "cancel": ((ResponseState.PENDING,), ResponseState.CANCELLED, "admin"),
        "resume": ((ResponseState.FAILED, ResponseState.CANCELLED), ResponseState.PENDING, "admin"),
    },
)
