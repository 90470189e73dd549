"""What a study's page lists beside its counts: for those who do not judge in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest

from judging import judgemodel, rubric
from judging.models import Judge, JudgingSlot, Study, StudyItem
from judging.settling import first_verdicts, unresolved
from pages.paging import page_of


@dataclass(frozen=True)
class UnresolvedRow:
    """A response that waits for a third person, with what its judges said."""

    item: StudyItem
    prompt_label: str
    verdicts: tuple[str, ...]


def unresolved_page(request: HttpRequest, study: Study) -> Page[Any]:
    """One page of what waits for a third person; only its rows are read and told apart."""
    items = unresolved(study).select_related("response__instance__contradiction", "response__model")
    page = page_of(request, items)
    page.object_list = _rows(study, page.object_list)
    return page


def _rows(study: Study, items: Iterable[StudyItem]) -> list[UnresolvedRow]:
    known = rubric.parse(study.rubric.body)
    return [
        UnresolvedRow(
            item,
            known.prompts[item.response.prompt].label,
            tuple(known.label(given) if given else "No verdict" for given in first_verdicts(item)),
        )
        for item in items
    ]


def naming(study: Study) -> list[StudyItem]:
    """The responses that give their own model away, so that their judges were not blind."""
    found = study.items.filter(names_its_model=True)
    return list(found.select_related("response__instance", "response__model"))


def flagged(study: Study) -> list[JudgingSlot]:
    """What judges flagged or skipped, with their words."""
    slots = JudgingSlot.objects.filter(round__study=study)
    marked = slots.filter(flagged=True) | slots.exclude(skip_reason="")
    return list(marked.select_related("judge", "item__response__instance"))


@dataclass(frozen=True)
class JudgeModelRow:
    """A judge model of a study: how far it is, and what keeps it from going on."""

    judge: Judge
    progress: judgemodel.Progress
    reasons: list[tuple[str, int]]

    @property
    def may_resume(self) -> bool:
        left = self.progress.failed + self.progress.cancelled
        return bool(left and self.judge.model and self.judge.model.service)


def judge_models(study: Study) -> list[JudgeModelRow]:
    """The study's judge models, and those that a file speaks for."""
    return [
        JudgeModelRow(judge, judgemodel.progress(judge), judgemodel.reasons(judge))
        for judge in judgemodel.judges_of(study)
    ]
