"""Judge models' verdicts on a study's responses, counted by the database."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from evaluation.counts.final_verdicts import TALLIED, kept_items, place_of
from evaluation.statistics.tables import UNPARSED, Tally
from judging.models import JudgeCall, Study
from judging.states import MachineState


@dataclass(frozen=True)
class MachineCount(Tally):
    """Judge model `judge` gave `verdict`: UNPARSED where its reply has none, None where there is no reply.

    `state` is the machine verdict's; `people` is the final verdict, None where there is none.
    """

    judge: int
    people: str | None
    state: str


def machine_counts(study: Study, names: Mapping[int, str]) -> list[MachineCount]:
    """Judge models' verdicts with people's, on all questions that are not excluded."""
    rows = (
        kept_items(study)
        .filter(machine_verdicts__isnull=False)
        .order_by()
        .values_list(
            *(f"machine_verdicts__{name}" for name in ("judge_id", "state", "verdict")), *TALLIED
        )
        .annotate(count=Count("pk"))
    )
    return [
        MachineCount(
            *place_of(names, *place),
            UNPARSED if state == MachineState.UNPARSED else verdict,
            count,
            judge,
            people,
            state,
        )
        for judge, state, verdict, *place, people, count in rows
    ]


def spellings(study: Study) -> dict[int, dict[str, int]]:
    """For each judge model, by its id: how often its replies spelt a verdict how."""
    calls = JudgeCall.objects.filter(machine_verdict__judge__study=study).exclude(spelling="")
    rows = calls.order_by().values_list("machine_verdict__judge_id", "spelling")
    by_judge: dict[int, dict[str, int]] = {}
    for judge, spelling, count in rows.annotate(count=Count("pk")).order_by("spelling"):
        by_judge.setdefault(judge, {})[spelling] = count
    return by_judge
