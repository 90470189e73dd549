"""Judge models' verdicts on a study's responses, counted by the database."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Count, F

from evaluation.counts.final_verdicts import TALLIED, kept_items, place_of
from evaluation.statistics.tables import UNPARSED, Tally
from judging.clusters import cluster_at
from judging.machine.scope import COUNTED, by_version, version
from judging.models import JudgeCall, MachineVerdict, Rubric, Study
from judging.states import MachineState

REPLIES = [MachineState.JUDGED, MachineState.UNPARSED]


@dataclass(frozen=True)
class MachineCount(Tally):
    """Judge model `judge` gave `verdict`: UNPARSED where its reply has none, None where there is no reply.

    `state` is the machine verdict's, `holds` what its reply holds, `rubric` the version it was asked by; `people` is
    the final verdict or None.
    """

    judge: int
    people: str | None
    state: str
    holds: str
    rubric: str


def machine_counts(study: Study, names: Mapping[int, str]) -> list[MachineCount]:
    """Judge models' verdicts with people's, on all questions that are not excluded; see machine/scope.py."""
    columns = ("judge_id", "state", "holds", "rubric_id", "verdict")
    rows = (
        kept_items(study)
        .alias(version=version())
        .annotate(cluster=cluster_at(study))
        .filter(machine_verdicts__rubric=F("version"))
        .order_by()
        .values_list(*(f"machine_verdicts__{name}" for name in columns), *TALLIED)
        .annotate(count=Count("pk"))
    )
    rubrics = {rubric.pk: str(rubric) for rubric in Rubric.objects.filter(rounds__study=study)}
    rubrics[study.judged_by.pk] = str(study.judged_by)
    return [
        MachineCount(
            *place_of(names, *place),
            UNPARSED if state == MachineState.UNPARSED else verdict,
            count,
            judge,
            people,
            state,
            holds,
            rubrics[rubric],
        )
        for judge, state, holds, rubric, verdict, *place, people, count in rows
    ]


def uncounted(study: Study) -> dict[int, int]:
    """By judge model's id: how many of its replies were asked by a version of the rubric that no longer counts."""
    asked = by_version(
        MachineVerdict.objects.filter(
            judge__study=study, item__in=kept_items(study).order_by(), state__in=REPLIES
        )
    ).filter(~COUNTED)
    return dict(asked.order_by().values_list("judge_id").annotate(n=Count("pk")))


def compared(study: Study, clusters: Collection[str]) -> int:
    """How many judge models replied, by any version, to responses about these clusters that people resolved."""
    replied = MachineVerdict.objects.alias(cluster=cluster_at(study, "item__")).filter(
        judge__study=study,
        state__in=REPLIES,
        item__resolutions__isnull=False,
        cluster__in=clusters,
    )
    return replied.order_by().values("judge").distinct().count()


def spellings(study: Study) -> dict[int, dict[str, int]]:
    """By judge model's id: how often its replies spelt a verdict in which way."""
    asked = by_version(MachineVerdict.objects.filter(judge__study=study)).filter(COUNTED)
    calls = JudgeCall.objects.filter(machine_verdict__in=asked).exclude(spelling="")
    rows = calls.order_by().values_list("machine_verdict__judge_id", "spelling")
    by_judge: dict[int, dict[str, int]] = {}
    for judge, spelling, count in rows.annotate(count=Count("pk")).order_by("spelling"):
        by_judge.setdefault(judge, {})[spelling] = count
    return by_judge
