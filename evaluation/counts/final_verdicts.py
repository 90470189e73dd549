"""Final verdicts of a study, response by response or counted, as the tables need them."""

from collections import Counter
from collections.abc import Mapping

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from datasets.contexts import reasoning
from datasets.models import Exclusion, SamePassage
from evaluation.compare.families import Answered
from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.statistics.tables import Tally
from judging.models import Resolution, Study, StudyItem

_TAG = "response__instance__contradiction__"
TALLIED = (
    "response__model_id",
    "response__prompt",
    f"{_TAG}title",
    f"{_TAG}type_4",
    f"{_TAG}same_passage",
    "resolution__verdict",
)
# An exclusion counts once a second person has agreed to it. Not a join: from the few exclusions PostgreSQL would
# conclude that the study has few responses too.
EXCLUDED = Q(
    Exists(
        Exclusion.objects.filter(instance=OuterRef("response__instance"), seconded_by__isnull=False)
    )
)


def kept_items(study: Study) -> QuerySet[StudyItem]:
    """The responses that final verdicts are counted on: those whose instance is not excluded."""
    return study.items.exclude(EXCLUDED)


def place_of(
    names: Mapping[int, str],
    model: int,
    prompt: str,
    title: str,
    kind: str | None,
    same: str | None,
) -> tuple[str, str, str, str, bool]:
    """What TALLIED names, but for the verdict, as a tally has it; `names` maps a model's id to its shown name."""
    return names[model], prompt, title, reasoning(kind).value, same == SamePassage.SAME


def tallies(study: Study, names: Mapping[int, str]) -> list[Tally]:
    """Final verdicts by model, prompt, article, reasoning and passages."""
    rows = kept_items(study).order_by().values_list(*TALLIED).annotate(count=Count("pk"))
    return [Tally(*place_of(names, *place), verdict, count) for *place, verdict, count in rows]


def how_counts(study: Study) -> dict[str | None, int]:
    """How final verdicts came about: responses by Resolution.how, None for those without one."""
    rows = kept_items(study).order_by().values_list("resolution__how").annotate(count=Count("pk"))
    return dict(rows)


def across_rounds(
    study: Study, cluster: str
) -> list[tuple[tuple[int, int], tuple[str | int, str, str, int]]]:
    """((earlier round, later round), (cluster, verdict, later verdict, count)) of responses that both resolved.

    In the order of the rounds.
    """
    other = "item__resolutions__"
    rows = (
        Resolution.objects.filter(item__in=kept_items(study).order_by())
        .filter(item__resolutions__round__n__gt=F("round__n"))
        .order_by()
        .values_list(
            "round__n",
            f"{other}round__n",
            CLUSTERS[cluster],
            "verdict",
            f"{other}verdict",
        )
        .annotate(count=Count("pk"))
    )
    return [((one, two), tuple(cell)) for one, two, *cell in sorted(rows)]


def answered(study: Study, names: Mapping[int, str]) -> list[Answered]:
    """Every response with a final verdict whose question is not excluded; `names` gives models' shown names.

    A question that a model was asked several times has several units: its samples, run by run.
    """
    rows = (
        kept_items(study)
        .filter(resolution__isnull=False)
        .order_by("response__run_id", "response__sample", "pk")
        .values_list("response__instance_id", *TALLIED)
    )
    times: Counter[tuple[int, str, int]] = Counter()
    responses = []
    for instance, *place, verdict in rows.iterator(chunk_size=5000):
        model, prompt, *_ = place
        times[model, prompt, instance] += 1
        unit = instance, times[model, prompt, instance]
        responses.append(Answered(*place_of(names, *place), verdict, 1, unit))
    return responses
