"""Operations on imports: sending a file, confirming, discarding and undoing it, what became of it."""

from functools import partial
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from datasets.importers import import_jobs
from datasets.importers.csv_files.choices import settled
from datasets.importers.import_jobs import import_of, imports_of
from datasets.importers.import_kinds import shown_to
from datasets.importers.record_imports import RecordImports
from datasets.models import ImportJob, Release
from datasets.states import ImportState
from datasets.tasks import carry_out_import
from leases.enqueue import send_on_commit
from leases.refusal import Refusal
from leases.rows import first_of
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import choice, moment, text


class ImportOut(serializers.ModelSerializer[ImportJob]):
    """It is over when `state` is done, with a `report`, or failed, with an `error` and the file's `problems`; or
    discarded, expired, undone. A checked one has the `report` of what an import would do, and waits for its sender;
    with an empty report it waits for the columns of a CSV file.

    The report of records: of so many `records` and `questions`, `added` are new in the collection, and `already_there`
    were not. `repeated`: [record, the earlier one that it equals] from 1, the first hundred of `repeated_records`.
    `deviations`: how many there are of each kind, and in how many `deviating_records`. `part`: of a data set with
    several files. `how_it_comes_out`: how an export differs from the file, for CSV and records of a protocol.
    `reported`: what of a CSV file or one of Label Studio became no part of a record, and how often. Of Label Studio,
    `controls`: each with its `key` in the record, or which one is `proposed`, and an `example` of what it has;
    `annotators`: how many annotations each has; `by_annotator`: the ids of the imports into which a check was parted. A
    file that is refused as long as its controls have other names is checked, also where it was to be imported, with a
    report of `refused`, `problems` and `controls`: send it again with names.

    The report of responses: so many `responses`, to so many `questions` and to these `prompts`. `models`: each with its
    `options` and the number of its `responses`. So many are `not_verified` (`without_sha256`, or with `other_sha256`),
    `held` as their text may have markup, `empty`, or `aborted` by the service. `earlier_runs`: the ids of those made
    of the same file. To who judges or resolves its responses meanwhile, a run is not listed there, and its name in
    `options` is hidden.
    """

    options = serializers.DictField()
    report = serializers.DictField(allow_null=True)
    problems = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = ImportJob
        fields = (
            "id", "kind", "collection", "format", "part", "options", "file_name", "bytes", "sha256", "is_confirmed",
            "done_bytes", "state", "report", "error", "problems", "created_at", "finished_at",
        )  # fmt: skip


class ImportIn(serializers.Serializer[Any]):
    """`collection`: a new name makes a new one. `format`: wikicontradict, label-studio, complete-json, csv, or the
    name of an installed protocol. Of several annotations of a task in Label Studio the latest is taken, unless
    `options` say {"taken": "ground-truth"} or {"taken": "annotator", "annotator": its number, e-mail address or
    pseudonym}; for a collection of each annotator, send the file for each. {"names": {"a control": "a key of the
    record"}} are for controls, and data of tasks, that have another name than the study's.

    Of a CSV file `options` may have `columns`, an object with the field of each column ("" for none), and `delimiter`:
    comma, semicolon or tab. Without them the names of its columns say it. Where they do not, the answer is 400, whose
    `details` have the `columns` as proposed, what is `missing`, and all `fields`.

    `part`: of a data set with a file for each level or the like, where the file's name does not say it. With `dry_run`
    the file is only checked, and imported once that is confirmed.

    With `kind` responses the file has responses made elsewhere, to the prompts of a release: `release` is its id, or
    `collection` names its collection and `options` its version, {"release": "1.0"}. There is no `format`. They become a
    run, named by `options` {"name": …}.
    """

    kind = serializers.CharField(max_length=40, default="records")
    release = serializers.IntegerField(
        min_value=1, max_value=2**63 - 1, default=None, allow_null=True
    )
    collection = serializers.CharField(max_length=80, default="", allow_blank=True)
    format = serializers.CharField(max_length=80, default="", allow_blank=True)
    part = serializers.CharField(max_length=200, allow_blank=True, default="")
    options = serializers.JSONField(default=dict)
    dry_run = serializers.BooleanField(default=False)
    file = serializers.FileField(allow_empty_file=True)


@operation(
    "GET", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=ImportOut, listed=True, etag=True,
    parameters=(
        choice("state", ImportState, "state"), text("collection", "collection", "Its name.", longest=80),
        moment("changed_since", "created_at__gte", "Sent at this moment or later."),
    ),
)  # fmt: skip
def imports_list(request: Request) -> Response:
    """The files that one has sent, newest first."""
    person = person_of(request)
    shown = partial(shown_to, person)
    return rows_page(request, imports_of(person), ImportOut, order=("-pk",), shown=shown)


@operation(
    "POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), takes=ImportIn, answers=ImportOut, status=202, upload=True,
    once=True, counts="imports", refusals=(404, 409),
)  # fmt: skip
def imports_start(request: Request, sent: dict[str, Any]) -> ImportJob:
    """Send a file. A worker imports all of it or nothing; read the import to see when it is over.

    While you import the same file, of that name, into the same collection, the answer is that import; while somebody
    else does, it is 409.
    """
    name, options = sent["collection"], sent["options"]
    if not isinstance(options, dict):
        raise Refusal("options is a JSON object.")
    if (key := sent["release"]) is not None:
        release = first_of(Release.objects.filter(pk=key), f"There is no release {key}.")
        name, options = release.collection.name, {**options, "release": release.version}
    asked = {"collection_name": name, "format": sent["format"], "part": sent["part"]}
    file = sent["file"]
    if sent["kind"] == RecordImports.name:
        options = settled(file, file_name=file.name, options=options, **asked)
    job = import_jobs.begin(
        file=file,
        kind=sent["kind"],
        **asked,
        options=options,
        is_confirmed=not sent["dry_run"],
        by=person_of(request),
    )
    send_on_commit(carry_out_import, job.pk)
    return _shown(request, job)


@operation("GET", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=ImportOut, etag=True)
def imports_read(request: Request, key: int) -> ImportJob:
    """An import that one has started: its state, and what came of it."""
    return _shown(request, import_of(person_of(request), key))


@operation(
    "POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=ImportOut, status=202, refusals=(409,)
)  # fmt: skip
def imports_confirm(request: Request, key: int) -> ImportJob:
    """Import a file that was checked."""
    job = import_of(person_of(request), key)
    import_jobs.confirm(job)
    send_on_commit(carry_out_import, job.pk)
    return _shown(request, job)


@operation("POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=ImportOut, refusals=(409,))
def imports_discard(request: Request, key: int) -> ImportJob:
    """Remove a file that is not imported yet."""
    job = import_of(person_of(request), key)
    import_jobs.discard(job)
    return _shown(request, job)


@operation("POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), answers=ImportOut, refusals=(409,))
def imports_undo(request: Request, key: int) -> ImportJob:
    """Take back what an import has added. While something uses it, the refusal names that and changes nothing."""
    job = import_of(person_of(request), key)
    import_jobs.undo(job, person_of(request))
    return _shown(request, job)


def _shown(request: Request, job: ImportJob) -> ImportJob:
    """The job with what of its report its reader may see now."""
    shown_to(person_of(request), [job])
    return job
