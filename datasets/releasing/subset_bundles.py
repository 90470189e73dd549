"""The bundle of a subset: that of a release, of its questions alone, and written anew for each download."""

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import IO

from django.conf import settings
from django.utils.text import slugify

from datasets.exporters import Exporter, exporters_of, hashed
from datasets.exporters.complete_json import head_of
from datasets.exporters.export_files import spooled_by
from datasets.models import Contradiction, Instance, Release, Subset
from datasets.releasing.bundle.writing import Bundle, FormatFile, Rows, write_bundle
from datasets.releasing.bundle.zipping import zip_into
from datasets.releasing.withholding import given_out
from datasets.streaming import streamed
from datasets.subsets import contradictions_of, described
from leases.refusal import Refusal
from pages.counting import how_many


def spooled_bundle(subset: Subset) -> tuple[IO[bytes], str]:
    """An open temporary file, and the name that it is given out by. Excluded and withheld questions are left out.

    Its moment is the one at which the subset was drawn, so that its bytes are the same while the description, the
    exclusions and the program are. Raises Refusal where no question is left, ExportFailed if there is no room.
    """
    kept = subset.instances.exclude(exclusion__excluded_by__isnull=False)
    kept = kept.filter(contradiction__withheld=None)
    number = kept.count()
    if not number:
        raise Refusal(
            "All questions of this subset are excluded or withheld. There is nothing to bundle."
        )
    release, rows = (
        _as_release(subset, number),
        _rows(subset, set(kept.values_list("pk", flat=True))),
    )
    exporters = exporters_of(subset.collection, release.head).values()
    formats = [
        FormatFile(of, _name(release, of.suffix), partial(_bytes, of, rows)) for of in exporters
    ]
    release.sha256 = _sha256(_bytes(hashed(subset.collection, release.head), rows))

    def write(file: IO[bytes]) -> None:
        with zip_into(file) as zipped:
            write_bundle(zipped, release, rows, formats, subset.frame - number, subset.name)

    return spooled_by(write), _name(release, Bundle.suffix)


def _as_release(subset: Subset, number: int) -> Release:
    """The subset as a release that is not stored."""
    collection = subset.collection
    told = collection.about
    name = " ".join(subset.name.split())
    about = {**told, "title": f"{told['title'] or collection.name}, subset {name}"}
    return Release(
        collection=collection,
        version=slugify(name) or "subset",
        about=about,
        head=head_of(collection, about),
        notes=(
            f"{how_many(number, 'question')} of the subset {name}: drawn with the seed {subset.seed} from "
            f"{subset.frame} that could be drawn ({described(subset)}, without excluded ones)."
        ),
        app_version=settings.VERSION,
        created_at=subset.created_at,
    )


def _rows(subset: Subset, kept: set[int]) -> Rows:
    # By their ids: PostgreSQL would compare whole records to name each once.
    records = given_out(Contradiction.objects.filter(pk__in=contradictions_of(subset).values("pk")))
    questions = Instance.objects.filter(contradiction__in=records).values_list("pk", flat=True)
    return partial(streamed, records.order_by("position"), without=set(questions) - kept)


def _name(release: Release, suffix: str) -> str:
    return f"{release.collection.name}-{release.version}{suffix}"


def _bytes(exporter: Exporter, rows: Rows) -> Iterator[bytes]:
    return (text.encode("utf-8") for text in exporter.chunks(rows()))


def _sha256(chunks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()
