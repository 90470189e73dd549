"""What a person can do next, by role and by the rows that wait for them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from accounts.leaving.open_work import left_over
from accounts.models import Person
from accounts.roles import Role
from annotation.desk.own_queue import free_by_campaign
from annotation.models import Annotation, Campaign
from annotation.monitoring import assignment_list
from annotation.monitoring.attention import Concern
from annotation.reviewing.publishing_tags import unpublished
from annotation.reviewing.tags_in_round import waiting_for
from annotation.states import AnnotationState, AssignmentState
from config.whole_way import seen_studies
from datasets.models import Collection
from generation.models import Response, Run
from generation.states import ResponseState, RunState
from judging import discussing, pool, progress
from judging.adjudication import studies_for
from judging.models import Study, StudyItem
from judging.queues import studies_of
from judging.settling import unresolved_in
from judging.states import StudyState
from pages.counting import counted_to
from wikifetch.models import Tag
from wikifetch.states import TagState
from writing.models import Writing
from writing.overview import desk_of


@dataclass(frozen=True)
class NextStep:
    """One line of the page: a count, what it counts, and a link.

    `counted` is "singular|plural"; without an `action` there is no link. `is_more` says that there are more than were
    counted.
    """

    count: int
    counted: str
    view: str
    action: str
    is_to_do: bool = False
    is_more: bool = False

    @property
    def number(self) -> str:
        return counted_to(self.count, self.is_more)

    @property
    def text(self) -> str:
        one, many = self.counted.split("|")
        return one if self.count == 1 else many

    @property
    def url(self) -> str:
        return reverse(self.view)


def work(count: int, counted: str, view: str, action: str, *, is_more: bool = False) -> NextStep:
    """Work that waits for the person; no link where the count is 0."""
    return NextStep(count, counted, view, action if count else "", count > 0, is_more)


def stock(count: int, counted: str, view: str, action: str, begin: tuple[str, str]) -> NextStep:
    """Rows to see; where there are none, `begin` says how to make the first: (view, action)."""
    return (
        NextStep(count, counted, view, action)
        if count
        else NextStep(0, counted, *begin, is_to_do=True)
    )


@dataclass(frozen=True)
class RoleCard:
    """A role's lines, what waits first, and what is not there as one line of words."""

    role: Role
    lines: list[NextStep]
    none: str

    @property
    def waits(self) -> bool:
        return any(line.is_to_do and line.count for line in self.lines)


def cards(person: Person) -> list[RoleCard]:
    """A card for each role, those with something that waits first."""
    made = [_card(role, steps) for role, steps in next_steps(person)]
    return sorted(made, key=lambda card: not card.waits)


def _card(role: Role, steps: list[NextStep]) -> RoleCard:
    shown = [step for step in steps if step.count or step.is_to_do]
    lines = sorted(shown, key=lambda step: (not (step.is_to_do and step.count), not step.is_to_do))
    none = (step.text for step in steps if step not in shown)
    return RoleCard(role, lines, ", ".join(none))


def next_steps(person: Person) -> list[tuple[Role, list[NextStep]]]:
    """The steps of each role that the person holds, in the order of the work."""
    return [(role, list(STEPS[role](person))) for role in Role if role in person.roles]


def of_annotator(person: Person) -> Iterator[NextStep]:
    # As in the queue, which lists drafts with an expired lease separately.
    held = Annotation.objects.filter(author=person, assignment__state=AssignmentState.HELD)
    returned = held.filter(state=AnnotationState.SENT_BACK).count()
    begun = held.filter(state=AnnotationState.DRAFT).count()
    free = free_by_campaign(person)
    queue = "annotation:queue"
    sent_back = "annotation sent back to you|annotations sent back to you"
    yield work(returned, sent_back, queue, "Read the notes")
    yield work(begun, "tag in progress|tags in progress", queue, "Continue")
    waiting = "tag that waits for an annotator|tags that wait for an annotator"
    is_more = any(step.is_more for step in free)
    count = sum(step.count for step in free)
    yield work(count, waiting, queue, "Get the next tag", is_more=is_more)
    if Writing.objects.exists():
        yield from of_writer(person)


def of_writer(person: Person) -> Iterator[NextStep]:
    """What an annotator writes and checks by forms of protocols."""
    desk, page = desk_of(person), "writing:writings"
    sent_back = "entry sent back to you|entries sent back to you"
    yield work(desk["sent_back"].count(), sent_back, page, "Read the notes")
    begun = "entry in progress|entries in progress"
    yield work(desk["drafts"].count(), begun, page, "Continue")
    to_check = "entry that waits for your check|entries that wait for your check"
    yield work(len(desk["to_check"]), to_check, page, "Check")
    free = "record that waits for a writer|records that wait for a writer"
    left, is_more = (
        sum(each.left for each in desk["free"]),
        any(each.is_more for each in desk["free"]),
    )
    yield work(left, free, page, "Take the next", is_more=is_more)


def of_judge(person: Person) -> Iterator[NextStep]:
    judged_in = studies_of(person).filter(state=StudyState.OPEN)
    counts = progress.of_person_in(person, judged_in)
    waiting = sum(count.waiting for count in counts.values())
    begun = [study for study, count in counts.items() if not count.waiting and not count.handed_in]
    ready = sum(counts[study].total > 0 for study in begun)
    free = sum(pool.free_in(person, begun).values())
    queue = "judging:queue"
    verdicts = "response that waits for your verdict|responses that wait for your verdict"
    yield work(waiting, verdicts, queue, "Judge")
    drawn = "response that you can draw|responses that you can draw"
    yield work(free, drawn, queue, "Draw")
    yield work(ready, "study for you to hand in|studies for you to hand in", queue, "Hand in")
    disputed = "disagreement to discuss with its other judge|disagreements to discuss with their other judge"
    yield work(discussing.waiting_for(person).count(), disputed, queue, "Discuss")


def of_adjudicator(person: Person) -> Iterator[NextStep]:
    count = sum(unresolved_in(studies_for(person)).values())
    disputed = "disagreement to resolve|disagreements to resolve"
    yield work(count, disputed, "judging:resolve_queue", "Resolve")


def of_researcher(person: Person) -> Iterator[NextStep]:
    studies = Study.objects.count()
    yield NextStep(studies, "study|studies", "evaluation:reports", "Read reports")
    collections = Collection.objects.count()
    yield NextStep(collections, "collection|collections", "datasets:collections", "See collections")


def of_admin(person: Person) -> Iterator[NextStep]:
    to_review = waiting_for(person).count()
    failed = Response.objects.filter(state=ResponseState.FAILED, run__state=RunState.DONE).count()
    drafts = Study.objects.filter(state=StudyState.DRAFT).count()
    reviews = "tag that waits for review|tags that wait for review"
    yield work(to_review, reviews, "annotation:reviews", "Review")
    to_publish = "reviewed tag to publish|reviewed tags to publish"
    yield work(unpublished().count(), to_publish, "annotation:campaigns", "Publish")
    yield from concerns()
    left = "piece of work without a person who can do it|pieces of work without a person who can do them"
    yield work(len(left_over(person)), left, "accounts:open_work", "Hand on")
    yield work(failed, "response that failed|responses that failed", "generation:runs", "See runs")
    yield work(drafts, "study to open|studies to open", "judging:studies", "Open")
    # The numbers of disagreements are hidden as the results are.
    opened = seen_studies(person).filter(state=StudyState.OPEN).exclude(rubric=None)
    judged = StudyItem.objects.filter(study__in=opened, round__isnull=False)
    undecided = judged.filter(is_settled=False)
    waiting = undecided.filter(round__is_latest=True).values("study")
    ready = opened.exclude(pk__in=waiting).count()
    yield work(ready, "study ready to close|studies ready to close", "judging:studies", "Close")
    yield from stock_of_admin(person, undecided.count())


def concerns() -> Iterator[NextStep]:
    """Assignments that an admin may have to look at; the list of campaigns says in which they are."""
    campaigns = "annotation:campaigns"
    flags = "flagged annotation|flagged annotations"
    yield work(
        assignment_list.concerning(Concern.FLAGGED).count(), flags, campaigns, "Read the notes"
    )
    skipped = (
        "skipped tag that waits for another annotator|skipped tags that wait for another annotator"
    )
    yield work(
        assignment_list.concerning(Concern.SKIPPED).count(), skipped, campaigns, "Read the reasons"
    )
    stale = "draft that nobody has saved for days|drafts that nobody has saved for days"
    yield work(assignment_list.concerning(Concern.STALE).count(), stale, campaigns, "See drafts")


def stock_of_admin(person: Person, undecided: int) -> Iterator[NextStep]:
    others = Person.objects.filter(is_active=True, is_demonstration=False).exclude(pk=person.pk)
    tags = Tag.objects.filter(state=TagState.LIVE).count()
    people = "accounts:people"
    yield stock(
        others.count(), "other person|other people", people, "See people", (people, "Invite")
    )
    fetch = ("wikifetch:new_fetch", "Fetch pages")
    live = "live tag on fetched pages|live tags on fetched pages"
    yield stock(tags, live, "wikifetch:tags", "See tags", fetch)
    begin = ("annotation:campaign_new", "Open a campaign")
    campaigns = Campaign.objects.count()
    yield stock(campaigns, "campaign|campaigns", "annotation:campaigns", "See campaigns", begin)
    new_run = ("generation:new_run", "Make a run")
    yield stock(Run.objects.count(), "run|runs", "generation:runs", "See runs", new_run)
    undecided_ones = (
        "response still without a final verdict|responses still without a final verdict"
    )
    yield NextStep(undecided, undecided_ones, "judging:studies", "See studies")


STEPS: dict[Role, Callable[[Person], Iterator[NextStep]]] = {
    Role.ANNOTATOR: of_annotator,
    Role.JUDGE: of_judge,
    Role.ADJUDICATOR: of_adjudicator,
    Role.RESEARCHER: of_researcher,
    Role.ADMIN: of_admin,
}
