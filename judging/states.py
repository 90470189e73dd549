"""State tables of judging."""

from django.db.models import TextChoices

from leases.states import StateTable


class StudyState(TextChoices):
    DRAFT = "draft", "Being set up"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


STUDY = StateTable(
    "Study",
    StudyState,
    {
        "open": ((StudyState.DRAFT,), StudyState.OPEN, "admin"),
        # Of a study that nobody judges: its responses are fixed, and there is nothing to wait for.
        "fix": ((StudyState.DRAFT,), StudyState.CLOSED, "admin"),
        "close": ((StudyState.OPEN,), StudyState.CLOSED, "admin"),
        "reopen": ((StudyState.CLOSED,), StudyState.OPEN, "admin"),
    },
)


class SlotState(TextChoices):
    FREE = "free", "Free"
    WAITING = "waiting", "Waiting for its judge"
    JUDGED = "judged", "Judged"
    SKIPPED = "skipped", "Skipped"
    LOCKED = "locked", "Locked"
    WITHDRAWN = "withdrawn", "Withdrawn"


SLOT = StateTable(
    "Judging slot",
    SlotState,
    {
        "claim": ((SlotState.FREE,), SlotState.WAITING, "judge"),
        "expire": ((SlotState.WAITING,), SlotState.FREE, "sweeper"),
        "hand_back": ((SlotState.WAITING,), SlotState.FREE, "judge, admin"),
        "judge": (
            (SlotState.WAITING, SlotState.SKIPPED, SlotState.JUDGED),
            SlotState.JUDGED,
            "judge",
        ),
        "undo": ((SlotState.JUDGED,), SlotState.WAITING, "judge"),
        "skip": ((SlotState.WAITING,), SlotState.SKIPPED, "judge"),
        "lock": ((SlotState.JUDGED,), SlotState.LOCKED, "study"),
        "withdraw": (
            (SlotState.FREE, SlotState.WAITING, SlotState.SKIPPED),
            SlotState.WITHDRAWN,
            "admin",
        ),
        "give_again": ((SlotState.WITHDRAWN,), SlotState.WAITING, "admin"),
        "free_again": ((SlotState.WITHDRAWN,), SlotState.FREE, "admin"),
    },
)


class DiscussionState(TextChoices):
    OPEN = "open", "Open"
    PROPOSED = "proposed", "Signed by one"
    SIGNED = "signed", "Signed by both"
    LEFT = "left", "Left to a third person"


DISCUSSION = StateTable(
    "Discussion",
    DiscussionState,
    {
        "propose": (
            (DiscussionState.OPEN, DiscussionState.PROPOSED),
            DiscussionState.PROPOSED,
            "judge",
        ),
        "sign": ((DiscussionState.PROPOSED,), DiscussionState.SIGNED, "the other judge"),
        "leave": (
            (DiscussionState.OPEN, DiscussionState.PROPOSED),
            DiscussionState.LEFT,
            "judge, admin",
        ),
    },
)


class MachineState(TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Being asked"
    JUDGED = "judged", "Judged"
    UNPARSED = "unparsed", "No verdict in the reply"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


MACHINE = StateTable(
    "Machine verdict",
    MachineState,
    {
        "start": ((MachineState.WAITING,), MachineState.RUNNING, "worker"),
        "expire": ((MachineState.RUNNING,), MachineState.WAITING, "sweeper"),
        "retry": ((MachineState.RUNNING,), MachineState.WAITING, "worker"),
        "release": ((MachineState.RUNNING,), MachineState.WAITING, "worker"),
        "judge": ((MachineState.RUNNING,), MachineState.JUDGED, "worker"),
        "leave": ((MachineState.RUNNING,), MachineState.UNPARSED, "worker"),
        "fail": ((MachineState.RUNNING,), MachineState.FAILED, "worker"),
        "cancel": ((MachineState.WAITING,), MachineState.CANCELLED, "admin, worker"),
        "drop": ((MachineState.RUNNING,), MachineState.CANCELLED, "worker"),
        "resume": ((MachineState.FAILED, MachineState.CANCELLED), MachineState.WAITING, "admin"),
    },
)
