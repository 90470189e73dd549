"""Export of everything that a collection knows of its records, as this project's own JSON."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from datasets.models import Contradiction
from datasets.records import EXTRA, record_of, same_tag


class CompleteJson:
    """A list with one object for each contradiction: the published record as it is, and what has no key in it.

    `provenance` holds, for passage "1" and "2", the pieces it was copied from; `filled` the columns that the app
    filled in and the annotator left; `derived` the inferred answers, as [question, answer]; `same_tag` the ids of other
    contradictions that a review found in the same tag.
    """

    name = "complete-json"
    label = "Everything (JSON)"
    suffix = ".json"
    content_type = "application/json; charset=utf-8"

    def chunks(self, contradictions: Iterable[Contradiction]) -> Iterator[str]:
        """The file's text, a contradiction at a time."""
        before = "["
        for contradiction in contradictions:
            yield f"{before}\n{json.dumps(_entry(contradiction), ensure_ascii=False)}"
            before = ","
        yield "[]\n" if before == "[" else "\n]\n"


def _entry(contradiction: Contradiction) -> dict[str, Any]:
    return {
        "id": contradiction.external_id,
        "version": contradiction.version,
        "record": record_of(contradiction),
        **{column: getattr(contradiction, column) for column in EXTRA},
        "derived": [
            [instance.n, answer]
            for instance in contradiction.instances.all()
            for answer in (1, 2)
            if getattr(instance, f"derived_{answer}")
        ],
        "same_tag": [other.external_id for other in same_tag(contradiction).values()],
    }
