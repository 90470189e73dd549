"""Restore a backup into an empty installation: verified first, all or nothing, compared afterwards."""

import os
import shutil
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.models import F

from accounts.audit import Kind, record
from annotation.states import EDITABLE
from datasets.exporters import EXPORTERS
from datasets.exporting import sha256_of
from datasets.models import Release
from datasets.releases import HASHED, released_rows
from leases.planner import learn_sizes
from leases.refusal import Conflict, Refusal
from operations.bundle import BadBundle, Bundle, RowsPart
from operations.databases import DEFAULT
from operations.exclusive import exclusive_access
from operations.folder import kept_files, unknown_entries
from operations.schema_version import (
    BRIDGE,
    bring_to,
    bring_up_to_date,
    check_known,
    shortened,
    too_old,
    unknown,
)
from operations.serialization import Table, first_with_rows, set_last_key, sums, tables
from operations.signing import is_ours

# Open browser tabs may know versions and keys from after the backup. These must not be used again: with a reused
# version an old tab could overwrite a newer draft, with a reused key it could change another row.
LEAP = 100_000


@dataclass(frozen=True)
class Restored:
    """The numbers of restored and compared rows, tables and files, and of releases with an unchanged hash.

    is_ours: whether this installation signed the backup.
    """

    rows: int
    tables: int
    files: int
    releases: int
    is_ours: bool


def verified(path: Path) -> Bundle:
    """The backup at `path`, with all its parts verified. Raises BadBundle."""
    bundle = Bundle(path)
    if newer := unknown(bundle.migrations):
        raise BadBundle(
            f"{path} was made by a newer version of Sic et Non ({bundle.app_version}): this one does not know "
            f"{shortened(newer)}. Restore it with that version or a later one."
        )
    if older := too_old(bundle.migrations):
        raise BadBundle(
            f"{path} was made by a version of Sic et Non ({bundle.app_version}) from before {shortened(older)}. "
            f"Restore it with {BRIDGE}, and make a backup with that."
        )
    bundle.verify()
    return bundle


def restore(path: Path) -> Restored:
    """Restore the backup. Raises Refusal, whose sentence says what was restored, mostly nothing."""
    with closing(verified(path)) as bundle, exclusive_access(DEFAULT):
        check_place()
        with UnpackedFiles(bundle) as files:
            models = bring_to(bundle.migrations, DEFAULT)
            try:
                with transaction.atomic():
                    check_no_rows(models)
                    put_rows(bundle, models)
                    leap(bundle, models)
                    files.put()
            except DatabaseError as error:
                raise Refusal(
                    f"The database failed: {str(error).strip()}. Nothing was restored; make it well and begin again.",
                    status=507,
                ) from error
        bring_up_to_date(DEFAULT)
        learn_sizes()
        record(Kind.RESTORE, None, f"a backup made {bundle.made_at}")
        rows, ours = sum(part.rows for part in bundle.tables), is_ours(bundle.manifest)
        return Restored(rows, len(bundle.tables), len(bundle.files), check_releases(), ours)


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
        raise Refusal(f"The database cannot be reached: {error}. See DATABASE_URL.") from error
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
    except (IntegrityError, LookupError, TypeError, ValueError) as error:
        raise BadBundle(
            f"The rows of {bundle.path} do not fit together ({error}). Nothing was restored; take an older backup."
        ) from error
    checksums = sums(DEFAULT, written.values())
    for part in bundle.tables:
        if (checksums[part.table].rows, checksums[part.table].hash) != (part.rows, part.checksum):
            raise BadBundle(
                f"{part.table} does not read as it was written. Nothing was restored. Please report this."
            )


def table_of(part: RowsPart, models: Apps) -> Table:
    model = models.get_model(part.table)
    # Models of old migrations have another order of columns.
    table = Table(model, tuple(part.columns))
    if set(part.columns) != {field.attname for field in model._meta.concrete_fields}:
        raise LookupError(f"{part.table} has other columns")
    return table


def check_releases() -> int:
    """The number of releases. Raises Refusal if a release's file has another hash than when it was made."""
    checked = 0
    for release in Release.objects.select_related("collection"):
        if sha256_of(EXPORTERS[HASHED], released_rows(release)) != release.sha256:
            raise Refusal(
                f"Everything was restored, but the release {release} has another hash than it had when it was made. "
                "Compare it with the published file before it is cited."
            )
        checked += 1
    return checked


def leap(bundle: Bundle, models: Apps) -> None:
    """Raise the next keys and the drafts' versions above all that were used after the backup."""
    for part in bundle.tables:
        set_last_key(DEFAULT, table_of(part, models), part.last_key + LEAP)
    drafts = models.get_model("annotation", "Annotation")._base_manager.filter(state__in=EDITABLE)
    drafts.update(version=F("version") + LEAP)


# ------------------------------------------------------------ files


class UnpackedFiles:
    """The backup's files in a temporary folder, moved to their places after the rows; removed if that fails."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.temporary = Path(settings.DATA_DIR) / ".restoring"
        self.moved: list[Path] = []

    def __enter__(self) -> "UnpackedFiles":
        shutil.rmtree(self.temporary, ignore_errors=True)  # of a restore that was killed
        try:
            for part in self.bundle.files:
                path = self.temporary / part.name
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with path.open("wb") as file:
                    for piece in self.bundle.pieces(part.name):
                        file.write(piece)
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            self.__exit__()
            raise self._refused(error) from error
        return self

    def put(self) -> None:
        """Move the files to their places. A folder of DATA_DIR may be a separate volume, which may be full."""
        try:
            for part in self.bundle.files:
                place = Path(settings.DATA_DIR) / part.name.removeprefix("files/")
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self.moved.append(place)
                shutil.move(self.temporary / part.name, place)
        except OSError as error:
            raise self._refused(error) from error

    def _refused(self, error: OSError) -> Refusal:
        return Refusal(
            f"Nothing was restored: {error.strerror} ({error.filename or self.temporary}). Make room and begin again.",
            status=507,
        )

    def __exit__(self, kind: type[BaseException] | None = None, *problem: object) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)
        if kind is not None:
            for place in self.moved:
                place.unlink(missing_ok=True)
