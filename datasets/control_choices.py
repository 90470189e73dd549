"""What the sender of a checked file of Label Studio may say: its controls' names, a collection for each annotator."""

import re
from collections.abc import Collection, Mapping
from itertools import count

from django.db import transaction

from accounts.models import Person
from datasets.importers.import_jobs import begin_again, choose_options, discard
from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.labelstudio.naming import MOST, checked_names
from datasets.labelstudio.reading import Taken
from datasets.models import ImportJob
from datasets.states import IMPORT
from leases.refusal import Conflict

_NAMES_NOBODY = re.compile(r"[0-9]+|p-[a-z0-9]{6}")


def may_name(job: ImportJob) -> bool:
    """Whether controls of the file can be named now."""
    return job.format == LabelStudioTasks.name and IMPORT.may(job, "choose options")


def name_controls(job: ImportJob, names: Mapping[str, str]) -> None:
    """Have the file checked again with these names, control to key.

    Raises Refusal for names that cannot be, else as choose_options (import_jobs.py).
    """
    choose_options(job, {**job.options, "names": checked_names(names)})


@transaction.atomic
def import_each_annotator(job: ImportJob, by: Person) -> list[ImportJob]:
    """Imports of a checked file, a collection for each annotator's work; the check is discarded, and names them.

    All of them begin, or none. Raises Conflict where there is nothing to part, or too much, and Refusal for a name that
    is too long.
    """
    annotators = list((job.report or {}).get("annotators", ()))
    if not may_name(job) or len(annotators) < 2:
        raise Conflict("There are no annotations of several annotators to import. Check the file.")
    if len(annotators) >= MOST:
        raise Conflict(
            f"The file is of {MOST} annotators or more, and no more are listed. Import it for one annotator at a time, "
            "or split it; the check stays."
        )
    begun = [
        begin_again(
            job,
            collection_name=f"{job.collection}-annotator-{name}",
            options={**job.options, "taken": Taken.ONE_ANNOTATOR.value, "annotator": annotator},
            by=by,
        )
        for annotator, name in names_in_collections(annotators).items()
    ]
    report = {**(job.report or {}), "by_annotator": [one.pk for one in begun]}
    ImportJob.objects.filter(pk=job.pk).update(report=report)
    discard(job)
    return begun


def names_in_collections(annotators: Collection[str]) -> dict[str, str]:
    """What of each annotator is part of a collection's name, which others than the sender see: the number or pseudonym.

    Those whom the file names in another way, as by an e-mail address, get the numbers from 1 that are free.
    """
    names = {one: one.casefold() for one in annotators if _NAMES_NOBODY.fullmatch(one.casefold())}
    free = (str(n) for n in count(1) if str(n) not in names.values())
    return {one: names.get(one) or next(free) for one in annotators}
