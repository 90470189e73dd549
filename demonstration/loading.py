"""Load the demonstration set: the articles, and people's work on their tags.

The app's own functions make all rows: files are fetched and imported, places are claimed, drafts saved, submitted and
reviewed, the accepted ones published and released; two judges judge, a third person resolves, the report is frozen.
The responses are a real model's as they came, none selected or left out, in the form of those made elsewhere.
"""

from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from accounts.models import Person
from annotation.models import Annotation, Campaign
from annotation.reviewing.publishing_tags import publish_campaign
from datasets.importers import IMPORTERS
from datasets.importers.import_files import import_file
from datasets.models import Collection, Contradiction, Release
from datasets.releasing import freezing
from demonstration.annotating import BASE, annotate, open_campaigns
from demonstration.annotations import given
from demonstration.judged import load_studies
from demonstration.people import ADMIN, create_people
from evaluation.frozen import snapshots
from generation.elsewhere import importing
from generation.models import Response, Run
from judging.models import Judgment
from leases.planner import learn_sizes
from leases.refusal import Conflict, Refusal
from wikifetch.fetch import fetch_xml
from wikifetch.models import Article, Tag

FOLDER = Path(__file__).parent
ARTICLES = FOLDER / "articles.xml"
DONE, LEFT, IMPORTED = "demonstration", "demonstration-left", "demonstration-import"
CONTROL, YOURS = "demonstration-control", "demonstration-judge"
# Title and description of each. Those with a file in records/ are imported; each study has a collection and a run of
# its own, because these are closed to whoever judges in it (judging/blinding.py).
COLLECTIONS = {
    DONE: (
        "Demonstration set",
        "Contradictions in invented articles, annotated by invented people, to try things out with.",
    ),
    LEFT: (
        "Demonstration: what you annotate",
        "What you annotate in “Demonstration: yours to annotate” comes here when an admin publishes it.",
    ),
    IMPORTED: (
        "Demonstration set: an imported file",
        "A few records in the form of the published dataset, with slips as such files have them.",
    ),
    CONTROL: (
        "Demonstration set: for the control prompt",
        "Records of the demonstration set, for a study of their own.",
    ),
    YOURS: (
        "Demonstration set: yours to judge",
        "Records of the demonstration set, for a study of their own.",
    ),
}
# The runs, by collection: of responses/NAME.jsonl.
RUNS = {
    DONE: "Demonstration: responses recorded from the embedded model",
    CONTROL: "Demonstration: the control prompt",
    YOURS: "Demonstration: yours to judge",
}


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
    return Collection.objects.filter(name=DONE, is_demonstration=True).exists()


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
    if taken := Collection.objects.filter(name__in=COLLECTIONS).first():
        raise Conflict(
            f"There is a collection {taken.name!r} that is no demonstration. Rename it first."
        )
    people = create_people()
    by = people[ADMIN]
    fetch_xml(ARTICLES, by=by)
    collections = {name: _collection(name, by) for name in COLLECTIONS}
    campaign = open_campaigns(collections[DONE], collections[LEFT], by)
    for tag in given().values():
        annotate(tag, people)
    publish_campaign(campaign, by)
    releases = {name: _released(collections[name], by) for name in RUNS}
    runs = {name: responses_to(release, by) for name, release in releases.items()}
    studied = load_studies(runs[DONE], runs[CONTROL], runs[YOURS], people)
    learn_sizes()
    snapshots.freeze(studied, by=by, note="When the study was closed")
    return counted()


def _collection(name: str, by: Person) -> Collection:
    path = FOLDER / "records" / f"{name}.json"
    if path.exists():
        with path.open("rb") as file:
            import_file(
                importer=IMPORTERS["wikicontradict"],
                file=file,
                collection_name=name,
                source=f"demonstration/records/{path.name}",
                by=by,
            )
    made, _ = Collection.objects.get_or_create(name=name, defaults={"created_by": by})
    made.title, made.description = COLLECTIONS[name]
    made.licence, made.is_demonstration = "Apache-2.0", True
    made.save()
    return made


def _released(collection: Collection, by: Person) -> Release:
    notes = "What the campaign had published first." if collection.name == DONE else ""
    return freezing.freeze(collection=collection, version="1.0", notes=notes, by=by)


def responses_to(release: Release, by: Person) -> Run:
    """A run of the recorded responses. Raises Refusal if they are to other questions or prompts."""
    name = release.collection.name
    with (FOLDER / "responses" / f"{name}.jsonl").open("rb") as file:
        run, read = importing.bring(release, file, name=RUNS[name], by=by)
    if read["not_verified"]:
        raise Refusal(
            f"{read['not_verified']} of the responses in {name}.jsonl are to prompts that have changed since. "
            "Record them anew."
        )
    return run


def other_work() -> str:
    """The work in the database, in words; "" if there is none."""
    kinds = {"articles": Article, "campaigns": Campaign, "collections": Collection}
    counts = {name: model._default_manager.count() for name, model in kinds.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def counted() -> Loaded:
    tags = Tag.objects.filter(article__wiki__base_url=BASE)
    return Loaded(
        articles=Article.objects.filter(wiki__base_url=BASE).count(),
        tags=tags.count(),
        annotations=Annotation.objects.filter(sighting__tag__in=tags).count(),
        records=Contradiction.objects.filter(collection__name=DONE).count(),
        responses=Response.objects.filter(run__is_demonstration=True).count(),
        verdicts=Judgment.objects.filter(slot__round__study__is_demonstration=True).count(),
    )
