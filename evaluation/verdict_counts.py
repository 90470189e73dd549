"""Final verdicts and judge models' verdicts, response by response or counted, as the tables need them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count

from datasets.contexts import reasoning
from datasets.models import SamePassage
from evaluation.cells import Tally
from evaluation.counts import kept_items
from evaluation.families import Answered
from judging.models import JudgeCall, Study

_TAG = "response__instance__contradiction__"


def answered(study: Study, names: Mapping[int, str]) -> list[Answered]:
    """Every response with a final verdict whose question is not excluded; `names` gives models' shown names.

    A question that a model was asked several times has several units: its samples, run by run.
    """
    rows = (
        kept_items(study)
        .filter(resolution__isnull=False)
        .order_by("response__run_id", "response__sample", "pk")
        .values_list(
            "response__model_id",
            "response__prompt",
            "response__instance_id",
            f"{_TAG}title",
            f"{_TAG}type_4",
            f"{_TAG}same_passage",
            "resolution__verdict",
        )
    )
    times: Counter[tuple[int, str, int]] = Counter()
    found = []
    for model, prompt, instance, title, kind, same, verdict in rows.iterator(chunk_size=5000):
        times[model, prompt, instance] += 1
        found.append(
            Answered(
                names[model],
                prompt,
                (instance, times[model, prompt, instance]),
                title,
                reasoning(kind).value,
                same == SamePassage.SAME,
                verdict,
            )
        )
    return found


def tallies(answers: Iterable[Answered]) -> list[Tally]:
    """The same by article."""
    counted = Counter(
        (one.model, one.prompt, one.article, one.reasoning, one.same_passage, one.verdict)
        for one in answers
    )
    return [Tally(*key, count) for key, count in counted.items()]


@dataclass(frozen=True)
class MachineCount:
    """`count` responses that share all this; `people` is the final verdict, None where there is none.

    `state` is the machine verdict's; `verdict` what the judge model said, None where it said none.
    """

    judge: int
    model: str
    prompt: str
    article: str
    reasoning: str
    same_passage: bool
    people: str | None
    state: str
    verdict: str | None
    count: int


def machine_counts(study: Study, names: Mapping[int, str]) -> list[MachineCount]:
    """What judge models said beside what people did, of all questions that are not excluded."""
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
            judge,
            names[model],
            prompt,
            title,
            reasoning(kind).value,
            same == SamePassage.SAME,
            people,
            state,
            verdict,
            count,
        )
        for judge, model, prompt, title, kind, same, people, state, verdict, count in rows
    ]


def spellings(study: Study) -> dict[int, dict[str, int]]:
    """For each judge model, by its id: how often its replies spelt a verdict how."""
    calls = JudgeCall.objects.filter(machine_verdict__judge__study=study).exclude(spelling="")
    rows = calls.order_by().values_list("machine_verdict__judge_id", "spelling")
    found: dict[int, dict[str, int]] = {}
    for judge, spelling, count in rows.annotate(count=Count("pk")).order_by("spelling"):
        found.setdefault(judge, {})[spelling] = count
    return found
