"""An annotator's queue: drafts in hand, the tags still to get, what is done."""

from dataclasses import dataclass

from accounts.models import Person
from annotation.campaigns.campaign_people import open_to
from annotation.desk.draft_page import step_to_resume
from annotation.fields.entries import entries_of
from annotation.fields.steps import STEPS
from annotation.fields.walker import standings
from annotation.models import Annotation, Campaign, Review
from annotation.monitoring.pace import minutes_a_tag
from annotation.states import DONE, EDITABLE, AnnotationState, AssignmentState
from annotation.workflow.claiming import next_tags
from annotation.workflow.in_hand import full_campaigns
from pages.counting import counted_to


@dataclass(frozen=True)
class HeldDraft:
    """A draft that a person holds: the step to resume, and the number of complete and needed steps."""

    annotation: Annotation
    step: str
    complete: int
    steps: int
    review: Review | None


@dataclass(frozen=True)
class FreeTags:
    """An open campaign with the number of free tags for a person (`is_more`: at least); `is_full`: not now."""

    campaign: Campaign
    count: int
    is_more: bool
    is_full: bool

    def __str__(self) -> str:
        return counted_to(self.count, self.is_more)


@dataclass(frozen=True)
class AnnotatorQueue:
    """An annotator's own page: drafts, free tags by campaign, what is done and at what pace."""

    sent_back: list[HeldDraft]
    drafts: list[HeldDraft]
    detached: list[Annotation]
    free: list[FreeTags]
    done_count: int
    minutes: float | None


def queue_of(person: Person) -> AnnotatorQueue:
    mine = Annotation.objects.filter(author=person).select_related(
        "assignment__campaign", "sighting__tag__article", "sighting__revision"
    )
    held = mine.filter(assignment__state=AssignmentState.HELD)
    done = mine.filter(state__in=DONE, merged_from=None)
    return AnnotatorQueue(
        sent_back=[
            held_draft(annotation) for annotation in held.filter(state=AnnotationState.SENT_BACK)
        ],
        drafts=[held_draft(annotation) for annotation in held.filter(state=AnnotationState.DRAFT)],
        detached=list(mine.filter(assignment=None, state__in=EDITABLE)),
        free=free_by_campaign(person),
        done_count=done.count(),
        minutes=minutes_a_tag(
            done.filter(seconds_active__gt=0).values_list("seconds_active", flat=True)
        ),
    )


def held_draft(annotation: Annotation) -> HeldDraft:
    at_steps = standings(STEPS, entries_of(annotation))
    # Until the first step is complete, all others may still be needed.
    steps = [at for at in at_steps if at.open or not at_steps[0].complete]
    return HeldDraft(
        annotation,
        step_to_resume(annotation),
        sum(at.complete for at in steps),
        len(steps),
        annotation.reviews.first() if annotation.state == AnnotationState.SENT_BACK else None,
    )


def free_by_campaign(person: Person) -> list[FreeTags]:
    """The open campaigns that have free tags for this person; a statement each, however many tags are free."""
    free = {campaign.pk: next_tags(person, campaign) for campaign in open_to(person)}
    full = full_campaigns(person)
    with_tags = [pk for pk, (tags, _) in free.items() if tags]
    campaigns = Campaign.objects.filter(pk__in=with_tags).select_related("guideline").order_by("pk")
    return [
        FreeTags(campaign, len(tags), is_more, campaign.pk in full)
        for campaign in campaigns
        for tags, is_more in [free[campaign.pk]]
    ]
