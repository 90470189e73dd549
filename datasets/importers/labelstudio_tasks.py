"""Label Studio's JSON and JSON_MIN: a list of tasks. Pure."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from datasets.declared.writing import FileNoted
from datasets.deviations import Deviation, deviations
from datasets.importers.checked_records import checked_records
from datasets.labelstudio.made import tasks_in
from datasets.labelstudio.naming import lines_of_unknown
from datasets.labelstudio.reading import TaskReader, Wanted
from datasets.readers.json_list import values_in
from datasets.readers.json_text import Unreadable
from datasets.schema import Parsed

# Tasks, to see whether a file is of this format.
_LOOKED_AT = 100


class NamesLacking(Unreadable):
    """The file may be refused only because controls of it have other names than the study's; `controls` lists all."""

    def __init__(self, message: str, *, details: list[str], controls: list[dict[str, Any]]) -> None:
        super().__init__(message, details=details)
        self.controls = controls

    @property
    def report(self) -> dict[str, Any]:
        """What the job of the file reports, whose sender can name the controls."""
        return {"refused": self.message, "problems": self.problems, "controls": self.controls}


class LabelStudioTasks:
    """One record of each task: that of the annotation that is wanted. What is not taken is counted in `noted`."""

    name = "label-studio"
    label = "Label Studio (JSON, JSON_MIN)"
    hint = (
        "Annotated tasks as Label Studio exports them. Controls and data with other names than the study's are listed "
        "and can be named. What becomes no part of a record is counted."
    )

    def __init__(self, wanted: Wanted | None = None) -> None:
        self.wanted = wanted or Wanted()

    def records(self, file: BinaryIO, noted: FileNoted | None = None) -> Iterator[Parsed]:
        """The file's records in order, from its beginning. Raises Unreadable (checked_records).

        Whether it is whole or refused, the file's controls and annotators are `noted`.
        """
        noted = noted or FileNoted()
        reader = TaskReader(self.wanted, noted.reported)
        some, values = None, tasks_in(values_in(file))
        try:
            for some in checked_records(values, reader.record, "data", "title", what="task"):
                yield some
        except Unreadable as refused:
            controls = reader.found.listed(self.wanted.names)
            details = [*lines_of_unknown(controls), *refused.problems]
            if any(not one["key"] for one in controls):
                raise NamesLacking(refused.message, details=details, controls=controls) from None
            raise
        finally:
            noted.controls = reader.found.listed(self.wanted.names)
            noted.annotators = dict(reader.found.annotators)
        if some is None:
            found = ", ".join(reader.lines)
            raise Unreadable(
                f"No task gives a record ({found}); nothing was imported. {reader.advice}"
            )

    def first(self, file: BinaryIO) -> Parsed:
        """Raises StopIteration where none of the first tasks gives a record."""
        reader, some = TaskReader(self.wanted), islice(values_in(file), _LOOKED_AT)
        return next(one for task in tasks_in(some) if (one := reader.record(task)))

    def deviations(self, parsed: Parsed) -> list[Deviation]:
        return deviations(parsed.columns, parsed.slots)
