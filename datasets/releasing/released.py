"""A release for its page: its counts and its files."""

from dataclasses import dataclass

from django.db.models import Count, Q

from datasets.exporters import Exporter, exporters_of
from datasets.models import Instance, Release, ReleaseFile, Validity


@dataclass(frozen=True)
class ReleaseCounts:
    records: int
    invalid: int
    questions: int


@dataclass(frozen=True)
class ShownFile:
    """A stored file with what its format says of it."""

    file: ReleaseFile
    exporter: Exporter

    @property
    def code(self) -> str:
        """Three lines of Python or fewer that load the file."""
        module = "csv" if self.exporter.suffix.endswith(".csv") else "json"
        return f"import {module}\n\n{self.exporter.loads.format(name=self.file.name)}"


def counts(release: Release) -> ReleaseCounts:
    rows = release.rows.aggregate(
        records=Count("pk"),
        invalid=Count("pk", filter=Q(contradiction__validity=Validity.INVALID)),
    )
    questions = Instance.objects.filter(contradiction__in=release.rows.values("contradiction"))
    left_out = release.left_out.values("instance")
    return ReleaseCounts(**rows, questions=questions.exclude(pk__in=left_out).count())


def shown_files(release: Release) -> list[ShownFile]:
    known = exporters_of(release.collection)
    return [ShownFile(file, known[file.format]) for file in release.files.all()]
