"""Operations on imports: sending a file, what became of it."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from datasets.importers import import_jobs
from datasets.models import ImportJob
from datasets.states import ImportState
from datasets.tasks import carry_out_import
from leases.enqueue import send_on_commit
from leases.rows import first_of
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import choice, moment, text


class ImportReportOut(serializers.Serializer[Any]):
    """`added` of the `records` are new in the collection, and `already_there` were not.

    `repeated`: [record, the earlier one that it equals] from 1, the first hundred. `deviations`: how many there are of
    each kind. `part` and `how_it_comes_out` are for records of a protocol: how an export differs from the file.
    `reported`: what of a file of Label Studio became no part of a record, and how often.
    """

    records = serializers.IntegerField()
    questions = serializers.IntegerField()
    added = serializers.IntegerField()
    already_there = serializers.IntegerField()
    repeated = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    )
    deviating_records = serializers.IntegerField()
    deviations = serializers.DictField(child=serializers.IntegerField())
    part = serializers.CharField(allow_blank=True)
    how_it_comes_out = serializers.CharField(allow_blank=True)
    reported = serializers.ListField(child=serializers.CharField())


class ImportOut(serializers.ModelSerializer[ImportJob]):
    """It is over when `state` is done, with a `report`, or failed, with an `error` and the file's `problems`."""

    report = ImportReportOut(allow_null=True)
    problems = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = ImportJob
        fields = (
            "id", "collection", "format", "part", "file_name", "bytes", "sha256", "state", "report", "error",
            "problems", "created_at", "finished_at",
        )  # fmt: skip


class ImportIn(serializers.Serializer[Any]):
    """`collection`: a new name makes a new one. `format`: wikicontradict, label-studio, complete-json, or the name of
    an installed protocol. Of several annotations of a task in Label Studio the latest is taken.

    `part`: of a data set with a file for each level or the like, where the file's name does not say it.
    """

    collection = serializers.CharField(max_length=80)
    format = serializers.CharField(max_length=80)
    part = serializers.CharField(max_length=200, allow_blank=True, default="")
    file = serializers.FileField(allow_empty_file=True)


@operation(
    "GET", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=ImportOut, listed=True,
    parameters=(
        choice("state", ImportState, "state"), text("collection", "collection", "Its name.", longest=80),
        moment("changed_since", "created_at__gte", "Sent at this moment or later."),
    ),
)  # fmt: skip
def imports_list(request: Request) -> Response:
    """The files that one has sent, newest first."""
    return rows_page(request, _own(request), ImportOut, order=("-pk",))


@operation(
    "POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), takes=ImportIn, answers=ImportOut, status=202, upload=True,
    once=True, counts="imports", refusals=(404,),
)  # fmt: skip
def imports_start(request: Request, sent: dict[str, Any]) -> ImportJob:
    """Send a file of records. A worker imports all of it or nothing; read the import to see when it is over."""
    person = person_of(request)
    job = import_jobs.begin(
        file=sent["file"],
        collection_name=sent["collection"],
        format=sent["format"],
        part=sent["part"],
        by=person,
    )
    send_on_commit(carry_out_import, job.pk)
    return job


@operation("GET", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=ImportOut)
def imports_read(request: Request, key: int) -> ImportJob:
    """An import that one has started: its state, and what came of it."""
    return first_of(_own(request).filter(pk=key), f"There is no import {key} of yours.")


def _own(request: Request) -> QuerySet[ImportJob]:
    return ImportJob.objects.filter(created_by=person_of(request))
