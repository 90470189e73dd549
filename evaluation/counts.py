"""What a study's rows say, counted by the database."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q, QuerySet

from datasets.contexts import reasoning
from datasets.models import SamePassage
from evaluation.tables import Group
from generation import prompting
from generation.models import LanguageModel
from judging.models import JudgingSlot, Study, StudyItem

# An exclusion counts once a second person has agreed to it.
EXCLUDED = Q(response__instance__exclusion__seconded_by__isnull=False)


def kept_items(study: Study) -> QuerySet[StudyItem]:
    """The responses that final verdicts are counted on: those whose instance is not excluded."""
    return study.items.exclude(EXCLUDED)


def verdict_groups(study: Study, names: dict[int, str]) -> list[Group]:
    """Final verdicts by model (`names` maps its id to its shown name), prompt, reasoning and passages."""
    instance = "response__instance__contradiction__"
    rows = (
        kept_items(study)
        .order_by()
        .values_list(
            "response__model_id",
            "response__prompt",
            f"{instance}type_4",
            f"{instance}same_passage",
            "resolution__verdict",
        )
        .annotate(count=Count("pk"))
    )
    return [
        Group(names[model], prompt, reasoning(kind).value, same == SamePassage.SAME, verdict, count)
        for model, prompt, kind, same, verdict, count in rows
    ]


def first_judged(study: Study) -> QuerySet[JudgingSlot]:
    """Slots with an independent first verdict; repeats measure a judge against themself, so they stay out."""
    return JudgingSlot.objects.filter(
        round__study=study, repeat=1, judgment__first_verdict__isnull=False
    )


def model_names(models: Iterable[LanguageModel]) -> dict[int, str]:
    """A shown name for each model, by id; two of one name are told apart by service, then by number.

    No two models have one name in the end, whatever they are called: a report counts by these names.
    """
    rows = list(models)
    shown = {model.pk: str(model) for model in rows}
    for told_apart in (lambda m: f"{m} ({m.service or 'imported'})", lambda m: f"{m} (no. {m.pk})"):
        shown |= {model.pk: told_apart(model) for model in _twins(rows, shown)}
    while twins := _twins(rows, shown):  # a model may be called what tells another one apart
        shown |= {model.pk: f"{shown[model.pk]} (no. {model.pk})" for model in twins}
    return shown


def _twins(models: Iterable[LanguageModel], shown: dict[int, str]) -> list[LanguageModel]:
    times = Counter(shown.values())
    return [model for model in models if times[shown[model.pk]] > 1]


def models_of(study: Study) -> QuerySet[LanguageModel]:
    return LanguageModel.objects.filter(responses__study_items__study=study).distinct()


def prompts_of(study: Study) -> list[str]:
    """The names of the prompts whose responses a study judges."""
    return sorted(study.items.order_by().values_list("response__prompt", flat=True).distinct())


def one_passage_prompts() -> set[str]:
    """The names of the prompts that give a model one of the two passages."""
    return {name for name, prompt in prompting.prompts().items() if len(prompt.passages) == 1}


def how_counts(study: Study) -> dict[str | None, int]:
    """How final verdicts came about: responses by Resolution.how, None for those without one."""
    rows = kept_items(study).order_by().values_list("resolution__how").annotate(count=Count("pk"))
    return dict(rows)


def prompt_entry(name: str) -> dict[str, Any]:
    """A prompt's name, label and title; one that this project does not have keeps its name as label."""
    known = prompting.prompts().get(name)
    if known is None:
        return {"name": name, "label": name, "title": name, "one_passage": False}
    one_passage = len(known.passages) == 1
    return {"name": name, "label": known.label, "title": known.title, "one_passage": one_passage}


def in_name_order(names: dict[int, str]) -> list[tuple[int, str]]:
    return sorted(names.items(), key=lambda entry: (entry[1].casefold(), entry[0]))
