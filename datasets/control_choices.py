"""What the sender of a checked file of Label Studio may say: its controls' names, a collection for each annotator."""

import re
from collections.abc import Iterable, Mapping
from itertools import count

from django.db import transaction

from accounts.models import Person
from datasets.importers.import_jobs import begin_again, choose_options, discard
from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.labelstudio.naming import checked_names
from datasets.labelstudio.reading import Taken
from datasets.models import ImportJob
from datasets.states import IMPORT
from leases.refusal import Conflict

_NO_NAME = re.compile(r"[^a-z0-9]+")


def may_name(job: ImportJob) -> bool:
    """Whether controls of the file can be named now."""
    return job.format == LabelStudioTasks.name and IMPORT.may(job, "choose options")


def name_controls(job: ImportJob, names: Mapping[str, str]) -> ImportJob:
    """Have the file checked again with these names, control to key; the job that does.

    Raises Refusal for names that cannot be, else as choose_options (import_jobs.py).
    """
    return choose_options(job, {**job.options, "names": checked_names(names)})


@transaction.atomic
def import_each_annotator(job: ImportJob, by: Person) -> list[ImportJob]:
    """Imports of a checked file, a collection for each annotator's work; the check itself is discarded.

    All of them begin, or none. Raises Conflict where there is nothing to part, Refusal for a name that is too long.
    """
    annotators = list((job.report or {}).get("annotators", ()))
    if not may_name(job) or len(annotators) < 2:
        raise Conflict("There are no annotations of several annotators to import. Check the file.")
    begun = [
        begin_again(
            job,
            collection_name=f"{job.collection}-annotator-{name}",
            options={**job.options, "taken": Taken.ONE_ANNOTATOR.value, "annotator": annotator},
            by=by,
        )
        for annotator, name in names_in_collections(annotators).items()
    ]
    discard(job)
    return begun


def names_in_collections(annotators: Iterable[str]) -> dict[str, str]:
    """What of each annotator's number, pseudonym or e-mail address is part of a collection's name, no two alike."""
    names: dict[str, str] = {}
    for annotator in annotators:
        name = _NO_NAME.sub("-", annotator.partition("@")[0].casefold()).strip("-") or "unnamed"
        others = [*names.values()]
        further = (f"{name}-{n}" for n in count(2))
        names[annotator] = (
            name if name not in others else next(n for n in further if n not in others)
        )
    return names
