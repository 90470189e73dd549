"""Whether the files and rows of a release are those that were frozen, and the files of releases that have none yet."""

import hashlib
from collections.abc import Iterator
from functools import partial

from django.db import transaction

from datasets.exporters import Exporter, exporters_of, hashed
from datasets.models import Release, ReleaseFile
from datasets.records import locked
from datasets.releasing import stored_files
from datasets.releasing.bundle.writing import Bundle, stored_bundle
from datasets.releasing.freezing import named_file, released_rows
from datasets.releasing.stored_files import FileDamaged
from datasets.releasing.withholding import why_withheld


def sha256_of_rows(release: Release, exporter: Exporter | None = None) -> str:
    """The sha256 of a file as the release's rows give it now; of its records file, unless another is named."""
    digest = hashlib.sha256()
    for text in (exporter or hashed(release.collection, release.head)).chunks(
        released_rows(release)
    ):
        digest.update(text.encode("utf-8"))
    return digest.hexdigest()


def problems(release: Release) -> Iterator[str]:
    """A sentence for each difference between what was frozen and what is there; none: all is as it was."""
    withheld = why_withheld(release)
    files = [] if withheld else list(release.files.all())
    if not files and not withheld:
        yield "Its files are not stored. manage.py verify_release --write makes them."
    for file in files:
        try:
            stored_files.check(file)
        except FileDamaged as damaged:
            yield str(damaged)
    if sha256_of_rows(release) != release.sha256:
        yield "Its rows give another records file than the one whose sha256 it has."


def differences(release: Release) -> Iterator[str]:
    """A sentence for each further file that the rows give otherwise now, as after a link between two records.

    And one where its files are withheld.
    """
    if reason := why_withheld(release):
        yield reason
        return
    known = exporters_of(release.collection, release.head)
    of_records = hashed(release.collection).name
    for file in release.files.all():
        other = known.get(file.format) if file.format != of_records else None
        if other and sha256_of_rows(release, other) != file.sha256:
            yield f"Its rows give another {file.name} now; the stored file is the one that was frozen."


def make_files(release: Release) -> list[ReleaseFile]:
    """Write the files of a release that has none, from its rows, and return them; [] where it has some.

    Also [] where its text is withheld.
    """
    if release.files.exists() or why_withheld(release):
        return []
    exporters = exporters_of(release.collection, release.head)
    made = [_made(release, exporter) for exporter in exporters.values()]
    made.append(_bundle(release, made))
    with transaction.atomic():
        locked(release.collection)
        if release.files.exists():
            return []
        for file in made:
            file.release = release
            file.save()
    return made


def _made(release: Release, exporter: Exporter) -> ReleaseFile:
    chunks = exporter.chunks(released_rows(release))
    stored = stored_files.store(text.encode("utf-8") for text in chunks)
    return named_file(release.collection, release.version, exporter, stored)


def _bundle(release: Release, files: list[ReleaseFile]) -> ReleaseFile:
    rows = partial(released_rows, release)
    stored = stored_bundle(release, rows, files, release.left_out.count())
    return named_file(release.collection, release.version, Bundle(), stored)
