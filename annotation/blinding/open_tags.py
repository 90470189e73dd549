"""How many tags of some records somebody may still annotate: asked before a release with them is published."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.blinding.hiding import titled
from annotation.blinding.rules import UNFINISHED
from annotation.models import Annotation, Assignment
from datasets.models import Contradiction
from datasets.releasing.publishing import OpenUse
from wikifetch.models import Tag


def open_tags(records: QuerySet[Contradiction]) -> list[OpenUse]:
    """For datasets.releasing.publishing. Imported records, which name no tag, are matched by their article's title."""
    wanted = records.order_by().values("pk")
    made_here = Annotation.objects.filter(contradiction__in=wanted).order_by()
    imported = Contradiction.objects.filter(pk__in=wanted, annotations=None).order_by()
    of_records = Q(pk__in=made_here.values("sighting__tag")) | titled(imported.values("title"))
    to_come = Assignment.objects.filter(tag=OuterRef("pk"), state__in=UNFINISHED)
    n = Tag.objects.filter(of_records).filter(Exists(to_come)).count()
    return [OpenUse(f"Somebody may still annotate {n:,} of its tags.")] if n else []
