"""The files that a campaign is exported as, each written to disk first: memory does not grow with the campaign."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import IO

from django.db.models import QuerySet

from accounts.models import Person
from annotation.exporting.annotation_records import exported, json_lines, named
from annotation.exporting.labelstudio_tasks import labelling, task_list
from annotation.models import Annotation, Campaign
from datasets.exclusions import excluded_ids
from datasets.exporters import exporter_named
from datasets.exporters.export_files import spooled, spooled_by
from datasets.models import Contradiction
from datasets.records import current
from datasets.streaming import streamed
from leases.refusal import NotFoundHere

# A zip has no time of its own: the same annotations give the same bytes.
NO_TIME = (1980, 1, 1, 0, 0, 0)
RECORDS = "wikicontradict-json"


@dataclass(frozen=True)
class CampaignFile:
    """One file: what it is called, what it holds, what it leaves out, and who writes it."""

    name: str
    label: str
    holds: str
    leaves_out: str
    content_type: str
    open: Callable[[Campaign], IO[bytes]]


def _jsonl(campaign: Campaign) -> IO[bytes]:
    return spooled_by(lambda file: file.writelines(json_lines(exported(campaign))))


def _by_annotator(campaign: Campaign) -> IO[bytes]:
    return spooled_by(partial(_write_zip, campaign))


def _write_zip(campaign: Campaign, file: IO[bytes]) -> None:
    annotations = named(campaign)
    authors = Person.objects.filter(annotations__in=annotations.order_by()).distinct()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for author in authors.order_by("pseudonym"):
            entry = zipfile.ZipInfo(f"{author.pseudonym}.jsonl", NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with zipped.open(entry, "w", force_zip64=True) as member:
                for line in json_lines(annotations.filter(author=author)):
                    member.write(line)


def _tasks(campaign: Campaign) -> IO[bytes]:
    return spooled_by(lambda file: file.writelines(task_list(campaign)))


def _labelling(campaign: Campaign) -> IO[bytes]:
    return spooled_by(lambda file: file.writelines([labelling(campaign)]))


def _records(campaign: Campaign) -> IO[bytes]:
    rows = streamed(published_by(campaign), excluded_ids(campaign.collection))
    return spooled(exporter_named(campaign.collection, RECORDS), rows)


def published_by(campaign: Campaign) -> QuerySet[Contradiction]:
    """The newest versions of the records that the campaign published, in the collection's order."""
    published = Annotation.objects.filter(
        assignment__campaign=campaign, contradiction__isnull=False
    )
    positions = published.order_by().values("contradiction__position")
    return current(campaign.collection).filter(position__in=positions)


_ENTRIES = (
    "Each line is an annotation that was first submitted here: its tag, every field as it is now and as first "
    "submitted, which fields the app filled in, where passages come from, times, state, flag, and the reviews."
)
_BY_LETTER = (
    "Until a tag of several people is decided, its annotators are A, B and so on, as in its review, without "
    "slot and times."
)
_LEFT_OUT = (
    "drafts that were never submitted, skipped tags, what reviewers merged from several annotations, the time by step, "
    "and people's names: annotators have pseudonyms."
)

EXPORTS = {
    export.name: export
    for export in (
        CampaignFile(
            "annotations.jsonl",
            "All annotations",
            f"{_ENTRIES} In the order of the draw. {_BY_LETTER}",
            _LEFT_OUT,
            "application/x-ndjson; charset=utf-8",
            _jsonl,
        ),
        CampaignFile(
            "by-annotator.zip",
            "One file for each annotator",
            "The same lines in a file for each annotator, always by the pseudonym. It tells who annotated what: "
            "whoever is to review these tags does not open it.",
            _LEFT_OUT,
            "application/zip",
            _by_annotator,
        ),
        CampaignFile(
            "records.json",
            "Published records",
            "The records that this campaign published, in the format of WikiContradict, each in its newest version; "
            "invalid tags are kept.",
            "excluded questions, annotations that were not published, and other records of the collection.",
            "application/json; charset=utf-8",
            _records,
        ),
        CampaignFile(
            "label-studio.json",
            "Label Studio tasks",
            "A task for each tag of a round, also of those that nobody has annotated yet, with an annotation by each "
            "of its annotators: the pseudonym is an entry of it. A skipped tag has a cancelled one, and what is being "
            "corrected is a draft. The ground truth is what a review accepted. It tells who annotated what: whoever "
            "is to review these tags does not open it.",
            "drafts that were never submitted, what reviewers merged from several annotations, the reviews, where "
            "passages come from, which answers are inferred, and people's names.",
            "application/json; charset=utf-8",
            _tasks,
        ),
        CampaignFile(
            "label-studio.xml",
            "Label Studio's labelling configuration",
            "The six steps as the labelling configuration of a project of Label Studio, which the tasks fit.",
            "the checks and hints of the six steps, which Label Studio does not have.",
            "application/xml; charset=utf-8",
            _labelling,
        ),
    )
}


def export_named(name: str) -> CampaignFile:
    """Raises NotFoundHere."""
    if name not in EXPORTS:
        raise NotFoundHere(f"A campaign has no {name[:80]}. It has: {', '.join(EXPORTS)}.")
    return EXPORTS[name]
