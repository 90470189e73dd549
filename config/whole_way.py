"""The whole way from a page of a wiki to a report, with counts of what a person may see, which lead there."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import QuerySet, Sum
from django.urls import reverse

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Annotation, Assignment, TagReview
from annotation.states import AnnotationState, AssignmentState
from evaluation.models import ReportSnapshot
from generation.models import Run
from judging.blinding import hidden_results, hidden_run_ids, open_studies_hidden_from
from judging.models import Study
from judging.states import StudyState
from pages.counting import how_many
from wikifetch.models import FetchRun, Tag
from wikifetch.states import TagState


@dataclass(frozen=True)
class Stage:
    """A stage as one person sees it; without `counted` its page is not theirs."""

    label: str
    counted: str = ""
    url: str = ""


@dataclass(frozen=True)
class _Stage:
    """A stage: what is counted ("singular|plural"), its page, the roles that may open that, and the count.

    A count is read from an index, or from a table with few rows.
    """

    label: str
    counted: str
    view: str
    roles: tuple[Role, ...]
    count: Callable[[Person], int]


def whole_way(person: Person) -> list[Stage]:
    """The stages in order; none for a person who may open no page of them, as one who only judges."""
    stages = [
        Stage(
            stage.label,
            how_many(stage.count(person), *stage.counted.split("|")),
            reverse(stage.view),
        )
        if person.has_role(*stage.roles)
        else Stage(stage.label)
        for stage in STAGES
    ]
    return stages if any(stage.url for stage in stages) else []


def _pages(person: Person) -> int:
    return FetchRun.objects.aggregate(n=Sum("pages"))["n"] or 0


def _tags(person: Person) -> int:
    return Tag.objects.filter(state=TagState.LIVE).count()


def _annotated(person: Person) -> int:
    return Assignment.objects.filter(state=AssignmentState.SUBMITTED).count()


def _reviewed(person: Person) -> int:
    return TagReview.objects.filter(taken_back_at=None).count()


def _published(person: Person) -> int:
    return Annotation.objects.filter(state=AnnotationState.PUBLISHED).count()


def _asked(person: Person) -> int:
    return Run.objects.exclude(pk__in=hidden_run_ids(person)).count()


def _judged(person: Person) -> int:
    return seen_studies(person).exclude(state=StudyState.DRAFT).count()


def _reported(person: Person) -> int:
    return ReportSnapshot.objects.filter(study__in=seen_studies(person)).count()


def seen_studies(person: Person) -> QuerySet[Study]:
    """Those whose results are not hidden from the person, who may judge or resolve in an open one."""
    if not open_studies_hidden_from(person):
        return Study.objects.order_by()
    return Study.objects.order_by().exclude(
        pk__in=hidden_results(person, [*Study.objects.only("pk")])
    )


ADMIN, RESEARCHER, ANNOTATOR = Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR
STAGES = (
    _Stage("Pages", "page read|pages read", "wikifetch:fetches", (ADMIN,), _pages),
    _Stage("Tags", "live tag|live tags", "wikifetch:tags", (ADMIN, RESEARCHER, ANNOTATOR), _tags),
    _Stage("Annotated", "annotation|annotations", "annotation:campaigns", (ADMIN,), _annotated),
    _Stage("Reviewed", "tag|tags", "annotation:reviews", (ADMIN,), _reviewed),
    _Stage(
        "Published",
        "record|records",
        "datasets:collections",
        (ADMIN, RESEARCHER, ANNOTATOR),
        _published,
    ),
    _Stage("Asked", "run|runs", "generation:runs", (ADMIN, RESEARCHER), _asked),
    _Stage("Judged", "study|studies", "judging:studies", (ADMIN, RESEARCHER), _judged),
    _Stage(
        "Reported",
        "frozen report|frozen reports",
        "evaluation:reports",
        (ADMIN, RESEARCHER),
        _reported,
    ),
)
