"""State tables of wikifetch."""

from django.db.models import TextChoices

from leases.states import StateTable


class FetchState(TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


FETCH_RUN = StateTable(
    "Fetch run",
    FetchState,
    {
        "start": ((FetchState.WAITING,), FetchState.RUNNING, "worker"),
        "expire": ((FetchState.RUNNING,), FetchState.WAITING, "sweeper"),
        "wait": ((FetchState.RUNNING,), FetchState.WAITING, "worker"),
        "finish": ((FetchState.RUNNING,), FetchState.DONE, "worker"),
        "fail": ((FetchState.WAITING, FetchState.RUNNING), FetchState.FAILED, "worker"),
        "pause": ((FetchState.WAITING, FetchState.RUNNING), FetchState.PAUSED, "admin"),
        "cancel": (
            (FetchState.WAITING, FetchState.RUNNING, FetchState.PAUSED),
            FetchState.CANCELLED,
            "admin",
        ),
        "resume": (
            (FetchState.PAUSED, FetchState.FAILED, FetchState.CANCELLED),
            FetchState.WAITING,
            "admin",
        ),
    },
)


class TagState(TextChoices):
    LIVE = "live", "Live"
    GONE = "gone", "Gone from the article"


TAG = StateTable(
    "Tag",
    TagState,
    {
        "vanish": ((TagState.LIVE,), TagState.GONE, "fetch"),
        "return": ((TagState.GONE,), TagState.LIVE, "fetch"),
    },
)
