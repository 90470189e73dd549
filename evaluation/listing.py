"""Lists on pages: studies with what can be reported of them, and responses with their verdicts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet

from accounts.models import Person
from evaluation import rows, tables
from evaluation.counts import model_names, models_of, prompt_entry
from evaluation.rows import Choice
from evaluation.verdict_page import SLICE_LABELS
from judging.blindness import results_problem
from judging.models import JudgingSlot, MachineVerdict, Study, StudyItem, Verdict
from judging.states import MachineState

MATCHES = {
    rows.YES: "the same as the final verdict",
    rows.NO: "another than the final verdict, or none",
}


@dataclass(frozen=True)
class Entry:
    """A study in the list of reports; `hidden` says why this person may not read it."""

    study: Study
    responses: int
    final: int
    snapshots: int
    hidden: str


def studies() -> QuerySet[Study]:
    """All studies, newest first."""
    return Study.objects.order_by("-pk")


def entries(page: Iterable[Study], person: Person) -> list[Entry]:
    """The studies of one page with their counts; those hidden from the person without any."""
    shown = list(page)
    counted = {study.pk: study for study in _counted(study.pk for study in shown)}
    return [_entry(counted[study.pk], person) for study in shown]


def _counted(ids: Iterable[int]) -> QuerySet[Study]:
    return Study.objects.filter(pk__in=list(ids)).annotate(
        responses=Count("items", distinct=True),
        final=Count("items", filter=Q(items__resolution__isnull=False), distinct=True),
        frozen=Count("snapshots", distinct=True),
    )


def _entry(study: Study, person: Person) -> Entry:
    if problem := results_problem(person, study):
        return Entry(study, 0, 0, 0, problem)
    counts = {name: getattr(study, name) for name in ("responses", "final", "frozen")}
    return Entry(study, counts["responses"], counts["final"], counts["frozen"], "")


def with_verdicts(items: QuerySet[StudyItem]) -> QuerySet[StudyItem]:
    """The items with all that a page of rows shows: first verdicts of closed slots, judge models' replies."""
    related = ("resolution__resolved_by", "response__model", "response__instance__contradiction")
    closed = JudgingSlot.objects.filter(judgment__first_verdict__isnull=False)
    slots = closed.select_related("judge", "judgment", "round").order_by(
        "round__n", "seat", "repeat"
    )
    asked = MachineVerdict.objects.select_related("judge").prefetch_related("calls")
    replied = asked.filter(state__in=[MachineState.JUDGED, MachineState.UNPARSED])
    return items.select_related(*related).prefetch_related(
        Prefetch("slots", queryset=slots, to_attr="closed_slots"),
        Prefetch(
            "machine_verdicts", queryset=replied.order_by("judge__pseudonym"), to_attr="replied"
        ),
    )


def with_prompts(items: Iterable[StudyItem]) -> list[tuple[StudyItem, str]]:
    """Each item with its prompt's label and title."""
    return [(item, prompt_words(item.response.prompt)) for item in items]


def prompt_words(name: str) -> str:
    prompt = prompt_entry(name)
    return f"{prompt['label']}: {prompt['title']}"


def in_words(choice: Choice, study: Study) -> list[tuple[str, str]]:
    """The choice as (what, value) for the page's head."""
    names = model_names(models_of(study))
    labels = dict(Verdict.choices) | {
        tables.UNLABELLED: "No final verdict",
        rows.LABELLED: "Any final verdict",
        "": "any",
    }
    found = [
        ("Prompt", prompt_words(choice.prompt) if choice.prompt else ""),
        ("Model", _model(choice.model, names)),
        ("Reasoning", SLICE_LABELS.get(choice.slice, "")),
        ("Final verdict", labels[choice.verdict] if choice.verdict else ""),
        (
            f"First verdict of {choice.judge_1 or 'one'}",
            _first(choice.judge_1, choice.first_1, labels),
        ),
        ("Judge model", _judge_model(choice, study)),
        ("It said", _said(choice.said)),
        ("Also judged of model", _model(choice.with_model, names)),
        ("Also judged on prompt", prompt_words(choice.with_prompt) if choice.with_prompt else ""),
        ("Its verdict", MATCHES.get(choice.match, "")),
        ("Given by people or by it", labels[choice.either] if choice.either else ""),
        (
            f"First verdict of {choice.judge_2 or 'the other'}",
            _first(choice.judge_2, choice.first_2, labels),
        ),
        ("First verdicts", "not the same" if choice.differ == rows.YES else ""),
    ]
    return [(what, value) for what, value in found if value]


def _model(given: str, names: Mapping[int, str]) -> str:
    return names.get(int(given), "none of this study's") if given else ""


def _judge_model(choice: Choice, study: Study) -> str:
    if not choice.judge_model:
        return ""
    judge = study.judges.filter(pk=int(choice.judge_model)).first()
    return judge.pseudonym if judge else "none of this study's"


def _said(said: str) -> str:
    if said in (tables.UNPARSED, rows.REPLIED):
        return "No verdict in the reply" if said == tables.UNPARSED else "Anything"
    return Verdict(said).label if said else ""


def _first(judge: str, verdict: str, labels: dict[str, str]) -> str:
    return labels[verdict] if judge or verdict else ""
