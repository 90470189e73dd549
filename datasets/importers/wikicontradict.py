"""The published WikiContradict file: a JSON list of records. Pure."""

from collections.abc import Iterator
from typing import Any

from datasets.importers.json_text import SHOWN, Unreadable, decode, shown
from datasets.schema import Parsed, RecordRefused, kind_of, parse


class WikiContradict:
    """Reads the whole file or refuses it, so that an import is never partial."""

    name = "wikicontradict"
    label = "WikiContradict (JSON)"
    hint = "A list of records as published in wikicontradict.json."

    def read(self, data: bytes) -> list[Parsed]:
        """The file's records in order. Raises Unreadable with the problems of the first refused records, by key."""
        records = decode(data)
        if not isinstance(records, list):
            raise Unreadable(f"The file holds {kind_of(records)}, not a list of records.")
        if not records:
            raise Unreadable("The file is a list without a record.")
        parsed: list[Parsed] = []
        problems: list[str] = []
        refused = 0
        for index, record in enumerate(records):
            try:
                parsed.append(parse(record))
            except RecordRefused as refusal:
                problems += _lines(index, record, refusal)
                refused += 1
                if refused == SHOWN:
                    break
        if problems:
            raise _refusal(problems, refused, seen=refused + len(parsed), total=len(records))
        return parsed


def _lines(index: int, record: Any, refused: RecordRefused) -> Iterator[str]:
    title = record.get("title") if isinstance(record, dict) else None
    named = f", {title[:60]!r}" if isinstance(title, str) and title else ""
    for problem in refused.problems:
        yield f"record {index + 1} (index {index}{named}): {problem}"


def _refusal(problems: list[str], refused: int, *, seen: int, total: int) -> Unreadable:
    if seen == total:
        found = f"{refused} of {total} records cannot be read"
    else:
        found = f"{refused} of the first {seen} records cannot be read, and the other {total - seen} were not looked at"
    return Unreadable(f"{found}; nothing was imported.", details=shown(problems))
