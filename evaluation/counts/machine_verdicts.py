"""Judge models' verdicts on a study's responses, counted by the database."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from datasets.contexts import reasoning
from datasets.models import SamePassage
from evaluation.counts.final_verdicts import kept_items
from evaluation.statistics.tables import UNPARSED, Tally
from judging.models import JudgeCall, Study
from judging.states import MachineState

_TAG = "response__instance__contradiction__"


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
            "machine_verdicts__judge_id",
            "response__model_id",
            "response__prompt",
            f"{_TAG}title",
            f"{_TAG}type_4",
            f"{_TAG}same_passage",
            "resolution__verdict",
            "machine_verdicts__state",
            "machine_verdicts__verdict",
        )
        .annotate(count=Count("pk"))
    )
    return [
        MachineCount(
            names[model],
            prompt,
            title,
            reasoning(kind).value,
            same == SamePassage.SAME,
            UNPARSED if state == MachineState.UNPARSED else verdict,
            count,
            judge,
            people,
            state,
        )
        for judge, model, prompt, title, kind, same, people, state, verdict, count in rows
    ]


def spellings(study: Study) -> dict[int, dict[str, int]]:
    """For each judge model, by its id: how often its replies spelt a verdict how."""
    calls = JudgeCall.objects.filter(machine_verdict__judge__study=study).exclude(spelling="")
    rows = calls.order_by().values_list("machine_verdict__judge_id", "spelling")
    by_judge: dict[int, dict[str, int]] = {}
    for judge, spelling, count in rows.annotate(count=Count("pk")).order_by("spelling"):
        by_judge.setdefault(judge, {})[spelling] = count
    return by_judge
