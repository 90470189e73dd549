"""Restoring a backup into an empty place: checked first, all or nothing, compared afterwards."""

import os
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.models import F

from annotation.workflow import EDITABLE
from datasets.exporters import EXPORTERS
from datasets.exporting import sha256_of
from datasets.models import Release
from datasets.releases import HASHED, released_rows
from leases.refusal import Conflict, Refusal
from operations.bundle import BadBundle, Bundle, RowsPart
from operations.databases import DEFAULT
from operations.folder import kept_files
from operations.rows import Table, first_with_rows, set_last_key, sums, tables
from operations.schema import bring_to, bring_up_to_date, check_not_newer, said, unknown
from operations.stopped import nobody_else

# What browsers may still hold was numbered after the backup. No number that they can hold is given out again: a
# version would let an old tab overwrite a newer draft, a key would let it speak of another row.
LEAP = 100_000


@dataclass(frozen=True)
class Restored:
    """What was restored, after it was read back: rows and files, and the releases whose files are as they were."""

    rows: int
    tables: int
    files: int
    releases: int


def verified(path: Path) -> Bundle:
    """The backup at `path`, every part of it read. Raises BadBundle."""
    bundle = Bundle(path)
    if newer := unknown(bundle.migrations):
        raise BadBundle(
            f"{path} was made by a newer version of Sic et Non ({bundle.app_version}): this one does not know "
            f"{said(newer)}. Restore it with that version or a later one."
        )
    bundle.verify()
    return bundle


def restore(path: Path) -> Restored:
    """Put back what the backup holds. Raises Refusal, then nothing was written; or says what was not."""
    with closing(verified(path)) as bundle, nobody_else(DEFAULT):
        check_place()
        with unpacked(bundle) as files:
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
        rows = sum(part.rows for part in bundle.tables)
        return Restored(rows, len(bundle.tables), len(bundle.files), check_releases())


# ------------------------------------------------------------ the place


def check_place() -> None:
    """Raise Conflict unless DATA_DIR holds no work and the database no row."""
    there = next(kept_files(), None)
    if there is not None:
        raise Conflict(
            f"{settings.DATA_DIR} holds files already, such as {there.relative_to(settings.DATA_DIR)}. Give an "
            "empty DATA_DIR, or move what is in this one away."
        )
    try:
        connections[DEFAULT].ensure_connection()
    except DatabaseError as error:
        raise Refusal(f"The database cannot be reached: {error}. See DATABASE_URL.") from error
    check_not_newer()
    check_no_rows(apps, only_existing=True)


def check_no_rows(models: Apps, *, only_existing: bool = False) -> None:
    existing = set(connections[DEFAULT].introspection.table_names())
    of = [
        table
        for table in tables(models)
        if not only_existing or table.model._meta.db_table in existing
    ]
    if found := first_with_rows(DEFAULT, of):
        raise Conflict(
            f"The database holds rows already (in {found}). A restore never mixes or overwrites: give an empty "
            "database in DATABASE_URL, or an empty DATA_DIR where the database is in it."
        )


# ------------------------------------------------------------ rows


def put_rows(bundle: Bundle, models: Apps) -> None:
    """Insert all rows and compare what was written with what the backup says. Call in a transaction."""
    written = {}
    try:
        for part in bundle.tables:
            table = written[part.table] = table_of(part, models)
            table.write(bundle.rows(part), DEFAULT)
        connections[DEFAULT].check_constraints()
    except (IntegrityError, LookupError, TypeError, ValueError) as error:
        raise BadBundle(
            f"The rows of {bundle.path} do not fit together ({error}). Nothing was restored; take an older backup."
        ) from error
    found = sums(DEFAULT, written.values())
    for part in bundle.tables:
        if (found[part.table].rows, found[part.table].hash) != (part.rows, part.said):
            raise BadBundle(
                f"{part.table} does not read as it was written. Nothing was restored. Please report this."
            )


def table_of(part: RowsPart, models: Apps) -> Table:
    model = models.get_model(part.table)
    table = Table(model, tuple(part.columns))  # a model of the past has its keys last
    if set(part.columns) != {field.attname for field in model._meta.concrete_fields}:
        raise LookupError(f"{part.table} has other columns")
    return table


def check_releases() -> int:
    """How many releases there are; raises Refusal where one's rows no longer make the file that was cited."""
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
    """Number what comes from here on above all that was numbered after the backup."""
    for part in bundle.tables:
        set_last_key(DEFAULT, table_of(part, models), part.last_key + LEAP)
    drafts = models.get_model("annotation", "Annotation")._base_manager.filter(state__in=EDITABLE)
    drafts.update(version=F("version") + LEAP)


# ------------------------------------------------------------ files


class unpacked:
    """The backup's files, written beside their places and put there when the rows stand; away again if they fall."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.beside = Path(settings.DATA_DIR) / ".restoring"
        self.there: list[Path] = []

    def __enter__(self) -> "unpacked":
        shutil.rmtree(self.beside, ignore_errors=True)  # what one that was killed has left
        try:
            for part in self.bundle.files:
                path = self.beside / part.name
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
        """Into their places; a folder of DATA_DIR may be a volume of its own, and that one be full."""
        try:
            for part in self.bundle.files:
                place = Path(settings.DATA_DIR) / part.name.removeprefix("files/")
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self.there.append(place)
                shutil.move(self.beside / part.name, place)
        except OSError as error:
            raise self._refused(error) from error

    def _refused(self, error: OSError) -> Refusal:
        return Refusal(
            f"Nothing was restored: {error.strerror} ({error.filename or self.beside}). Make room and begin again.",
            status=507,
        )

    def __exit__(self, kind: type[BaseException] | None = None, *problem: object) -> None:
        shutil.rmtree(self.beside, ignore_errors=True)
        if kind is not None:
            for place in self.there:
                place.unlink(missing_ok=True)
