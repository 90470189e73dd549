"""The demonstration's two campaigns: the invented annotators' work, made by the app's own functions.

One has the tags that two people annotated, the other those that are left for people who try the app. So whoever may
still get a tag can see all that became of the first one: nothing of it is about a tag of theirs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import Person
from annotation.campaigns.opening import CampaignDesign, Frame, open_campaign
from annotation.campaigns.tag_drawing import CampaignPlan
from annotation.fields.steps import STEPS
from annotation.fields.walker import Entries
from annotation.models import Annotation, Assignment, Campaign
from annotation.reviewing import deciding
from annotation.reviewing.deciding import ReviewInput, ReviewNotes
from annotation.reviewing.tags_in_round import InRound
from annotation.workflow import claiming, saving, submitting
from datasets.models import Collection
from demonstration.annotations import Given, given
from demonstration.people import ADMIN
from leases.refusal import Refusal
from wikifetch.models import Tag, Wiki

BASE = "https://demonstration.example/wiki/"  # as in articles.xml
CAMPAIGN, LEFT_CAMPAIGN = "Demonstration", "Demonstration: yours to annotate"
SEED = 3078  # with this seed the collection begins with one tag of each article


@dataclass(frozen=True)
class DemonstrationFrame(Frame):
    """Only live tags of the demonstration wiki: those that two people annotated, or those that are left."""

    left: bool = False

    def rows(self) -> QuerySet[Tag]:
        tags = super().rows().filter(article__wiki=Wiki.objects.get(base_url=BASE))
        by_two = {tag for tag, rows in given().items() if not any(row.skipped for row in rows)}
        named = tags.values_list("pk", "article__title", "latest__raw")
        done = [key for key, title, raw in named if (title, raw) in by_two]
        return tags.exclude(pk__in=done) if self.left else tags.filter(pk__in=done)


def open_campaigns(done: Collection, left: Collection, by: Person) -> Campaign:
    """That of the tags that two people annotated, and that of those left; returns the first one."""
    campaign, _left = (
        open_campaign(
            name=name,
            collection=collection,
            design=CampaignDesign(frame, CampaignPlan(people_per_tag=2, seed=SEED)),
            by=by,
        )
        for name, collection, frame in (
            (CAMPAIGN, done, DemonstrationFrame()),
            (LEFT_CAMPAIGN, left, DemonstrationFrame(left=True)),
        )
    )
    Campaign.objects.filter(collection__in=(done, left)).update(is_demonstration=True)
    return campaign


def annotate(tag: Iterable[Given], people: Mapping[str, Person]) -> None:
    """Both people's work on a tag, and the decision on it where the file has reviews."""
    rows = {_annotated(one, people): one for one in tag}
    if all(one.review for one in rows.values()):
        _decide(rows, people[ADMIN])


def _annotated(planned: Given, people: Mapping[str, Person]) -> Annotation:
    """One annotation from the claim to the submission, or until its author skips the tag."""
    person = people[planned.person]
    assignment = _claimed(planned, person)
    draft = claiming.begin_annotation(assignment, person)
    if planned.skipped:
        claiming.skip(assignment_id=assignment.pk, by=person, reason=planned.skipped)
        return draft
    if planned.flag:
        saving.flag(draft=draft, by=person, flagged=True, note=planned.flag)
    draft = _handed_in(draft, planned.first_entries)
    if planned.sent_back:
        notes = ReviewNotes(planned.sent_back["note"], planned.sent_back["notes_by_field"])
        at = _place(draft)
        read = ReviewInput({row.pk: row.version for row in at.submitted}, notes={draft.pk: notes})
        deciding.send_back(at, [draft.pk], by=people[ADMIN], read=read)
        draft = _handed_in(Annotation.objects.get(pk=draft.pk), planned.entries)
    return draft


def _claimed(planned: Given, person: Person) -> Assignment:
    assignments = claiming.free_assignments(person).filter(
        campaign__is_demonstration=True,
        tag__article__title=planned.title,
        sighting__raw=planned.tag,
    )
    assignment = claiming.claim(assignments, person)
    if assignment is None:
        raise Refusal(f"{planned.title} has no free assignment for the tag {planned.tag}")
    return assignment


def _handed_in(draft: Annotation, entries: Entries) -> Annotation:
    """Save after the first step, then submit, a second time with the warnings ticked that there are."""
    by, checked = draft.author, frozenset[str]()
    first = {field.name: entries[field.name] for field in STEPS[0].fields}
    draft = saving.save(draft, by=by, version=draft.version, changes=first)
    for _ in range(2):
        submission = submitting.submit(
            draft, by=by, version=draft.version, entries=entries, checked=checked
        )
        draft = submission.annotation
        if submission.taken:
            return draft
        checked = frozenset(finding.key for finding in submission.findings)
    raise Refusal(f"{draft}: {submission.findings[0].message}")


def _decide(rows: Mapping[Annotation, Given], by: Person) -> None:
    reviews = {row: one.review for row, one in rows.items() if one.review}
    [chosen] = [row for row, review in reviews.items() if review["decision"] == "accept"]
    read = ReviewInput(
        versions={row.pk: row.version for row in rows},
        notes={row.pk: ReviewNotes(review["note"]) for row, review in reviews.items()},
    )
    is_same = all(row.validity == chosen.validity for row in rows)
    deciding.accept(_place(chosen), chosen.pk, by=by, read=read, is_same=is_same)


def _place(of: Annotation) -> InRound:
    assert of.assignment, "It was claimed."
    return InRound(of.assignment.campaign_id, of.assignment.round, of.assignment.tag_id)
