"""A release for its page: its counts and its files."""

from dataclasses import dataclass

from django.db.models import Count, Q

from datasets.exporters import FileFormat, exporters_of
from datasets.models import Instance, Release, ReleaseFile, Validity
from datasets.releasing.bundle.writing import Bundle

_MODULES = {"csv": "import csv", "zip": "import json\nimport zipfile"}


@dataclass(frozen=True)
class ReleaseCounts:
    records: int
    invalid: int
    questions: int


@dataclass(frozen=True)
class ShownFile:
    """A stored file with what its format says of it."""

    file: ReleaseFile
    exporter: FileFormat

    @property
    def code(self) -> str:
        """A few lines of Python that load the file."""
        module = _MODULES.get(self.exporter.suffix.rpartition(".")[2], "import json")
        return f"{module}\n\n{self.exporter.loads.format(name=self.file.name)}"


def counts(release: Release) -> ReleaseCounts:
    rows = release.rows.aggregate(
        records=Count("pk"),
        invalid=Count("pk", filter=Q(contradiction__validity=Validity.INVALID)),
    )
    if release.collection.is_declared:  # a record of a protocol is left out with its question
        rows["records"] -= release.left_out.count()
    questions = Instance.objects.filter(contradiction__in=release.rows.values("contradiction"))
    left_out = release.left_out.values("instance")
    return ReleaseCounts(**rows, questions=questions.exclude(pk__in=left_out).count())


def shown_files(release: Release) -> list[ShownFile]:
    """The bundle first, which has what the others have."""
    known: dict[str, FileFormat] = {Bundle.name: Bundle(), **exporters_of(release.collection)}
    shown = [ShownFile(file, known[file.format]) for file in release.files.all()]
    return sorted(shown, key=lambda one: one.file.format != Bundle.name)
