"""An annotator's own progress: what is done and left, the time by step, and what became of each annotation."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import Person
from annotation.desk.own_queue import free_by_campaign
from annotation.fields.entries import FIELDS
from annotation.fields.steps import STEPS
from annotation.fields.walker import FormStep
from annotation.models import Annotation, Campaign, Question, Review
from annotation.monitoring.pace import minutes_a_tag
from annotation.reviewing.accepted import is_accepted
from annotation.states import DONE, AnnotationState
from annotation.workflow.in_hand import drafts_in_hand
from pages.counting import how_many

# What was submitted at least once.
FINISHED = tuple(state for state in AnnotationState if state != AnnotationState.DRAFT)
# A pace is of this many latest annotations: it changes with practice.
LATEST = 200


@dataclass(frozen=True)
class StepTime:
    """The median minutes at a step, of the `n` annotations with time at it."""

    step: FormStep
    minutes: float | None
    n: int


@dataclass(frozen=True)
class OwnProgress:
    """Annotations by state, `free` tags still to get (`is_more`: at least), and the median minutes of `timed` tags."""

    counts: Mapping[str, int]
    in_progress: int
    free: int
    is_more: bool
    minutes: float | None
    timed: int
    step_times: list[StepTime]

    @property
    def done(self) -> int:
        return sum(self.counts.get(state, 0) for state in DONE)

    @property
    def sent_back(self) -> int:
        return self.counts.get(AnnotationState.SENT_BACK, 0)

    @property
    def left(self) -> int:
        return self.in_progress + self.sent_back + self.free

    @property
    def time_left(self) -> str:
        """Hours, below one hour minutes; "" before the first submission and where nothing is left."""
        minutes = (self.minutes or 0) * self.left
        if minutes >= 60:
            return f"{minutes / 60:.1f} hours"
        return how_many(ceil(minutes), "minute") if minutes else ""


def own_progress(person: Person) -> OwnProgress:
    mine = Annotation.objects.filter(author=person, merged_from=None)
    timed = mine.filter(state__in=DONE, seconds_active__gt=0).order_by("-submitted_at")
    times = list(timed.values_list("seconds_active", "seconds_by_step")[:LATEST])
    counts = mine.order_by().values_list("state").annotate(n=Count("pk"))
    free = free_by_campaign(person)
    return OwnProgress(
        counts=dict(counts),
        in_progress=drafts_in_hand(person).count(),
        free=sum(tags.count for tags in free),
        is_more=any(tags.is_more for tags in free),
        minutes=minutes_a_tag(seconds for seconds, _ in times),
        timed=len(times),
        step_times=[step_time(step, [by_step for _, by_step in times]) for step in STEPS],
    )


def step_time(step: FormStep, times: list[Mapping[str, float]]) -> StepTime:
    known = [by_step[step.key] for by_step in times if step.key in by_step]
    return StepTime(step, minutes_a_tag(known), len(known))


@dataclass(frozen=True)
class WantedAnnotations:
    """Which to list; an empty value leaves nothing out. Each word is in the title or a question; `campaign`: its id."""

    words: str = ""
    campaign: str = ""
    state: str = ""


def finished_annotations(person: Person, wanted: WantedAnnotations) -> QuerySet[Annotation]:
    """What this person has submitted, the latest first."""
    rows = Annotation.objects.filter(
        author=person, merged_from=None, state__in=[wanted.state] if wanted.state else FINISHED
    )
    if wanted.campaign:
        rows = rows.filter(assignment__campaign=int(wanted.campaign))
    for word in wanted.words.split()[:8]:
        asked = Question.objects.filter(annotation=OuterRef("pk"), question__icontains=word)
        rows = rows.filter(Q(sighting__tag__article__title__icontains=word) | Exists(asked))
    return (
        rows.annotate(is_accepted=is_accepted())
        .select_related("assignment__campaign", "sighting__tag__article")
        .prefetch_related("reviews__of_tag")
        .order_by("-submitted_at", "-pk")
    )


def campaigns_of(person: Person) -> QuerySet[Campaign]:
    mine = Annotation.objects.filter(author=person, assignment__campaign=OuterRef("pk"))
    return Campaign.objects.filter(Exists(mine))


@dataclass(frozen=True)
class AnnotationOutcome:
    """A submitted annotation, its active time, and the reviewer's note on it."""

    annotation: Annotation
    minutes: float | None
    note: str


def outcome(annotation: Annotation) -> AnnotationOutcome:
    minutes = annotation.seconds_active / 60 if annotation.seconds_active else None
    is_open = annotation.state == AnnotationState.SUBMITTED
    review = None if is_open else next(iter(annotation.reviews.all()), None)
    return AnnotationOutcome(annotation, minutes, note_of(review) if review else "")


def note_of(review: Review) -> str:
    """The reason for the whole tag, the note on the annotation, then those on fields, each on a line of its own."""
    labels = {name: FIELDS[name.partition("-")[0]].label for name in review.notes_by_field}
    by_field = [f"{labels[name]}: {note}" for name, note in review.notes_by_field.items()]
    reason = review.of_tag.reason if review.of_tag else ""
    return "\n".join(filter(None, [reason, review.note, *by_field]))
