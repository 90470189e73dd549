"""Loading the demonstration set: the articles, and people's work on their tags, as that work is really done.

Rows are made by the functions that make them in use: the fetcher reads the XML, places are claimed, drafts
saved, submitted and reviewed, the accepted ones published; two judges judge, a third person resolves. Only the
responses come from a file, as they were recorded, since there may be no model to ask.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Person
from annotation import campaigns, workflow
from annotation.checks import check
from annotation.models import Annotation, Campaign
from annotation.publish import publish_campaign
from annotation.review import Decision, Notes, decide
from annotation.states import ASSIGNMENT
from annotation.steps import STEPS
from annotation.walker import Entries
from datasets.models import Collection
from demonstration.annotations import Given, given
from demonstration.build import ARTICLES
from demonstration.export import BASE
from demonstration.people import ADMIN, create_people
from demonstration.responses import load_responses
from demonstration.verdicts import load_study
from generation.models import Response
from judging.models import Judgment
from leases import claim
from leases.refusal import Conflict, Refusal
from wikifetch.fetch import fetch_xml
from wikifetch.models import Article, Tag, Wiki

COLLECTION = "demonstration"
CAMPAIGN = "Demonstration"
SEED = 15116  # draws the tags so that the collection begins with one of each article


@dataclass(frozen=True)
class Loaded:
    """What the database now holds of the demonstration set."""

    articles: int
    tags: int
    annotations: int
    records: int
    responses: int
    verdicts: int


@dataclass(frozen=True)
class DemonstrationFrame(campaigns.Frame):
    """The live tags of the demonstration wiki alone, whatever else has been fetched."""

    def tags(self) -> QuerySet[Tag]:
        return super().tags().filter(article__wiki=demonstration_wiki())


def demonstration_wiki() -> Wiki:
    return Wiki.objects.get(base_url=BASE)


def is_loaded() -> bool:
    return Collection.objects.filter(name=COLLECTION, is_demonstration=True).exists()


@transaction.atomic
def load(*, beside_other_work: bool = False) -> Loaded:
    """All of it or nothing. Loading again changes nothing; raises Refusal in a database with work of its own."""
    if is_loaded():
        return counted()
    if not beside_other_work and (found := other_work()):
        raise Refusal(
            f"This database holds work already ({found}). The demonstration set is meant for an empty one; "
            "--beside-other-work loads it all the same, marked as demonstration."
        )
    if Collection.objects.filter(name=COLLECTION).exists():
        raise Conflict(
            f"There is a collection {COLLECTION!r} that is no demonstration. Rename it first."
        )
    people = create_people()
    fetch_xml(ARTICLES, by=people[ADMIN])
    campaign = open_campaign(people[ADMIN])
    for each in given():
        annotate(each, campaign, people)
    publish_campaign(campaign)
    run = load_responses(campaign.collection, by=people[ADMIN])
    load_study(run, people)
    return counted()


def other_work() -> str:
    """What stands in the database, as words; "" where it is empty."""
    kinds = {"articles": Article, "campaigns": Campaign, "collections": Collection}
    counts = {name: model._default_manager.count() for name, model in kinds.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def counted() -> Loaded:
    tags = Tag.objects.filter(article__wiki=demonstration_wiki())
    return Loaded(
        articles=Article.objects.filter(wiki=demonstration_wiki()).count(),
        tags=tags.count(),
        annotations=Annotation.objects.filter(sighting__tag__in=tags).count(),
        records=Collection.objects.get(name=COLLECTION).contradictions.count(),
        responses=Response.objects.filter(run__is_demonstration=True).count(),
        verdicts=Judgment.objects.filter(slot__round__study__is_demonstration=True).count(),
    )


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
    return campaigns.open_campaign(
        name=CAMPAIGN,
        collection=collection,
        frame=DemonstrationFrame(),
        plan=campaigns.Plan(people_per_tag=2, seed=SEED),
        by=by,
        demonstration=True,
    )


def annotate(each: Given, campaign: Campaign, people: Mapping[str, Person]) -> None:
    """One annotation from the claim to the decision."""
    draft = claimed(each, campaign, people[each.person])
    draft = handed_in(draft, each.first_entries)
    if each.sent_back:
        draft = sent_back(draft, each.sent_back, people[ADMIN])
        draft = handed_in(draft, each.entries)
    if each.review:
        decide(
            annotation_id=draft.pk,
            by=people[ADMIN],
            version=draft.version,
            decision=each.review["decision"],
            notes=Notes(each.review["note"]),
        )


def claimed(each: Given, campaign: Campaign, person: Person) -> Annotation:
    places = campaigns.free_places(person).filter(
        campaign=campaign, tag__article__title=each.title, sighting__raw=each.tag
    )
    place = claim.claim(
        places,
        ASSIGNMENT,
        "claim",
        seconds=campaigns.LEASE_SECONDS,
        holder=campaigns.holder_of(person),
        person=person,
    )
    if place is None:
        raise Refusal(f"{each.title} has no free place for the tag {each.tag}")
    return campaigns.begin_annotation(place, person)


def handed_in(draft: Annotation, entries: Entries) -> Annotation:
    """Saved after the first step and after the last, then submitted with every warning looked at."""
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


def sent_back(draft: Annotation, said: Mapping[str, object], by: Person) -> Annotation:
    notes = Notes(str(said["note"]), said["notes_by_field"])  # type: ignore[arg-type]
    decide(
        annotation_id=draft.pk,
        by=by,
        version=draft.version,
        decision=Decision.SEND_BACK,
        notes=notes,
    )
    return Annotation.objects.get(pk=draft.pk)
