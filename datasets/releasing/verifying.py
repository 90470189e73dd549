"""Whether the files and rows of a release are those that were frozen."""

import hashlib
from collections.abc import Iterator

from datasets.exporters import Exporter, exporters_of, hashed
from datasets.models import Release
from datasets.releasing import stored_files
from datasets.releasing.freezing import released_rows
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
    withheld, files = why_withheld(release), release.files.all()
    if not withheld and not files:
        yield "It has no stored files. Freeze a new version of it."
    for file in () if withheld else files:
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
