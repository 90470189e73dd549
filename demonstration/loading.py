"""Load the demonstration set: the articles, and people's work on their tags.

The app's own functions make all rows: the fetcher reads the XML, places are claimed, drafts
saved, submitted and reviewed, the accepted ones published and released; two judges judge, a third person
resolves, the report is frozen. Only the responses come from a file, as they were recorded, since there may be no
model to ask.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import transaction

from accounts.models import Person
from annotation.models import Annotation, Campaign
from annotation.reviewing.publishing_tags import publish_campaign
from datasets.models import Collection, Contradiction
from demonstration import annotating
from demonstration.annotations import given, skipped
from demonstration.history import pages
from demonstration.outputs import (
    COPIES,
    IMPORTED,
    freeze_report,
    import_copy,
    import_records,
    release,
)
from demonstration.people import ADMIN, create_people
from demonstration.recorded_responses import load_responses
from demonstration.recorded_verdicts import load_studies
from demonstration.wiki_export import export
from generation.models import Response
from judging.models import Judgment
from leases.planner import learn_sizes
from leases.refusal import Conflict, Refusal
from wikifetch.fetch import fetch_xml
from wikifetch.models import Article, Tag


@dataclass(frozen=True)
class Loaded:
    """The numbers of rows of the demonstration set."""

    articles: int
    tags: int
    annotations: int
    records: int
    responses: int
    verdicts: int


def is_loaded() -> bool:
    return Collection.objects.filter(name=annotating.COLLECTION, is_demonstration=True).exists()


@transaction.atomic
def load(*, beside_other_work: bool = False) -> Loaded:
    """Load all of it or nothing. A second load changes nothing. Raises Refusal if the database holds other work."""
    if is_loaded():
        return counted()
    if not beside_other_work and (work := other_work()):
        raise Refusal(
            f"This database holds work already ({work}). The demonstration set is meant for an empty one; "
            "--beside-other-work loads it anyway, marked as demonstration."
        )
    names = (annotating.COLLECTION, annotating.LEFT_COLLECTION, IMPORTED, *(c.name for c in COPIES))
    if taken := Collection.objects.filter(name__in=names).first():
        raise Conflict(
            f"There is a collection {taken.name!r} that is no demonstration. Rename it first."
        )
    people = create_people()
    fetch_articles(by=people[ADMIN])
    campaign, _left = annotating.open_campaigns(people[ADMIN])
    for annotation in given():
        annotating.annotate(annotation, people)
    for given_up in skipped():
        annotating.skip(given_up, people)
    annotating.decide(given(), campaign, people[ADMIN])
    publish_campaign(campaign, people[ADMIN])
    release(campaign.collection, by=people[ADMIN])
    import_records(by=people[ADMIN])
    for copied in COPIES:
        import_copy(copied, campaign.collection, by=people[ADMIN])
    runs = load_responses(by=people[ADMIN])
    studied = load_studies(runs, people)
    learn_sizes()
    freeze_report(studied, by=people[ADMIN])
    return counted()


def fetch_articles(*, by: Person) -> None:
    """Import the articles and their histories from an export file, as from a wiki."""
    with TemporaryDirectory(prefix="sicetnon-") as folder:
        file = Path(folder) / "articles.xml"
        file.write_text(export(pages()), encoding="utf-8")
        fetch_xml(file, by=by)


def other_work() -> str:
    """The work in the database, in words; "" if there is none."""
    kinds = {"articles": Article, "campaigns": Campaign, "collections": Collection}
    counts = {name: model._default_manager.count() for name, model in kinds.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def counted() -> Loaded:
    tags = Tag.objects.filter(article__wiki=annotating.demonstration_wiki())
    return Loaded(
        articles=Article.objects.filter(wiki=annotating.demonstration_wiki()).count(),
        tags=tags.count(),
        annotations=Annotation.objects.filter(sighting__tag__in=tags).count(),
        records=Contradiction.objects.filter(collection__name=annotating.COLLECTION).count(),
        responses=Response.objects.filter(run__is_demonstration=True).count(),
        verdicts=Judgment.objects.filter(slot__round__study__is_demonstration=True).count(),
    )
