"""The models and prompts of a study, by the names that a report gives them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from django.db.models import QuerySet

from evaluation.shapes.study_report import ReportPrompt, ReportSubject
from generation import prompt_versions
from generation.models import LanguageModel
from generation.prompts.prompting import Prompt
from judging.models import Study
from judging.rules import rubric
from protocols.declaration import WIKICONTRADICT


def model_names(models: Iterable[LanguageModel]) -> dict[int, str]:
    """A shown name for each model, by id; models of one name are told apart by service, then by number.

    No two shown names are the same: a report counts by them.
    """
    rows = list(models)
    shown = {model.pk: str(model) for model in rows}
    for distinguished in (
        lambda m: f"{m} ({m.service or 'imported'})",
        lambda m: f"{m} (no. {m.pk})",
    ):
        shown |= {model.pk: distinguished(model) for model in _twins(rows, shown)}
    while twins := _twins(rows, shown):  # a model may be called as another one is shown
        shown |= {model.pk: f"{shown[model.pk]} (no. {model.pk})" for model in twins}
    return shown


def _twins(models: Iterable[LanguageModel], shown: dict[int, str]) -> list[LanguageModel]:
    times = Counter(shown.values())
    return [model for model in models if times[shown[model.pk]] > 1]


def models_of(study: Study) -> QuerySet[LanguageModel]:
    return LanguageModel.objects.filter(responses__study_items__study=study).distinct()


def prompts_of(study: Study) -> list[str]:
    """The names of the prompts whose responses a study has."""
    return sorted(study.items.order_by().values_list("response__prompt", flat=True).distinct())


def one_passage_prompts(names: Collection[str] | None = None) -> set[str]:
    """Which prompts of these names (None: of all) give a model one of the two passages of WikiContradict."""
    return {name for name, prompt in prompt_versions.known(names).items() if _gives_one(prompt)}


def _gives_one(prompt: Prompt) -> bool:
    return prompt.protocol == WIKICONTRADICT and len(prompt.passages) == 1


def prompt_entry(name: str) -> ReportPrompt:
    """A prompt as a report holds it; one that is not known here has its name as label and title."""
    known = prompt_versions.known([name]).get(name)
    if known is None:
        return {"name": name, "label": name, "title": name, "one_passage": False}
    entry: ReportPrompt = {
        "name": name,
        "label": known.label,
        "title": known.title,
        "one_passage": _gives_one(known),
    }
    return entry if known.protocol == WIKICONTRADICT else {**entry, "origin": known.origin}


def subject_of(study: Study, names: Mapping[int, str]) -> ReportSubject:
    """What comparisons can name: the study's prompts by label, and its models by their shown `names`."""
    prompts = sorted(
        map(prompt_entry, prompts_of(study)), key=lambda prompt: (prompt["label"], prompt["name"])
    )
    known = rubric.parse(study.rubric.body) if study.rubric else None
    for prompt in prompts:
        if known and not known.is_judged(prompt["name"]):
            prompt["judged"] = False
    models = in_name_order(names)
    return {"prompts": prompts, "models": [{"id": pk, "name": name} for pk, name in models]}


def judged_prompts(subject: ReportSubject) -> list[ReportPrompt]:
    """Those whose responses people judge."""
    return [prompt for prompt in subject["prompts"] if prompt.get("judged", True)]


def in_name_order(names: Mapping[int, str]) -> list[tuple[int, str]]:
    return sorted(names.items(), key=lambda entry: (entry[1].casefold(), entry[0]))
