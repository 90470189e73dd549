"""Releases: frozen versions of a collection that a paper can cite."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from datasets.models.collections import Collection
from datasets.models.records import Contradiction, Instance

PERSON = settings.AUTH_USER_MODEL


class Release(models.Model):
    """A frozen version of a collection: which contradictions, in which order, with the hash of the file."""

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    notes = models.TextField(blank=True)
    about = models.JSONField(
        default=dict,
        editable=False,
        help_text="What the collection said of itself when it was frozen (describing.COLUMNS).",
    )
    head = models.TextField(
        blank=True,
        editable=False,
        help_text="First line of its complete form: what the collection says and keeps of files may change.",
    )
    doi = models.CharField(max_length=200, blank=True)
    sha256 = models.CharField(max_length=64)
    app_version = models.CharField(max_length=20, blank=True)
    created_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    files_deleted_at = models.DateTimeField(
        null=True, editable=False, help_text="When the files of a withheld release were deleted."
    )
    files_deleted_by = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )

    class Meta:
        ordering = ["collection", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "version"], name="release_version_once_a_collection"
            )
        ]

    def __str__(self) -> str:
        return f"{self.collection.name} {self.version}"


class ReleaseFile(models.Model):
    """A file of a release, whose bytes lie in the data folder under their sha256 (releasing/stored_files.py)."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="files")
    format = models.CharField(max_length=80, help_text="The name of its exporter.")
    name = models.CharField(max_length=200)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True)

    class Meta:
        ordering = ["release", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["release", "format"], name="release_format_once"),
            models.UniqueConstraint(fields=["release", "name"], name="release_file_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Erratum(models.Model):
    """What was found wrong in a release after it was frozen; its files stay as they are."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="errata")
    text = models.TextField()
    added_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    added_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["release", "pk"]
        verbose_name_plural = "errata"

    def __str__(self) -> str:
        return f"{self.release}: {self.text[:40]}"


class Publication(models.Model):
    """An address at which a release is read without signing in. Once withdrawn it says so, and why."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="publications")
    token = models.CharField(
        max_length=80,
        help_text="The part of the address before the version: a chosen name, or random.",
    )
    version = models.CharField(max_length=40, help_text="The release's, as it is in the address.")
    is_named = models.BooleanField(default=False)
    published_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(db_default=Now())
    withdrawn_by = models.ForeignKey(PERSON, on_delete=models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True, help_text="Why it was withdrawn; its address shows it.")

    class Meta:
        ordering = ["release", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["release"],
                condition=Q(withdrawn_at=None),
                name="release_published_once_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["token", "version"],
                condition=Q(withdrawn_at=None),
                name="address_of_one_published_release",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None, withdrawn_by=None, reason="")
                | (Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False) & ~Q(reason="")),
                name="publication_withdrawn_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release} at an address"


class PublishedName(models.Model):
    """A chosen name in the addresses of a collection's releases: this collection's for good, also once withdrawn."""

    name = models.CharField(max_length=60, unique=True)
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class WithheldRecord(models.Model):
    """A record whose text is given out no more: no file of a release that holds it is served."""

    class Why(models.TextChoices):
        HIDDEN = "hidden", "its wiki has hidden the text"
        NAMED = "named", "a comment names a person who was forgotten"

    contradiction = models.OneToOneField(
        Contradiction, on_delete=models.CASCADE, related_name="withheld"
    )
    why = models.CharField(max_length=10, choices=Why.choices)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(why__in=["hidden", "named"]), name="record_withheld_for_a_known_reason"
            )
        ]

    def __str__(self) -> str:
        return f"{self.contradiction}: {self.why}"


class ReleaseRow(models.Model):
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="rows")
    contradiction = models.ForeignKey(Contradiction, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="release_position_once"),
            models.UniqueConstraint(fields=["release", "contradiction"], name="release_row_once"),
        ]

    def __str__(self) -> str:
        return f"{self.release} #{self.position}"


class ReleaseExclusion(models.Model):
    """A question that a release leaves out, with the reason at that time."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="left_out")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()

    class Meta:
        ordering = ["release", "instance__contradiction__position", "instance__n"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "instance"], name="question_left_out_once_a_release"
            )
        ]

    def __str__(self) -> str:
        return f"{self.release} without {self.instance}"
