"""Operations on releases: the list, one with its files, each file, and freezing one."""

from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.throttles import counted
from accounts.tokens.scopes import Scope
from datasets.api.collections import EXPORTERS, READERS, CreatorOut
from datasets.api.exports import FILES, ExportFormatOut, described_file
from datasets.blinding import keep_listed
from datasets.exclusions import left_out_for
from datasets.models import FreezeJob, Publication, Release
from datasets.records import collection_named
from datasets.releasing import freeze_jobs
from datasets.releasing.citing import bibtex, plain
from datasets.releasing.describing import doi_in
from datasets.releasing.freezing import VERSION, release_of
from datasets.releasing.names_found import NamesFound, names_in
from datasets.releasing.released import ShownFile, counts, shown_files, with_sizes
from datasets.releasing.withholding import why_withheld
from datasets.states import FreezeState
from datasets.views.freezing import frozen_or_begun
from datasets.views.releases import address_to_cite, publications_for, stored_file
from leases.refusal import Conflict
from pages.rest.lists import rows_page
from pages.rest.operations import operation

# The last is of a format that this version of the program does not write.
MEDIA = (*FILES, "application/octet-stream")
OF_RELEASE = ("version", "title", "notes", "doi", "sha256", "app_version", "created_at")


class ReleaseOut(serializers.ModelSerializer[Release]):
    """`sha256` is of the file of the records."""

    title = serializers.CharField(source="about.title", default="")
    records = serializers.IntegerField(source="size")

    class Meta:
        model = Release
        fields = (*OF_RELEASE, "records")


class ReleaseFileOut(ExportFormatOut):
    """A stored file; `url` gives its bytes, and its sha256 as ETag."""

    name = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class LeftOutQuestionOut(serializers.Serializer[Any]):
    question_id = serializers.IntegerField(source="instance_id")
    question = serializers.CharField(source="instance.question")
    reason = serializers.CharField()


class ReleaseErratumOut(serializers.Serializer[Any]):
    text = serializers.CharField()
    added_at = serializers.DateTimeField()


class ReleaseCountsOut(serializers.Serializer[Any]):
    """`invalid`: of the records, those of invalid tags."""

    records = serializers.IntegerField()
    invalid = serializers.IntegerField()
    questions = serializers.IntegerField()


class ReleaseAboutOut(serializers.Serializer[Any]):
    """What the collection said of itself; texts that an earlier version of the program did not ask for are empty."""

    title = serializers.CharField()
    description = serializers.CharField()
    creators = CreatorOut(many=True)
    licence = serializers.CharField()
    language = serializers.CharField()
    keywords = serializers.CharField(default="")
    funding = serializers.CharField()
    contact = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    source_title = serializers.CharField(default="")
    source_authors = CreatorOut(many=True, default=[])
    source_year = serializers.CharField(default="")
    source_citation = serializers.CharField()
    source_paper = serializers.CharField(default="")
    source_data = serializers.CharField(default="")
    annotated_by = serializers.CharField(default="")
    how_made = serializers.CharField(default="")
    limits = serializers.CharField(default="")
    biases = serializers.CharField(default="")
    personal_data = serializers.CharField(default="")


class PublicationOut(serializers.Serializer[Any]):
    """An address at which the release is read without signing in; once withdrawn it says why."""

    url = serializers.CharField()
    published_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()


class OneReleaseOut(serializers.ModelSerializer[Release]):
    """`left_out`: the excluded questions that it does not hold; `citation` and `bibtex` say how it is cited.

    `withheld`: why its files are given out no more, else empty. `publications` are for who may get its files.
    """

    title = serializers.CharField(source="about.title", default="")
    about = ReleaseAboutOut()
    counts = ReleaseCountsOut()
    left_out = LeftOutQuestionOut(many=True, source="left_out_shown")
    errata = ReleaseErratumOut(many=True, source="errata.all")
    files = ReleaseFileOut(many=True, source="shown_files")
    withheld = serializers.CharField()
    publications = PublicationOut(many=True, source="shown_publications")
    citation = serializers.CharField()
    bibtex = serializers.CharField()

    class Meta:
        model = Release
        fields = (
            *OF_RELEASE,
            "about",
            "counts",
            "left_out",
            "errata",
            "files",
            "withheld",
            "publications",
            "citation",
            "bibtex",
        )


class ReleaseIn(serializers.Serializer[Any]):
    """`version` can be given once and never changes.

    `doi`: one that an archive has reserved for this version; the files say it.
    `names_read`: as the refusal before has it, where comments may name somebody and you have read them.
    """

    version = serializers.RegexField(VERSION, max_length=40)
    notes = serializers.CharField(max_length=5_000, allow_blank=True, default="")
    doi = serializers.CharField(max_length=200, allow_blank=True, default="")
    names_read = serializers.CharField(max_length=64, allow_blank=True, default="")


class FreezeOut(serializers.Serializer[Any]):
    """The release is there when `state` is done. Before, `done` of `total` records are read, each once for a file."""

    version = serializers.CharField()
    state = serializers.ChoiceField(FreezeState.choices)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    error = serializers.CharField()


@operation("GET", scope=Scope.READ, roles=READERS, answers=ReleaseOut, listed=True, etag=True)
def releases_list(request: Request, name: str) -> Response:
    """The releases of a collection, newest first."""
    return rows_page(request, with_sizes(collection_named(name)), ReleaseOut, order=("-pk",))


@operation("GET", scope=Scope.READ, roles=READERS, answers=OneReleaseOut)
def releases_read(request: Request, name: str, version: str) -> Release:
    """A release: what it holds and leaves out, how it is cited, and its files with their hashes."""
    row, person = release_of(collection_named(name), version), person_of(request)
    publications = publications_for(request, row)
    address = address_to_cite(request, row, publications)
    left_out = list(left_out_for(person).filter(release=row))
    keep_listed(person, (one.instance.contradiction_id for one in left_out), request.path)
    shown: Any = row
    shown.counts, shown.left_out_shown = counts(row), left_out
    shown.shown_files = [_file(request, row, file) for file in shown_files(row)]
    shown.withheld = why_withheld(row)
    shown.shown_publications = [_publication(*each) for each in publications]
    shown.citation, shown.bibtex = plain(row, address), bibtex(row, address)
    return row


def _publication(row: Publication, address: str) -> dict[str, Any]:
    named = ("published_at", "withdrawn_at", "reason")
    return {"url": address, **{name: getattr(row, name) for name in named}}


def _file(request: Request, row: Release, shown: ShownFile) -> dict[str, Any]:
    file = shown.file
    args = [row.collection.name, row.version, file.format]
    return {
        "format": file.format,
        "name": file.name,
        "bytes": file.bytes,
        "sha256": file.sha256,
        **described_file(request, shown.exporter, reverse("datasets:api_release_file", args=args)),
    }


@operation(
    "GET", scope=Scope.EXPORT, roles=EXPORTERS, media=MEDIA, ranged=True, etag=True, refusals=(409, 410, 500)
)  # fmt: skip
@counted("downloads")
def release_files_read(request: Request, name: str, version: str, format: str) -> HttpResponseBase:
    """A file of a release, byte for byte as it was frozen; its ETag is its sha256."""
    return stored_file(request, release_of(collection_named(name), version), format)


@operation(
    "POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), takes=ReleaseIn, answers=FreezeOut, status=201, queues=True,
    refusals=(409,),
)  # fmt: skip
def releases_freeze(request: Request, name: str, sent: dict[str, Any]) -> Response:
    """Freeze the collection as it is now under a version, without its excluded questions.

    202: a worker freezes it, since it is large. Read the freeze to see when it is done.
    """
    collection, person = collection_named(name), person_of(request)
    names = names_in(collection, person)
    if names.digest != sent["names_read"]:
        keep_listed(person, {place.contradiction for place in names.places}, request.path)
        raise _names(names)
    asked = {"version": sent["version"], "notes": sent["notes"], "doi": doi_in(sent["doi"])}
    made = frozen_or_begun(collection, **asked, by=person)
    status = 202 if isinstance(made, FreezeJob) else 201
    return Response(FreezeOut(_freeze(made)).data, status=status)


@operation("GET", scope=Scope.READ, roles=READERS, answers=FreezeOut, etag=True)
def freezes_read(request: Request, name: str, version: str) -> dict[str, Any]:
    """How far the freeze of a large collection is."""
    return _freeze(freeze_jobs.job_of(collection_named(name), version))


def _freeze(made: Release | FreezeJob) -> dict[str, Any]:
    if isinstance(made, Release):
        return {
            "version": made.version,
            "state": FreezeState.DONE,
            "done": 0,
            "total": 0,
            "error": "",
        }
    return {name: getattr(made, name) for name in ("version", "state", "done", "total", "error")}


def _names(names: NamesFound) -> Conflict:
    places = [
        {
            "record": place.contradiction,
            "column": place.column,
            "text": "".join(piece.text for piece in place.pieces),
        }
        for place in names.places
    ]
    return Conflict(
        "Comments may name somebody. Read them in `details`, and send its `names_read` with the version to go on.",
        code="names_found",
        details={"names_read": names.digest, "places": places},
    )
