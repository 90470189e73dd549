"""What a person can do next, by role and by the rows that wait for them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import AnnotationState, AssignmentState, CampaignState
from datasets.models import Collection
from generation.models import Response, Run
from generation.states import ResponseState, RunState
from judging.adjudication import studies_for
from judging.models import JudgingSlot, Study, StudyItem
from judging.settling import unresolved
from judging.states import SlotState, StudyState
from wikifetch.models import Tag
from wikifetch.states import TagState


@dataclass(frozen=True)
class Step:
    """One line of the page: a count that was just read from the rows, a sentence, where to go."""

    count: int
    text: str
    url: str
    action: str


def next_steps(person: Person) -> list[tuple[Role, list[Step]]]:
    """The steps of each role that the person holds, in the order of the work."""
    return [(role, list(STEPS[role](person))) for role in Role if role in person.roles]


def of_annotator(person: Person) -> Iterator[Step]:
    mine = Assignment.objects.filter(person=person, state=AssignmentState.HELD)
    returned = Annotation.objects.filter(author=person, state=AnnotationState.SENT_BACK).count()
    free = (
        Assignment.objects.filter(state=AssignmentState.FREE, campaign__state=CampaignState.OPEN)
        .exclude(tag__in=Assignment.objects.filter(person=person).values("tag"))
        .values("tag")
        .distinct()
        .count()
    )
    queue = reverse("annotation:queue")
    yield Step(returned, "sent back to you with notes", queue, "See the notes")
    yield Step(mine.count() - returned, "tags that you have begun", queue, "Go on")
    yield Step(free, "tags that wait for an annotator", queue, "Get the next tag")


def of_judge(person: Person) -> Iterator[Step]:
    waiting = JudgingSlot.objects.filter(
        judge__person=person, state=SlotState.WAITING, round__study__state=StudyState.OPEN
    ).count()
    yield Step(waiting, "responses that wait for your verdict", reverse("judging:queue"), "Judge")


def of_adjudicator(person: Person) -> Iterator[Step]:
    count = sum(unresolved(study).count() for study in studies_for(person))
    yield Step(count, "disagreements to resolve", reverse("judging:resolve_queue"), "Resolve")


def of_researcher(person: Person) -> Iterator[Step]:
    yield Step(
        Study.objects.count(),
        "studies with a report",
        reverse("evaluation:reports"),
        "Read reports",
    )
    yield Step(
        Collection.objects.count(), "collections", reverse("datasets:collections"), "See datasets"
    )


def of_admin(person: Person) -> Iterator[Step]:
    submitted = Annotation.objects.filter(state=AnnotationState.SUBMITTED).count()
    failed = Response.objects.filter(state=ResponseState.FAILED, run__state=RunState.DONE).count()
    tags = Tag.objects.filter(state=TagState.LIVE).count()
    yield Step(
        submitted, "annotations that wait for review", reverse("annotation:reviews"), "Review"
    )
    yield Step(failed, "responses that failed", reverse("generation:runs"), "See runs")
    yield Step(tags, "live tags on fetched pages", reverse("wikifetch:tags"), "See tags")
    yield Step(
        Campaign.objects.count(), "campaigns", reverse("annotation:campaigns"), "See campaigns"
    )
    yield Step(Run.objects.count(), "runs", reverse("generation:runs"), "See runs")
    undecided = StudyItem.objects.filter(study__state=StudyState.OPEN, resolution=None).count()
    yield Step(
        undecided, "responses without a final verdict", reverse("judging:studies"), "See studies"
    )


STEPS: dict[Role, Callable[[Person], Iterator[Step]]] = {
    Role.ANNOTATOR: of_annotator,
    Role.JUDGE: of_judge,
    Role.ADJUDICATOR: of_adjudicator,
    Role.RESEARCHER: of_researcher,
    Role.ADMIN: of_admin,
}
