from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from accounts.models import Person
    from datasets.models import Contradiction
    from datasets.releasing.publishing import OpenUse
    from generation.call_queues import CallQueue
    from protocols.uses import Use


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from accounts.leaving.open_work import held_work, work_for_nobody
        from datasets import blinding
        from datasets.exclusions import hidden_questions
        from datasets.importers.arriving import came_along
        from datasets.releasing.bundle.asked import harnesses
        from datasets.releasing.publishing import open_uses
        from generation.access import hides_runs
        from generation.call_queues import queues
        from generation.elsewhere.undoing import run_uses
        from generation.registry import judged
        from judging.blinding import (
            hidden_question_ids,
            hides_records,
            judged_runs,
            records_problem,
        )
        from judging.files.removing import remove_unfinished
        from judging.machine.bundled_harnesses import bundled_harnesses
        from judging.open_work import responses_for_nobody, responses_held
        from judging.rubric_versions import left_out_of
        from judging.rules.declared_rubrics import TABLES, rubric_problems
        from judging.rules.example import rubric_blocks
        from protocols.checking import key_tables, part_problems
        from protocols.example_record import part_blocks
        from protocols.installed import unusable
        from protocols.uses import uses

        blinding.hides_records.add(self.name, hides_records)
        blinding.records_problem.add(self.name, records_problem)
        came_along.add(self.name, remove_unfinished)
        harnesses.add(self.name, bundled_harnesses)
        hides_runs.add(self.name, judged_runs)
        hidden_questions.add(self.name, hidden_question_ids)
        open_uses.add(self.name, open_studies_over)
        held_work.add(self.name, responses_held)
        work_for_nobody.add(self.name, responses_for_nobody)
        queues.add(self.name, verdicts_to_ask)
        judged.add(self.name, judged_responses)
        run_uses.add(self.name, studies_of)
        key_tables.add(self.name, lambda: TABLES)
        part_blocks.add(self.name, rubric_blocks)
        uses.add(self.name, studies_over)
        part_problems.add(self.name, rubric_problems)
        unusable.add(self.name, left_out_of)


def studies_over(person: "Person", protocols: Collection[int]) -> "Iterator[tuple[int, Use]]":
    """The studies that were opened with these protocols."""
    from django.urls import reverse

    from judging.models import Study
    from protocols.uses import Use

    rows = Study.objects.filter(protocol__in=protocols).order_by("name")
    for of, key, name in rows.values_list("protocol", "pk", "name"):
        yield of, Use("study", name, reverse("judging:study", args=[key]))


def open_studies_over(records: "QuerySet[Contradiction]") -> "list[OpenUse]":
    """The open studies whose judges judge responses to questions of these records."""
    from django.urls import reverse

    from datasets.releasing.publishing import OpenUse
    from judging.models import Study, StudyItem
    from judging.states import StudyState

    of_records = records.order_by().values("pk")
    items = StudyItem.objects.filter(response__instance__contradiction__in=of_records).order_by()
    studies = Study.objects.filter(state=StudyState.OPEN, pk__in=items.values("study"))
    return [
        OpenUse(f"The study {name} is open and uses it.", reverse("judging:study", args=[key]))
        for key, name in studies.order_by("name").values_list("pk", "name")
    ]


def studies_of(run: int) -> "list[Use]":
    """The studies with responses of this run, to judge or to warm up."""
    from django.db.models import Q
    from django.urls import reverse

    from judging.models import GoldItem, Study, StudyItem
    from protocols.uses import Use

    items = (model.objects.filter(response__run=run).order_by() for model in (StudyItem, GoldItem))
    judge, warm_up = (Q(pk__in=rows.values("study")) for rows in items)
    return [
        Use(f"{state} study", name, reverse("judging:study", args=[key]))
        for key, state, name in Study.objects.filter(judge | warm_up)
        .order_by("name")
        .values_list("pk", "state", "name")
    ]


def judged_responses(keys: Collection[int]) -> set[int]:
    """Those of the responses that a person or a model has judged, or that are in a study that is closed."""
    from django.db.models import Exists, OuterRef, Q

    from judging.models import Judgment, MachineVerdict, StudyItem
    from judging.states import MachineState, StudyState

    items = StudyItem.objects.filter(response__in=keys).order_by()
    given = MachineVerdict.objects.filter(
        item=OuterRef("pk"), state__in=(MachineState.JUDGED, MachineState.UNPARSED)
    )
    people = Judgment.objects.filter(slot__item=OuterRef("pk"))
    known = items.filter(Q(Exists(people)) | Q(Exists(given)) | Q(study__state=StudyState.CLOSED))
    return set(known.values_list("response", flat=True))


def verdicts_to_ask() -> "CallQueue":
    """Loaded by what asks services, not by every command."""
    from judging.machine.calls import JudgeQueue

    return JudgeQueue()
