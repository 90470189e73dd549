"""The demonstration's two campaigns: the invented annotators' work, made by the app's own functions.

One has the tags that two people annotated, the other those that are left for people who try the app. So whoever may
still get a tag can see all that became of the first one: nothing of it is about a tag of theirs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import Person
from annotation.campaigns import opening
from annotation.campaigns.opening import CampaignDesign, Frame
from annotation.campaigns.tag_drawing import CampaignPlan
from annotation.evidence.checking import findings_on
from annotation.fields.steps import STEPS
from annotation.fields.walker import Entries
from annotation.models import Annotation, Assignment, Campaign
from annotation.reviewing import deciding
from annotation.reviewing.deciding import ReviewInput, ReviewNotes
from annotation.reviewing.tags_in_round import InRound
from annotation.workflow import claiming, saving, submitting
from datasets.models import Collection
from demonstration.annotations import Given, Skipped, annotated_by_two
from demonstration.people import ADMIN, username_of
from demonstration.wiki_export import BASE
from leases.refusal import Refusal
from wikifetch.models import Tag, Wiki

COLLECTION = "demonstration"
CAMPAIGN = "Demonstration"
SEED = 3078  # with this seed the collection begins with one tag of each article
LEFT_COLLECTION = "demonstration-left"
LEFT_CAMPAIGN = "Demonstration: yours to annotate"


@dataclass(frozen=True)
class DemonstrationFrame(Frame):
    """Only live tags of the demonstration wiki: those that two people annotated, or those that are left."""

    left: bool = False

    def rows(self) -> QuerySet[Tag]:
        tags = super().rows().filter(article__wiki=demonstration_wiki())
        named = annotated_by_two()
        done = [
            key
            for key, title, raw in tags.values_list("pk", "article__title", "latest__raw")
            if (title, raw) in named
        ]
        return tags.exclude(pk__in=done) if self.left else tags.filter(pk__in=done)


def demonstration_wiki() -> Wiki:
    return Wiki.objects.get(base_url=BASE)


def open_campaigns(by: Person) -> tuple[Campaign, Campaign]:
    """(the one to be done, the one of the tags that are left): two people for every tag, a collection for each."""
    done = _collection(
        COLLECTION,
        "Demonstration set",
        "Contradictions in invented articles, annotated by invented people, to try things out with.",
        by,
    )
    left = _collection(
        LEFT_COLLECTION,
        "Demonstration: what you annotate",
        "What you annotate in “Demonstration: yours to annotate” comes here when an admin publishes it.",
        by,
    )
    return (
        _open(CAMPAIGN, done, DemonstrationFrame(), by),
        _open(LEFT_CAMPAIGN, left, DemonstrationFrame(left=True), by),
    )


def _collection(name: str, title: str, description: str, by: Person) -> Collection:
    return Collection.objects.create(
        name=name,
        title=title,
        description=description,
        licence="Apache-2.0",
        is_demonstration=True,
        created_by=by,
    )


def _open(name: str, collection: Collection, frame: DemonstrationFrame, by: Person) -> Campaign:
    return opening.open_campaign(
        name=name,
        collection=collection,
        design=CampaignDesign(frame, CampaignPlan(people_per_tag=2, seed=SEED)),
        by=by,
        demonstration=True,
    )


def annotate(planned: Given, people: Mapping[str, Person]) -> None:
    """One annotation from the claim to the submission."""
    person = people[planned.person]
    draft = claiming.begin_annotation(claimed(planned, person), person)
    if planned.flag:
        saving.flag(draft=draft, by=person, flagged=True, note=planned.flag)
    draft = handed_in(draft, planned.first_entries)
    if planned.sent_back:
        draft = sent_back(draft, planned.sent_back, people[ADMIN])
        draft = handed_in(draft, planned.entries)


def decide(annotations: Iterable[Given], campaign: Campaign, by: Person) -> None:
    """The decision on each tag of which every annotation has a review in the file: the accepted one is published."""
    reviews = {
        (planned.title, planned.tag, username_of(planned.person)): planned.review
        for planned in annotations
    }
    tags = campaign.assignments.order_by("tag").values_list("tag", flat=True).distinct()
    for at in [InRound(campaign.pk, 1, tag) for tag in tags]:
        rows = list(at.submitted.select_related("author", "sighting__tag__article"))
        given = {
            row.pk: reviews[row.sighting.tag.article.title, row.sighting.raw, row.author.username]
            for row in rows
        }
        chosen = [pk for pk, review in given.items() if review and review["decision"] == "accept"]
        if chosen and all(given.values()):
            deciding.accept(
                at,
                chosen[0],
                by=by,
                read=ReviewInput(
                    versions={row.pk: row.version for row in rows},
                    notes={
                        pk: ReviewNotes(review["note"]) for pk, review in given.items() if review
                    },
                ),
                is_same=all(row.validity == rows[0].validity for row in rows),
            )


def skip(planned: Skipped, people: Mapping[str, Person]) -> None:
    person = people[planned.person]
    assignment = claimed(planned, person)
    claiming.begin_annotation(assignment, person)
    claiming.skip(assignment_id=assignment.pk, by=person, reason=planned.reason)


def claimed(planned: Given | Skipped, person: Person) -> Assignment:
    assignments = claiming.free_assignments(person).filter(
        campaign__is_demonstration=True,
        tag__article__title=planned.title,
        sighting__raw=planned.tag,
    )
    assignment = claiming.claim(assignments, person)
    if assignment is None:
        raise Refusal(f"{planned.title} has no free assignment for the tag {planned.tag}")
    return assignment


def handed_in(draft: Annotation, entries: Entries) -> Annotation:
    """Save after the first and the last step, then submit with all warnings ticked."""
    first = {field.name: entries[field.name] for field in STEPS[0].fields}
    draft = saving.save(draft, by=draft.author, version=draft.version, changes=first)
    submission = submitting.submit(
        draft,
        by=draft.author,
        version=draft.version,
        entries=entries,
        checked=frozenset(finding.key for finding in findings_on(draft, entries)),
    )
    if not submission.taken:
        raise Refusal(f"{draft}: {submission.findings[0].message}")
    return submission.annotation


def sent_back(draft: Annotation, remark: Mapping[str, object], by: Person) -> Annotation:
    notes = ReviewNotes(str(remark["note"]), remark["notes_by_field"])  # type: ignore[arg-type]
    assert draft.assignment is not None
    at = InRound(draft.assignment.campaign_id, draft.assignment.round, draft.assignment.tag_id)
    submitted = {row.pk: row.version for row in at.submitted}
    deciding.send_back(at, [draft.pk], by=by, read=ReviewInput(submitted, notes={draft.pk: notes}))
    return Annotation.objects.get(pk=draft.pk)
