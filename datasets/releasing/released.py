"""A release for its page: its counts and its files."""

from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from datasets.exporters import FileFormat, exporters_of
from datasets.models import (
    Collection,
    Instance,
    Release,
    ReleaseExclusion,
    ReleaseFile,
    Validity,
)
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


class _Former:
    """A format that the collection has no more; its files stay."""

    holds = "What the release held in a format that its collection has no more."
    leaves_out = "what that format left out."
    loads = 'data = open("{name}", "rb").read()'
    content_type = "application/octet-stream"

    def __init__(self, name: str) -> None:
        self.name = self.label = name
        self.suffix = ""


def format_of(file: ReleaseFile) -> FileFormat:
    """What is said of the file; also of one whose format the collection has no more."""
    known: dict[str, FileFormat] = {Bundle.name: Bundle(), **exporters_of(file.release.collection)}
    return known.get(file.format) or _Former(file.format)


def with_sizes(collection: Collection) -> QuerySet[Release]:
    """Its releases, the newest first, with `size`, how many records each has."""
    left_out = ReleaseExclusion.objects.filter(release=OuterRef("pk")).order_by().values("release")
    size: Combinable = Count("rows")
    if collection.is_declared:  # a record of a protocol is left out with its question
        size -= Coalesce(Subquery(left_out.annotate(n=Count("pk")).values("n")), 0)
    return collection.releases.annotate(size=size).order_by("-pk")


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
    shown = [ShownFile(file, format_of(file)) for file in release.files.all()]
    return sorted(shown, key=lambda one: one.file.format != Bundle.name)
