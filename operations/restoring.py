"""Restore a backup into an empty installation: verified first, all or nothing, compared afterwards."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.models import F

from accounts.audit import AuditKind, record
from annotation.states import EDITABLE
from datasets.models import Publication, Release
from datasets.releasing.verifying import sha256_of_rows
from evaluation.models import ReportSnapshot
from leases.planner import learn_sizes
from leases.refusal import Conflict, Refusal
from operations.bundle import BadBundle, Bundle, RowsPart
from operations.databases import DEFAULT
from operations.entrants import Entrants, entrants
from operations.exclusive import exclusive_access
from operations.folder import kept_files, unknown_entries
from operations.schema_version import (
    bring_to,
    bring_up_to_date,
    check_known,
    shortened,
    unknown,
)
from operations.serialization import (
    WRONG_KIND,
    SerializedTable,
    first_with_rows,
    set_last_key,
    sums,
    tables,
)
from operations.signing import FOREIGN, is_ours
from operations.unpacking import Unpacked

# Open browser tabs may know versions and keys from after the backup. These must not be used again: with a reused
# version an old tab could overwrite a newer draft, with a reused key it could change another row.
LEAP = 100_000
MAKE_WELL = "Make room, or whatever else is missing, and begin again."


@dataclass(frozen=True)
class Restored:
    """The numbers of restored and compared rows, tables and files, and of releases with an unchanged hash."""

    rows: int
    tables: int
    files: int
    releases: int


def verified(path: Path) -> tuple[Bundle, bool]:
    """The backup at `path` with all its parts verified, and whether this installation's key signed it.

    Raises BadBundle. Nothing is written.
    """
    bundle = Bundle(path)
    ours = is_ours(bundle.manifest)
    if newer := unknown(bundle.migrations):
        raise BadBundle(
            f"{path} was made by a newer version of Sic et Non ({bundle.app_version}): this one does not know "
            f"{shortened(newer)}. Restore it with that version or a later one."
        )
    bundle.verify()
    return bundle, ours


def restore(path: Path, *, confirm: Callable[[Entrants], None] | None = None) -> Restored:
    """Restore the backup. Raises Refusal, whose sentence says what was restored, mostly nothing.

    A backup that another key signed, or none, is restored only with `confirm`. It is called with those whom the backup
    lets in before anything is written, and raises to stop.
    """
    bundle, ours = verified(path)
    with closing(bundle):
        if not ours:
            if confirm is None:
                raise BadBundle(f"{path} is not restored. {FOREIGN}")
            confirm(entrants(bundle))
        try:
            with exclusive_access(DEFAULT), Unpacked(bundle) as files:
                put(bundle, files)
                settled = files.settle()
                finish(bundle, ours, settled)
        except OSError as error:
            raise Refusal(
                f"Nothing was restored: {error.strerror or error} ({error.filename or settings.DATA_DIR}). {MAKE_WELL}",
                status=507,
            ) from error
        rows = sum(part.rows for part in bundle.tables)
        return Restored(rows, len(bundle.tables), len(bundle.files), check_releases())


def put(bundle: Bundle, files: Unpacked) -> None:
    """Rows and files in one transaction. Raises Refusal."""
    try:
        check_place()
        files.unpack()
        models = bring_to(bundle.migrations, DEFAULT)
        with transaction.atomic():
            check_no_rows(models)
            put_rows(bundle, models)
            leap(bundle, models)
            files.put()
    except DatabaseError as error:
        raise Refusal(
            f"The database failed: {one_line(error)}. Nothing was restored. {MAKE_WELL}", status=507
        ) from error


def finish(bundle: Bundle, ours: bool, settled: bool) -> None:
    """Bring the tables up to date. Raises Refusal, which says whether rows and files stay."""
    try:
        bring_up_to_date(DEFAULT)
        learn_sizes()
        whose = "" if ours else ", of another installation"
        record(AuditKind.RESTORE, None, f"a backup made {bundle.made_at}{whose}")
    except DatabaseError as error:
        stays = f"Nothing was restored. {MAKE_WELL}"
        if settled:
            stays = "Rows and files are restored. Make room, then run python manage.py migrate."
        raise Refusal(f"The database failed: {one_line(error)}. {stays}", status=507) from error


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())


# ------------------------------------------------------------ the place


def check_place() -> None:
    """Raise Conflict unless DATA_DIR has no files of people's work and the database no rows."""
    files = (str(path.relative_to(settings.DATA_DIR)) for path in kept_files())
    if name := next(chain(files, unknown_entries()), ""):
        raise Conflict(
            f"{settings.DATA_DIR} holds files already, such as {name}. Give an "
            "empty DATA_DIR, or move what is in this one away."
        )
    try:
        connections[DEFAULT].ensure_connection()
    except DatabaseError as error:
        raise Refusal(
            f"The database cannot be reached: {one_line(error)}. Nothing was restored. See DATABASE_URL."
        ) from error
    check_known()
    check_no_rows(apps, only_existing=True)


def check_no_rows(models: Apps, *, only_existing: bool = False) -> None:
    existing = set(connections[DEFAULT].introspection.table_names())
    of = [
        table
        for table in tables(models)
        if not only_existing or table.model._meta.db_table in existing
    ]
    if filled := first_with_rows(DEFAULT, of):
        raise Conflict(
            f"The database holds rows already (in {filled}). A restore never mixes or overwrites: give an empty "
            "database in DATABASE_URL, or an empty DATA_DIR where the database is in it."
        )


# ------------------------------------------------------------ rows


def put_rows(bundle: Bundle, models: Apps) -> None:
    """Insert all rows and compare their checksums with the backup's. Call in a transaction."""
    written = {}
    try:
        known = {table.name for table in tables(models)}
        if foreign := {part.table for part in bundle.tables} - known:
            raise LookupError(f"no backup holds rows of {min(foreign)}")
        for part in bundle.tables:
            table = written[part.table] = table_of(part, models)
            table.write(bundle.rows(part), DEFAULT)
        connections[DEFAULT].check_constraints()
        checksums = sums(DEFAULT, written.values())
    except (IntegrityError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise BadBundle(
            f"The rows of {bundle.path} do not fit together ({one_line(error)}). Nothing was restored; take an older "
            "backup."
        ) from error
    for part in bundle.tables:
        if (checksums[part.table].rows, checksums[part.table].hash) != (part.rows, part.checksum):
            raise BadBundle(
                f"{part.table} does not read as it was written. Nothing was restored. Please report this."
            )


def table_of(part: RowsPart, models: Apps) -> SerializedTable:
    model = models.get_model(part.table)
    # Models of old migrations have another order of columns.
    table = SerializedTable(model, tuple(part.columns))
    if set(part.columns) != {field.attname for field in model._meta.concrete_fields}:
        raise LookupError(f"{part.table} has other columns")
    return table


def check_releases() -> int:
    """The number of releases. Raises Refusal if a release's file has another hash than when it was made."""
    checked = 0
    for release in Release.objects.select_related("collection__protocol"):
        try:
            now = sha256_of_rows(release)
        except (*WRONG_KIND, LookupError):
            now = ""  # rows that nobody could have entered
        if now != release.sha256:
            raise Refusal(
                f"Everything was restored, but the release {release} has another hash than it had when it was made. "
                "Compare it with the published file before it is cited."
            )
        checked += 1
    return checked


def public_again() -> list[str]:
    """What is read without signing in now: a backup does not know what was withdrawn after it."""
    releases = Publication.objects.filter(withdrawn_at=None).select_related("release__collection")
    reports = ReportSnapshot.objects.filter(public=True).select_related("study")
    return [
        *(f"release {row.version} of {row.release.collection.name}" for row in releases),
        *(f"report {row.pk} of {row.study.name}" for row in reports),
    ]


def leap(bundle: Bundle, models: Apps) -> None:
    """Raise the next keys and the drafts' versions above all that were used after the backup. Raises BadBundle."""
    for part in bundle.tables:
        set_last_key(DEFAULT, table_of(part, models), part.last_key + LEAP)
    try:
        annotations = models.get_model("annotation", "Annotation")._base_manager
    except LookupError:
        raise BadBundle(
            f"{bundle.path} is from before there were annotations. Take another."
        ) from None
    drafts = annotations.filter(state__in=EDITABLE)
    drafts.update(version=F("version") + LEAP)
