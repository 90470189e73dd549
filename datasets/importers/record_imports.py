"""Imports of records into a collection, as jobs (import_kinds.py)."""

from collections.abc import Sequence
from functools import partial
from typing import Any, BinaryIO

from django.urls import reverse

from accounts.models import Person
from datasets.importers.csv_files import choices
from datasets.importers.csv_files.choices import chosen_in
from datasets.importers.formats import Format, format_for
from datasets.importers.import_files import (
    FileReport,
    ImportReport,
    check_file,
    check_name,
    import_file,
)
from datasets.importers.import_kinds import Ended, Report
from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.importers.undoing import hide
from datasets.labelstudio.naming import checked_names
from datasets.labelstudio.reading import Taken, Wanted, lines_of
from datasets.models import ImportJob
from datasets.readers.json_text import MAX_BYTES
from leases.refusal import Conflict, Refusal

# Records that the report names as repeated.
MOST_NAMED = 100
# What formats ask for besides.
OPTIONS = {LabelStudioTasks.name: ("taken", "annotator", "names")}


class RecordImports:
    """`made`: the key of the collection, whether the import made it, and the positions of its records."""

    name = "records"
    title = "Records"
    template = "datasets/_import_of_records.html"
    brings = "the collection"
    undo_asks = "Remove all that it added, also what later imports found there? It is refused while something uses it."
    most_bytes = MAX_BYTES

    def admit(self, job: ImportJob) -> None:
        check_name(job.collection)
        _format(job)

    def check(self, job: ImportJob, file: BinaryIO) -> Report:
        importer, protocol = _format(job)
        report = check_file(
            importer=importer, protocol=protocol, file=file, collection_name=job.collection
        )
        return report_of(report)

    def bring(self, job: ImportJob, file: BinaryIO, ended: Ended) -> None:
        importer, protocol = _format(job)
        import_file(
            importer=importer,
            protocol=protocol,
            file=file,
            collection_name=job.collection,
            source=job.file_name,
            by=job.created_by,
            ended=partial(_ended, ended),
        )

    def hide_from(self, person: Person, jobs: Sequence[ImportJob]) -> None:
        """Nothing is."""

    def shown(self, job: ImportJob) -> dict[str, Any]:
        return {}

    def undo(self, job: ImportJob) -> None:
        if not job.made:
            raise Conflict("This import added no record. There is nothing to undo.")
        hide(**job.made)

    def address(self, job: ImportJob) -> str:
        return reverse("datasets:collection", args=[job.collection])

    def again(self, job: ImportJob) -> str:
        return f"{reverse('datasets:import')}?from={job.pk}"


def _ended(ended: Ended, report: ImportReport) -> None:
    came = report.arrived
    made = {
        "key": came.collection.pk,
        "first": came.first,
        "last": came.last,
        "is_new": came.is_new,
    }
    ended(report_of(report), made if came.added else {})


def _format(job: ImportJob) -> Format:
    return format_for(
        job.format,
        job.collection,
        file_name=job.file_name,
        part=job.part,
        wanted=_wanted(job.format, job.options),
        chosen=chosen_in(job.options),
    )


def _wanted(format: str, options: dict[str, Any]) -> Wanted:
    """Raises Refusal for an option that the format does not have, and for a value that is none."""
    if unknown := options.keys() - {*OPTIONS.get(format, ())} - {*choices.OPTIONS}:
        raise Refusal(f"The format {format} has no option {min(unknown)[:40]!r}.")
    taken, annotator = options.get("taken", Taken.LATEST.value), options.get("annotator", "")
    if taken not in Taken.__members__.values() or not isinstance(annotator, str):
        raise Refusal(f"The option taken is one of {', '.join(Taken)}, and annotator is a text.")
    if taken == Taken.ONE_ANNOTATOR and not annotator:
        raise Refusal("Name the annotator whose annotations are taken, by the option annotator.")
    names = options.get("names", {})
    if not isinstance(names, dict) or not all(isinstance(key, str) for key in names.values()):
        raise Refusal(
            'The option names is an object: {"a control of the file": "a key of the record"}.'
        )
    return Wanted(Taken(taken), annotator, checked_names(names))


def report_of(report: FileReport) -> Report:
    """What the page of an import says, as JSON; `repeated` are the first (record, the one that it equals), from 1."""
    return {
        "records": report.records,
        "questions": report.questions,
        "added": report.added,
        "already_there": report.already_there,
        "repeated": [list(pair) for pair in report.duplicates[:MOST_NAMED]],
        "repeated_records": len(report.duplicates),
        "deviating_records": report.deviating_records,
        "deviations": {kind.value: n for kind, n in report.deviations_by_kind},
        "part": report.noted.value,
        "how_it_comes_out": report.how_it_comes_out if report.is_compared else "",
        "reported": lines_of(report.noted.reported),
        "controls": report.noted.controls,
        "annotators": report.noted.annotators,
    }
