"""A complete form, read again: each record with its id, and all that the published format has no key for. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

from datasets.declared import csv_text
from datasets.declared.deviations import declared_deviations
from datasets.declared.records import parse_declared
from datasets.declared.writing import FileNoted
from datasets.description import description_problems
from datasets.deviations import Deviation, deviations
from datasets.identity import external_id, repeated
from datasets.importers.checked_records import checked_records
from datasets.importers.complete_extra import EXTRA, id_problems, number_problems
from datasets.importers.complete_form import FORMAT, RECORDS, VERSION
from datasets.importers.same_tag import Links, named_by
from datasets.readers.json_list import listed_in
from datasets.readers.json_text import Unreadable, refuse, shown
from datasets.schema import Parsed, Problem, RecordRefused, kind_of, parse, text_problems
from protocols.declaration import Declaration, Shape

# Times that the content of a record may have come back to be known by its id.
_MOST_TIMES = 100
_MOST_VERSIONS = 2**31 - 1


class Head(NamedTuple):
    """What stands before the records. `protocol`: name and version, of declared records; `file`: of their files."""

    about: Mapping[str, Any]
    protocol: tuple[str, int] | None
    file: Mapping[str, Any] | None


class CompleteRecords:
    """Reads the whole file or refuses it. `declaration`: of the protocol that the file's head names, if it does."""

    name = "complete-json"
    label = "Complete records (JSON)"
    hint = (
        "A file that Sic et Non gave under that name. It makes a collection of its own, with the same ids, versions, "
        "provenance, links and description."
    )

    def __init__(self, declaration: Declaration | None = None) -> None:
        self._declaration = declaration

    def head(self, file: BinaryIO) -> Head:
        """Raises Unreadable: for another file, a newer version, or a head with faults."""
        kept = _before_records(file)
        _check_format(kept)
        refuse(list(map(str, _head_problems(kept))))
        named = kept.get("protocol")
        protocol = (named["name"], named["version"]) if named else None
        return Head(kept.get("about", {}), protocol, kept.get("file"))

    def records(self, file: BinaryIO, noted: FileNoted | None = None) -> Iterator[Parsed]:
        """The file's records in order; `noted` has which names which as of its tag, after the last.

        Raises Unreadable (checked_records), also for links that no file of ours has.
        """
        head = self.head(file)
        refuse(list(map(str, self._file_problems(head.file))))
        keys: dict[str, Any] = {}
        reading = _Reading(self._declaration, self._canary(head))
        title = self._declaration.item.title if self._declaration else "title"
        yield from checked_records(listed_in(file, RECORDS, keys), reading.parsed, "record", title)
        late = keys.keys() - _before_records(file).keys()
        refuse([f"{key[:60]!r} stands after the records, not before them" for key in sorted(late)])
        named, problems = named_by(reading.links, reading.seen)
        if problems:
            raise Unreadable(
                "Records of one tag are not linked as this program links them; nothing was imported.",
                details=shown(problems),
            )
        if noted:
            noted.named = named

    def first(self, file: BinaryIO) -> Parsed:
        """Raises Unreadable where the head is another's. What the record holds is not looked at."""
        self.head(file)
        return Parsed(next(listed_in(file, RECORDS, {})), {}, (), ())

    def deviations(self, parsed: Parsed) -> list[Deviation]:
        if self._declaration:
            return declared_deviations(self._declaration, parsed.record)
        return deviations(parsed.columns, parsed.slots)

    def _canary(self, head: Head) -> str:
        if not (self._declaration and head.file and self._declaration.file.canary):
            return ""
        kept = next(iter(head.file.values()), {}) if self._declaration.file.by else head.file
        return str(kept.get("kept", {}).get(self._declaration.file.canary, ""))

    def _file_problems(self, file: Mapping[str, Any] | None) -> Iterator[Problem]:
        """Why the head's `file` is not what a collection of the protocol keeps of its files."""
        if file is None or self._declaration is None:
            return
        shape = self._declaration.file
        if not shape.by:
            yield from _kept_problems("file", file, self._declaration)
            return
        for part, kept in file.items():
            if part not in self._declaration.fields[shape.by].values:
                yield Problem(f"file.{part}", f"is no part of {self._declaration.name}")
            else:
                yield from _kept_problems(f"file.{part}", kept, self._declaration)


class _Reading:
    """The records on their way; `seen` has the number of each by its id, `links` the others of its tag."""

    def __init__(self, declaration: Declaration | None, canary: str) -> None:
        self._declaration, self._canary = declaration, canary
        self.seen: dict[bytes, int] = {}
        self.links: Links = {}
        self._number = 0

    def parsed(self, entry: object) -> Parsed:
        """An entry of the list. Raises RecordRefused with all problems."""
        self._number += 1
        if not isinstance(entry, dict):
            raise RecordRefused([Problem("", f"is {kind_of(entry)}, not an object with keys")])
        problems = list(self._entry_problems(entry))
        try:
            parsed = self._record(entry)
        except RecordRefused as refused:
            raise RecordRefused([*problems, *refused.problems]) from None
        if not problems and self._declaration is None:
            problems += [p for extra in EXTRA for p in extra.of_record(entry, parsed)]
        if not problems and not (entry.get("left_out") or _fits(entry["id"], parsed.record)):
            problems.append(
                Problem(
                    "id",
                    "does not fit the record, which is another than it was. Export the file again, or import changed "
                    "records as wikicontradict",
                )
            )
        if problems:
            raise RecordRefused(problems)
        return self._known(entry, parsed)

    def _entry_problems(self, entry: dict[str, Any]) -> Iterator[Problem]:
        needed = {"id": id_problems, "version": _version_problems}
        for name, check in needed.items():
            yield from check(name, entry[name]) if name in entry else [Problem(name, "is missing")]
        if "record" not in entry:
            yield Problem("record", "is missing")
        extra = {} if self._declaration else {extra.name: extra for extra in EXTRA}
        for name, value in entry.items():
            if name in extra:
                yield from extra[name].problems(name, value)
            elif name == "canary" and self._canary:
                if value != self._canary:
                    yield Problem(name, "is not the one in the file's head")
            elif name not in (*needed, "record"):
                yield Problem(name, "is no key of a complete record")
        if self._canary and "canary" not in entry:
            yield Problem("canary", "is missing")

    def _record(self, entry: Mapping[str, Any]) -> Parsed:
        if "record" not in entry:
            raise RecordRefused([])
        if self._declaration:
            return parse_declared(self._declaration, entry["record"])
        return parse(entry["record"])

    def _known(self, entry: Mapping[str, Any], parsed: Parsed) -> Parsed:
        """The record with what else is known of it. Raises RecordRefused for an id that an earlier one has."""
        identity = entry["id"]
        earlier = self.seen.setdefault(bytes.fromhex(identity), self._number)
        if earlier != self._number:
            raise RecordRefused([Problem("id", f"is that of record {earlier} too")])
        if linked := entry.get("same_tag"):
            self.links[bytes.fromhex(identity)] = [bytes.fromhex(other) for other in linked]
        derived = {(n, answer) for n, answer in entry.get("derived", [])}
        slots = tuple(
            replace(slot, derived_1=(slot.n, 1) in derived, derived_2=(slot.n, 2) in derived)
            for slot in parsed.slots
        )
        columns = [extra for extra in EXTRA if extra.is_column] if not self._declaration else []
        kept = {extra.name: entry.get(extra.name, extra.missing) for extra in columns}
        extra = {"version": entry["version"], **kept}
        return replace(parsed, slots=slots, extra=extra, identity=identity)


_HEAD = ("format", "version", "protocol", "file", "about")


def _before_records(file: BinaryIO) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    next(listed_in(file, RECORDS, kept), None)
    return kept


def _check_format(kept: Mapping[str, Any]) -> None:
    if kept.get("format") != FORMAT:
        raise Unreadable(
            f"The file does not begin as a complete form does, with the format “{FORMAT}”. Export it as “Complete "
            "records (JSON)”; nothing was imported."
        )
    version = kept.get("version")
    if type(version) is not int or version != VERSION:
        raise Unreadable(
            f"'version' at the head of the file is not {VERSION}, the version of the complete form that this program "
            "reads. Export the file again, or import it with a program of its version; nothing was imported."
        )


def _head_problems(kept: Mapping[str, Any]) -> Iterator[Problem]:
    for name in kept:
        if name not in _HEAD:
            yield Problem(name, "is no key of the head of a complete form")
    yield from description_problems(kept.get("about", {}))
    if "protocol" in kept:
        yield from _protocol_problems(kept["protocol"])
    file = kept.get("file")
    if file is not None and not isinstance(file, dict):
        yield Problem("file", f"is {kind_of(file)}, not an object")


def _protocol_problems(value: object) -> Iterable[Problem]:
    if not isinstance(value, dict) or set(value) != {"name", "version"}:
        return [Problem("protocol", "is no object with the keys name, version")]
    return [
        *text_problems("protocol.name", value["name"]),
        *_version_problems("protocol.version", value["version"]),
    ]


def _kept_problems(name: str, value: object, declaration: Declaration) -> Iterator[Problem]:
    if not isinstance(value, dict) or set(value) != {"end", "kept"}:
        yield Problem(name, "is no object with the keys end, kept")
        return
    if value["end"] not in ("", "\n"):
        yield Problem(f"{name}.end", "is neither empty nor a line feed")
    kept, is_csv = value["kept"], declaration.file.shape == Shape.CSV
    keep = csv_text.KEPT if is_csv else declaration.file.keep
    if not isinstance(kept, dict) or set(kept) != set(keep):
        yield Problem(f"{name}.kept", f"is no object with the keys {', '.join(keep) or '(none)'}")
        return
    if is_csv:
        yield from csv_text.kept_problems(f"{name}.kept", kept, declaration.fields)
        return
    for key, text in kept.items():
        yield from text_problems(f"{name}.kept.{key}", text)


def _version_problems(name: str, value: object) -> Iterator[Problem]:
    return number_problems(name, value, 1, _MOST_VERSIONS)


def _fits(identity: str, record: Mapping[str, Any]) -> bool:
    content = external_id(record)
    return identity == content or any(
        identity == repeated(content, time) for time in range(2, _MOST_TIMES)
    )
