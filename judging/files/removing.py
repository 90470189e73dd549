"""Removes what the import of a human evaluation wrote before it stopped."""

from django.db import transaction

from datasets.importers.arriving import delete_in_steps
from datasets.models import Collection
from generation.models import LanguageModel, Response, Run
from judging.models import ImportedRow, Resolution, Round, Study, StudyItem


def remove_unfinished(waiting: Collection) -> None:
    """The study, run and models that came with a collection that is not seen, in short transactions."""
    studies = Study.everything.filter(arriving_in=waiting)
    runs = Run.everything.filter(collection=waiting, collection__arriving_until__isnull=False)
    models = list(LanguageModel.objects.filter(runs__in=runs).values_list("pk", flat=True))
    delete_in_steps(ImportedRow.objects.filter(study__in=studies))
    delete_in_steps(Resolution.objects.filter(item__study__in=studies))
    delete_in_steps(StudyItem.objects.filter(study__in=studies))
    delete_in_steps(Round.objects.filter(study__in=studies))
    delete_in_steps(Response.objects.filter(run__in=runs))
    with transaction.atomic():
        studies.delete()
        runs.delete()
        unused = LanguageModel.objects.filter(
            service="", runs=None, responses=None, judging_as=None
        )
        unused.filter(pk__in=models).delete()
