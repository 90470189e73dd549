"""Which verdict of a judge model counts on a response, and the halves of the study's clusters.

A judge model has a verdict for each version of the rubric that it was asked by: the gold answers that it is sent are
that version's. It is compared with a final verdict of the same version, and with no other.
"""

from django.db.models import BooleanField, Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from judging.clusters import cluster_at
from judging.models import MachineVerdict, Study, StudyItem
from judging.rules.halves import Halves, split


def version(prefix: str = "") -> Coalesce:
    """The version whose verdict counts on an item: that of its final verdict, else of its latest round."""
    steps = ("resolution__round__rubric", "round__rubric", "study__rubric")
    return Coalesce(*(f"{prefix}{step}" for step in steps))


def by_version(verdicts: QuerySet[MachineVerdict]) -> QuerySet[MachineVerdict]:
    """With the version that counts, for COUNTED and COUNTS. As a filter alone, rows without one would be lost."""
    return verdicts.alias(version=version("item__"))


# Of machine verdicts by_version: those that count.
COUNTED = Q(rubric=F("version"))
COUNTS = Case(When(COUNTED, then=Value(True)), default=Value(False))
# Those of a model on its own responses: options and service may differ. In a query ITSELF is null where not known.
OWN = Q(judge__model__model_id=F("item__response__model__model_id"))
ITSELF = Case(
    When(judge__model=None, then=Value(None)),
    When(OWN, then=Value(True)),
    default=Value(False),
    output_field=BooleanField(null=True),
)


def halves_of(study: Study) -> Halves:
    """The halves of the clusters that the study's responses are about, drawn by its seed."""
    clusters = study.items.order_by().values_list(cluster_at(study), flat=True)
    return split(study.seed, clusters.distinct())


def of_half(items: QuerySet[StudyItem], study: Study, half: str) -> QuerySet[StudyItem]:
    """The study's items in that half."""
    return items.alias(cluster=cluster_at(study)).filter(cluster__in=halves_of(study).of(half))
