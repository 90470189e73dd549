"""State tables of generation."""

from django.db.models import TextChoices

from leases.states import StateTable


class RunState(TextChoices):
    DRAFT = "draft", "Not started"
    TRYING = "trying", "Trying a few calls"
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"
    IMPORTED = "imported", "Imported"


RUN = StateTable(
    "Run",
    RunState,
    {
        "try": ((RunState.DRAFT,), RunState.TRYING, "admin"),
        "tried": ((RunState.TRYING,), RunState.DRAFT, "worker"),
        # Of a run whose texts are all given: no model is asked.
        "give": ((RunState.DRAFT,), RunState.DONE, "admin"),
        "start": ((RunState.DRAFT,), RunState.RUNNING, "admin"),
        "pause": ((RunState.RUNNING,), RunState.PAUSED, "worker, admin"),
        "finish": ((RunState.RUNNING, RunState.PAUSED), RunState.DONE, "worker"),
        "cancel": (
            (RunState.DRAFT, RunState.TRYING, RunState.RUNNING, RunState.PAUSED),
            RunState.CANCELLED,
            "admin",
        ),
        "resume": ((RunState.PAUSED, RunState.CANCELLED, RunState.DONE), RunState.RUNNING, "admin"),
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
        "release": ((ResponseState.RUNNING,), ResponseState.PENDING, "worker"),
        "go_on": ((ResponseState.RUNNING,), ResponseState.PENDING, "worker"),
        "repeat": ((ResponseState.RUNNING,), ResponseState.PENDING, "worker"),
        "finish": ((ResponseState.RUNNING,), ResponseState.DONE, "worker"),
        "skip": ((ResponseState.RUNNING,), ResponseState.DONE, "worker"),
        "fail": ((ResponseState.RUNNING,), ResponseState.FAILED, "worker"),
        "cancel": ((ResponseState.PENDING,), ResponseState.CANCELLED, "admin"),
        "resume": ((ResponseState.FAILED, ResponseState.CANCELLED), ResponseState.PENDING, "admin"),
        "ask_again": ((ResponseState.FAILED,), ResponseState.PENDING, "admin"),
    },
)
