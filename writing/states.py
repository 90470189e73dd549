"""State tables of writing."""

from django.db.models import TextChoices

from leases.states import StateTable


class WritingState(TextChoices):
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


WRITING = StateTable(
    "Writing",
    WritingState,
    {
        "close": ((WritingState.OPEN,), WritingState.CLOSED, "admin"),
        "reopen": ((WritingState.CLOSED,), WritingState.OPEN, "admin"),
    },
)


class EntryState(TextChoices):
    DRAFT = "draft", "Draft"
    WRITTEN = "written", "Waiting for a check"
    REJECTED = "rejected", "Rejected, waiting for a check"
    SENT_BACK = "sent_back", "Sent back"
    CHECKED = "checked", "Checked"
    GIVEN_UP = "given_up", "Given up"


# The author may change it. / Another person may check it. / It keeps others from writing the same.
IN_HAND = (EntryState.DRAFT, EntryState.SENT_BACK)
TO_CHECK = (EntryState.WRITTEN, EntryState.REJECTED)
LIVE = (*IN_HAND, *TO_CHECK, EntryState.CHECKED)

ENTRY = StateTable(
    "Entry",
    EntryState,
    {
        "submit": (IN_HAND, EntryState.WRITTEN, "author"),
        "reject": (IN_HAND, EntryState.REJECTED, "author"),
        "give_up": (IN_HAND, EntryState.GIVEN_UP, "author, admin"),
        "expire": (IN_HAND, EntryState.GIVEN_UP, "sweeper"),
        "take_up": ((EntryState.GIVEN_UP,), EntryState.DRAFT, "author"),
        "send_back": (TO_CHECK, EntryState.SENT_BACK, "checker"),
        "check": (TO_CHECK, EntryState.CHECKED, "checker"),
    },
)
