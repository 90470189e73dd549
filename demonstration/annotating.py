"""The demonstration's campaign: the invented annotators' work, made by the app's own functions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import Person
from annotation import workflow
from annotation.campaigns import claiming, opening
from annotation.campaigns.drawing import Plan
from annotation.campaigns.opening import Design, Frame
from annotation.fields.checks import check
from annotation.fields.steps import STEPS
from annotation.fields.walker import Entries
from annotation.models import Annotation, Assignment, Campaign
from annotation.reviewing import deciding
from annotation.reviewing.deciding import Notes, Read
from annotation.reviewing.tags import InRound
from datasets.models import Collection
from demonstration.annotations import Given, Skipped
from demonstration.export import BASE
from demonstration.people import ADMIN, username_of
from leases.refusal import Refusal
from wikifetch.models import Tag, Wiki

COLLECTION = "demonstration"
CAMPAIGN = "Demonstration"
SEED = 15116  # with this seed the collection begins with one tag of each article


@dataclass(frozen=True)
class DemonstrationFrame(Frame):
    """Only the live tags of the demonstration wiki."""

    def rows(self) -> QuerySet[Tag]:
        return super().rows().filter(article__wiki=demonstration_wiki())


def demonstration_wiki() -> Wiki:
    return Wiki.objects.get(base_url=BASE)


def open_campaign(by: Person) -> Campaign:
    """Two people for every tag, into a collection of its own."""
    collection = Collection.objects.create(
        name=COLLECTION,
        title="Demonstration set",
        description="Contradictions in invented articles, annotated by invented people, to try things out with.",
        licence="Apache-2.0",
        is_demonstration=True,
        created_by=by,
    )
    return opening.open_campaign(
        name=CAMPAIGN,
        collection=collection,
        design=Design(DemonstrationFrame(), Plan(people_per_tag=2, seed=SEED)),
        by=by,
        demonstration=True,
    )


def annotate(each: Given, campaign: Campaign, people: Mapping[str, Person]) -> None:
    """One annotation from the claim to the submission."""
    draft = claiming.begin_annotation(
        claimed(each, campaign, people[each.person]), people[each.person]
    )
    draft = handed_in(draft, each.first_entries)
    if each.sent_back:
        draft = sent_back(draft, each.sent_back, people[ADMIN])
        draft = handed_in(draft, each.entries)
    if each.flag:
        workflow.flag(annotation=draft, flagged=True, note=each.flag)


def decide(annotations: Iterable[Given], campaign: Campaign, by: Person) -> None:
    """The decision on each tag of which every annotation has a review in the file: the accepted one is published."""
    reviews = {
        (each.title, each.tag, username_of(each.person)): each.review for each in annotations
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
                read=Read(
                    versions={row.pk: row.version for row in rows},
                    notes={pk: Notes(review["note"]) for pk, review in given.items() if review},
                ),
                is_same=all(row.validity == rows[0].validity for row in rows),
            )


def skip(each: Skipped, campaign: Campaign, people: Mapping[str, Person]) -> None:
    """Claim one assignment and skip it."""
    person = people[each.person]
    assignment = claimed(each, campaign, person)
    claiming.begin_annotation(assignment, person)
    claiming.skip(assignment_id=assignment.pk, by=person, reason=each.reason)


def claimed(each: Given | Skipped, campaign: Campaign, person: Person) -> Assignment:
    assignments = claiming.free_assignments(person).filter(
        campaign=campaign, tag__article__title=each.title, sighting__raw=each.tag
    )
    assignment = claiming.claim(assignments, person)
    if assignment is None:
        raise Refusal(f"{each.title} has no free assignment for the tag {each.tag}")
    return assignment


def handed_in(draft: Annotation, entries: Entries) -> Annotation:
    """Save after the first and the last step, then submit with all warnings ticked."""
    first = {field.name: entries[field.name] for field in STEPS[0].fields}
    draft = workflow.save_draft(
        annotation_id=draft.pk, by=draft.author, version=draft.version, changes=first
    )
    submission = workflow.submit(
        annotation_id=draft.pk,
        by=draft.author,
        version=draft.version,
        entries=entries,
        checked=frozenset(finding.key for finding in check(entries)),
    )
    if not submission.taken:
        raise Refusal(f"{draft}: {submission.findings[0].message}")
    return submission.annotation


def sent_back(draft: Annotation, remark: Mapping[str, object], by: Person) -> Annotation:
    notes = Notes(str(remark["note"]), remark["notes_by_field"])  # type: ignore[arg-type]
    assert draft.assignment is not None
    at = InRound(draft.assignment.campaign_id, draft.assignment.round, draft.assignment.tag_id)
    submitted = {row.pk: row.version for row in at.submitted}
    deciding.send_back(at, [draft.pk], by=by, read=Read(submitted, notes={draft.pk: notes}))
    return Annotation.objects.get(pk=draft.pk)
