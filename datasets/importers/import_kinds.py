"""The kinds of files that an import job brings in: records, and those of the rooms above."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, BinaryIO, Protocol

from accounts.models import Person
from datasets.models import ImportJob
from leases.extension import ExtensionPoint
from leases.refusal import NotFoundHere

Report = dict[str, Any]
# Takes the report, and what was made as `undo` needs it. Raises an error where the worker has lost the job.
Ended = Callable[[Report, dict[str, Any]], None]


class ImportKind(Protocol):
    """Reports are JSON. `template` shows one: it gets `job` with its `report`, of a check or of an import, and `shown`.

    `brings`: what the page of an import opens. `most_bytes`: of a file. `undo_asks`: before an import is undone.
    """

    name: str
    title: str
    template: str
    brings: str
    undo_asks: str
    most_bytes: int

    def admit(self, job: ImportJob) -> None:
        """Look at a job that is not stored yet, before its file is kept. Raises Refusal for what cannot be."""
        ...

    def check(self, job: ImportJob, file: BinaryIO) -> Report:
        """Read and check all of the file, and store nothing: what an import would do now.

        Raises Refusal, whose `details` may list the problems; the job of one that is NamesLacking is checked by it.
        """
        ...

    def bring(self, job: ImportJob, file: BinaryIO, ended: Ended) -> None:
        """Import all of the file or nothing. Raises as `check`.

        It calls `ended` once, in the transaction in which others see what it brought. What that raises goes through,
        and whatever was stored is removed. A worker may die at any moment; then the next one begins again.
        """
        ...

    def hide_from(self, person: Person, jobs: Sequence[ImportJob]) -> None:
        """Leave out of the jobs, in memory, what is hidden from the person now, also from who has sent the file."""
        ...

    def shown(self, job: ImportJob) -> dict[str, Any]:
        """What `template` needs besides the job, which has a report."""
        ...

    def undo(self, job: ImportJob) -> None:
        """Let nobody see any more what `job.made` names, in the caller's transaction; remove it then or later.

        Raises Conflict that names the uses, with counts.
        """
        ...

    def address(self, job: ImportJob) -> str:
        """The page of what a finished import brought."""
        ...

    def again(self, job: ImportJob) -> str:
        """The page on which such a file is sent again."""
        ...


import_kinds: ExtensionPoint[[], ImportKind] = ExtensionPoint(
    "datasets.importers.import_kinds.import_kinds"
)


def shown_to(person: Person, jobs: Iterable[ImportJob]) -> None:
    """Leave out of them, in memory, what is hidden from the person now."""
    of_kind: dict[str, list[ImportJob]] = {}
    for job in jobs:
        of_kind.setdefault(job.kind, []).append(job)
    for kind, some in of_kind.items():
        kind_named(kind).hide_from(person, some)


def kind_named(name: str) -> ImportKind:
    """Raises NotFoundHere."""
    known = {kind.name: kind for kind in import_kinds()}
    if name not in known:
        raise NotFoundHere(f"There are no imports of {name[:40]!r}; there are {', '.join(known)}.")
    return known[name]
