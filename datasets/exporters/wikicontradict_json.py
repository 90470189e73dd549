"""Export as the published record file: a JSON list, indented by four blanks."""

import json
from collections.abc import Iterable, Iterator

from datasets.models import Contradiction
from datasets.records import record_of


class WikiContradictJson:
    """One record for each contradiction, invalid tags included, in the collection's order."""

    name = "wikicontradict-json"
    label = "WikiContradict records (JSON)"
    suffix = ".json"
    content_type = "application/json; charset=utf-8"

    def chunks(self, contradictions: Iterable[Contradiction]) -> Iterator[str]:
        """The file's text, a record at a time."""
        before = "[\n    "
        for contradiction in contradictions:
            text = json.dumps(record_of(contradiction), ensure_ascii=False, indent=4)
            yield before + text.replace("\n", "\n    ")
            before = ",\n    "
        yield "[]\n" if before.startswith("[") else "\n]\n"
