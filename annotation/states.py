"""State tables of annotation."""

from django.db.models import TextChoices

from leases.states import StateTable


class CampaignState(TextChoices):
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


CAMPAIGN = StateTable(
    "Campaign",
    CampaignState,
    {
        "close": ((CampaignState.OPEN,), CampaignState.CLOSED, "admin"),
        "stop": ((CampaignState.OPEN,), CampaignState.CLOSED, "stop rule"),
        "reopen": ((CampaignState.CLOSED,), CampaignState.OPEN, "admin"),
    },
)


class AssignmentState(TextChoices):
    RESERVE = "reserve", "Reserve"
    FREE = "free", "Free"
    HELD = "held", "In progress"
    SUBMITTED = "submitted", "Submitted"
    SKIPPED = "skipped", "Skipped"
    UNNEEDED = "unneeded", "Not needed"  # its tag is decided; a decision can be taken back
    WITHDRAWN = "withdrawn", "Withdrawn"


# Somebody may still annotate it, or does.
IN_WORK = (AssignmentState.FREE, AssignmentState.HELD)

ASSIGNMENT = StateTable(
    "Assignment",
    AssignmentState,
    {
        "release": ((AssignmentState.RESERVE,), AssignmentState.FREE, "reserve"),
        "claim": ((AssignmentState.FREE,), AssignmentState.HELD, "annotator"),
        "hand_back": ((AssignmentState.HELD,), AssignmentState.FREE, "annotator"),
        "expire": ((AssignmentState.HELD,), AssignmentState.FREE, "sweeper"),
        "submit": ((AssignmentState.HELD,), AssignmentState.SUBMITTED, "annotator"),
        "undo": ((AssignmentState.SUBMITTED,), AssignmentState.HELD, "annotator"),
        "send_back": ((AssignmentState.SUBMITTED,), AssignmentState.HELD, "admin"),
        "skip": ((AssignmentState.HELD,), AssignmentState.SKIPPED, "annotator"),
        "reassign": (IN_WORK, AssignmentState.HELD, "admin"),
        "free": ((AssignmentState.HELD,), AssignmentState.FREE, "admin"),
        "leave_out": (IN_WORK, AssignmentState.UNNEEDED, "admin"),
        "restore": ((AssignmentState.UNNEEDED,), AssignmentState.FREE, "admin"),
        "withdraw": (
            (AssignmentState.RESERVE, *IN_WORK, AssignmentState.UNNEEDED),
            AssignmentState.WITHDRAWN,
            "admin",
        ),
    },
)


class AnnotationState(TextChoices):
    DRAFT = "draft", "Draft"
    SUBMITTED = "submitted", "Submitted"
    SENT_BACK = "sent_back", "Sent back"
    ACCEPTED = "accepted", "Accepted"
    MERGED = "merged", "Merged"
    UNUSED = "unused", "Not used"
    AMBIGUOUS = "ambiguous", "Ambiguous"
    PUBLISHED = "published", "Published"


# The states in which the author may edit an annotation.
EDITABLE = (AnnotationState.DRAFT, AnnotationState.SENT_BACK)
# Those of an annotation that its author has handed in.
DONE = tuple(state for state in AnnotationState if state not in EDITABLE)

ANNOTATION = StateTable(
    "Annotation",
    AnnotationState,
    {
        "submit": (EDITABLE, AnnotationState.SUBMITTED, "annotator"),
        "undo": ((AnnotationState.SUBMITTED,), AnnotationState.DRAFT, "annotator"),
        "undo_again": ((AnnotationState.SUBMITTED,), AnnotationState.SENT_BACK, "annotator"),
        "send_back": ((AnnotationState.SUBMITTED,), AnnotationState.SENT_BACK, "admin"),
        "accept": ((AnnotationState.SUBMITTED,), AnnotationState.ACCEPTED, "admin"),
        "merge": ((AnnotationState.SUBMITTED,), AnnotationState.MERGED, "admin"),
        "leave": (
            (AnnotationState.SUBMITTED, AnnotationState.ACCEPTED),
            AnnotationState.UNUSED,
            "admin",
        ),
        "drop": ((AnnotationState.SUBMITTED,), AnnotationState.AMBIGUOUS, "admin"),
        "reopen": (
            (
                AnnotationState.ACCEPTED,
                AnnotationState.MERGED,
                AnnotationState.UNUSED,
                AnnotationState.AMBIGUOUS,
            ),
            AnnotationState.SUBMITTED,
            "admin",
        ),
        "publish": ((AnnotationState.ACCEPTED,), AnnotationState.PUBLISHED, "admin"),
    },
)


class AskedState(TextChoices):
    ASKED = "asked", "Asked for"
    FETCHING = "fetching", "Being fetched"
    FETCHED = "fetched", "Fetched"
    FAILED = "failed", "Failed"


ASKED_ARTICLE = StateTable(
    "Asked article",
    AskedState,
    {
        "start": ((AskedState.ASKED,), AskedState.FETCHING, "worker"),
        "expire": ((AskedState.FETCHING,), AskedState.ASKED, "sweeper"),
        "wait": ((AskedState.FETCHING,), AskedState.ASKED, "worker"),
        "finish": ((AskedState.FETCHING,), AskedState.FETCHED, "worker"),
        "fail": ((AskedState.ASKED, AskedState.FETCHING), AskedState.FAILED, "worker"),
    },
)
