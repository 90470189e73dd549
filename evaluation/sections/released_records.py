"""Who annotated the records of a release, and how far they agreed."""

from collections import Counter, defaultdict
from collections.abc import Set as AbstractSet

from annotation.models import Annotation, Campaign
from annotation.states import CampaignState
from datasets.models import Collection, Contradiction
from datasets.releasing.bundle.counted import Annotated
from evaluation.annotators.entered import called
from evaluation.sections.agreement_so_far import in_short

OPEN = "A campaign that annotates them is open: its agreement is given once it is closed."


def annotated(collection: Collection, keys: AbstractSet[int]) -> Annotated:
    """Of the records with these keys: people by the tags of their annotations, and the authors of other records.

    Agreement is over all tags of a campaign that several people annotated, also where the release lacks some.
    """
    of_collection = Annotation.objects.filter(contradiction__collection=collection)
    pairs = of_collection.values_list("contradiction_id", "sighting__tag_id").distinct()
    tags = {record: tag for record, tag in pairs if record in keys}
    people = _people_by_tag(collection)
    written = Contradiction.objects.filter(collection=collection, author__isnull=False)
    authors = {
        author
        for record, author in written.values_list("pk", "author_id")
        if record in keys and record not in tags
    }
    everybody = authors.union(*(people[tag] for tag in tags.values()))
    return Annotated(
        people=len(everybody),
        per_record=Counter(len(people[tag]) for tag in tags.values() if people[tag]),
        agreement=_agreement(collection) if tags else [],
    )


def _people_by_tag(collection: Collection) -> dict[int, set[int]]:
    """Tag -> who submitted an annotation of it in a campaign that feeds the collection."""
    rows = Annotation.objects.filter(
        first_assignment__campaign__collection=collection, first_entries__isnull=False
    )
    people: dict[int, set[int]] = defaultdict(set)
    for tag, author in rows.values_list("sighting__tag_id", "author_id"):
        people[tag].add(author)
    return people


def _agreement(collection: Collection) -> list[str]:
    campaigns = Campaign.objects.filter(collection=collection).order_by("pk")
    said = [
        in_short(called(campaign)) if campaign.state == CampaignState.CLOSED else [OPEN]
        for campaign in campaigns
    ]
    if len(said) < 2:
        return [sentence for sentences in said for sentence in sentences]
    return [
        f"Campaign {n}. {sentence}" for n, sentences in enumerate(said, 1) for sentence in sentences
    ]
