"""The page of a study, and its lists for people who do not judge in it."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.access import person_of
from accounts.models import Person
from accounts.roles import Role
from datasets.subsets import superseded_in
from generation import prompt_versions
from generation.models import LanguageModel
from judging import blinding, pool, presenting, progress, rounds
from judging.forms.judge_model_forms import JudgeModelForm
from judging.forms.round_forms import ReopenForm
from judging.forms.study_forms import FurtherJudgeForm, JudgesForm, WarmUpForm
from judging.machine import control
from judging.machine.scope import halves_of
from judging.models import Judge, JudgingSlot, Resolution, Round, Study, StudyItem
from judging.open_work import unattended
from judging.planning import DryRun
from judging.published import over_study
from judging.rules import rubric
from judging.rules.blindness import hides_judges
from judging.rules.resolution import WAYS
from judging.rules.rubric import PromptCriteria
from judging.settling import first_verdicts, unresolved
from judging.states import StudyState
from pages.counting import how_many
from pages.paging import page_of

# A judge who has given no verdict for so many days holds their items too long.
IDLE_DAYS = 3
LEAVE_ASKS = "{} end here. A third person decides on these responses."


def study_page(
    request: HttpRequest,
    study: Study,
    form: JudgesForm | None = None,
    model_form: JudgeModelForm | None = None,
    further: FurtherJudgeForm | None = None,
    dry_run: DryRun | None = None,
    warm_up_form: WarmUpForm | None = None,
    reopen_form: ReopenForm | None = None,
) -> HttpResponse:
    """The page of a study; a refused form keeps what was entered."""
    person = person_of(request)
    form = form or JudgesForm()
    is_admin = person.has_role(Role.ADMIN)
    hidden = blinding.results_problem(person, study)
    shows_judges = not hides_judges(hidden=hidden is not None, is_admin=is_admin)
    context: dict[str, Any] = {
        "study": study,
        "hidden": hidden,
        "way": WAYS.get(study.resolved_by, study.get_resolved_by_display()),
        "form": form,
        "is_admin": is_admin,
        "further": further or FurtherJudgeForm(study=study),
        "dry_run": dry_run,
        "gold": study.gold_items.count(),
        "reopen": reopen_form or ReopenForm(),
        "warm_up": warm_up_form or _warm_up_form(study, person),
        "is_pool": study.pairing == Study.Pairing.POOL,
        "is_fixed": study.pairing == Study.Pairing.FIXED,
        "shows_judges": shows_judges,
        "judges": progress.by_judge(study) if shows_judges else [],
        "idle_days": IDLE_DAYS,
        "unattended": unattended(study),
        "held_too_long": pool.held_too_long(study, IDLE_DAYS).count(),
        "progress": progress.of_study(study) if shows_judges else None,
        "responses": (responses := study.items.count()),
        "not_judged": responses - study.judged_items.count() if study.is_judged else 0,
    }
    if is_admin and study.state == StudyState.DRAFT:
        context["published"] = over_study(study)
    if hidden is None:
        blinding.require_records(person, study)
        context |= _results(request, study)
        context["model_form"] = model_form or _model_form(study)
        may_go_on = is_admin and study.is_judged and not study.is_imported
        if may_go_on and study.state == StudyState.CLOSED:
            context |= _going_on(study, context["settled"]["discussed"])
    refused = any(
        shown is not None and shown.errors
        for shown in (form, model_form, further, warm_up_form, reopen_form)
    )
    return render(request, "judging/study.html", context, status=400 if refused else 200)


def _results(request: HttpRequest, study: Study) -> dict[str, Any]:
    """What only those see from whom no result of the study is hidden."""
    named, marked = naming(study), flagged(study)
    shown = [*named, *(slot.item for slot in marked)]
    blinding.keep_items(person_of(request), shown, request.path)
    return {
        "composition": _composition(study),
        "superseded": superseded_in(study.subset).count() if study.subset else 0,
        "coverage": progress.coverage(study),
        "settled": progress.responses_settled(study),
        "rounds": rounds_of(study),
        "unresolved": unresolved_page(request, study),
        "naming": named,
        "flagged": marked,
        "may_export": True,
        "judge_models": judge_models(study),
        "halves": halves_of(study),
        "cluster": study.declaration.cluster_word,
    }


def _criteria(study: Study) -> dict[str, PromptCriteria]:
    rounds = study.rounds.select_related("rubric")
    versions = [round_.rubric for round_ in rounds] or [study.judged_by]
    return {
        name: criteria
        for version in versions
        for name, criteria in rubric.parse(version.body).prompts.items()
    }


def _composition(study: Study) -> dict[str, Any]:
    """What the study draws: {"prompts": [(prompt or its criteria, origin) …], "models": [...], "instances": n,
    "not_verified": n}: how many of its prompts are not verified."""
    items = study.items.all()
    prompts = set(items.order_by().values_list("response__prompt", flat=True).distinct())
    asked = prompt_versions.known(prompts)
    known: dict[str, Any] = {**_criteria(study)} if study.is_judged else {}
    known |= {name: prompt for name, prompt in asked.items() if name not in known}
    models = LanguageModel.objects.filter(responses__study_items__study=study).distinct()
    return {
        "prompts": [
            (shown, asked[name].origin if name in asked else "")
            for name, shown in known.items()
            if name in prompts
        ],
        "models": list(models),
        "instances": items.values("response__instance").distinct().count(),
        "not_verified": items.filter(response__prompt_verified=False).count(),
    }


def _going_on(study: Study, discussed: int) -> dict[str, Any]:
    """What an admin needs to know before a closed study is judged further."""
    missed, is_discussed = progress.of_study(study).missed, rounds.is_discussed(study)
    may_reopen = missed and not is_discussed
    return {
        "may_go_on": True,
        "missed": missed,
        "leave_asks": discussed and LEAVE_ASKS.format(how_many(discussed, "discussion")),
        "may_reopen": may_reopen,
        "published": over_study(study) if may_reopen else [],
    }


def _model_form(study: Study) -> JudgeModelForm | None:
    """None where no model can judge: they are sent gold answers."""
    may_begin = study.is_judged and rubric.parse(study.judged_by.body).needs_gold
    return JudgeModelForm(study=study) if may_begin else None


def _warm_up_form(study: Study, person: Person) -> WarmUpForm | None:
    is_asked = study.is_judged and study.state == StudyState.DRAFT
    return WarmUpForm(study=study, person=person) if is_asked else None


# ---------------------------------------------------------------- lists, for people who do not judge in the study


@dataclass(frozen=True)
class UnresolvedRow:
    """A response that waits for a third person, with its judges' verdicts."""

    item: StudyItem
    verdicts: tuple[str, ...]


def unresolved_page(request: HttpRequest, study: Study) -> Page[Any]:
    """One page of the responses that wait for a third person; only the verdicts of this page are read.

    It is recorded that the person is shown their questions.
    """
    related = ("response__instance__contradiction", "response__model", "round__rubric")
    items = unresolved(study).select_related(*related).defer(f"{related[0]}__fields")
    page = page_of(request, items)
    blinding.keep_items(person_of(request), page, request.path)
    presenting.label_prompts(study, page.object_list)
    known = {item.round_id: rubric.parse(item.rubric.body) for item in page.object_list}
    page.object_list = [_unresolved_row(item, known[item.round_id]) for item in page.object_list]
    return page


def _unresolved_row(item: StudyItem, known: rubric.ParsedRubric) -> UnresolvedRow:
    verdicts = first_verdicts(item)
    return UnresolvedRow(
        item,
        tuple(known.scale[verdict].label if verdict else "No verdict" for verdict in verdicts),
    )


@dataclass(frozen=True)
class RoundRow:
    """A round of a study: its slots by state, its responses, and how many final verdicts are its own."""

    round: Round
    counts: progress.SlotCounts
    responses: int
    final: int


def rounds_of(study: Study) -> list[RoundRow]:
    """The rounds of a study, the first one first."""
    rows = study.rounds.select_related("rubric", "opened_by").prefetch_related("reopenings__by")
    rounds = list(rows.order_by("n"))
    counts = progress.of_rounds(rounds)
    judged = JudgingSlot.objects.filter(round__in=rounds).order_by().values_list("round")
    responses = dict(judged.annotate(n=Count("item", distinct=True)))
    final = Resolution.objects.filter(round__in=rounds, final_for__isnull=False)
    finals = dict(final.order_by().values_list("round").annotate(n=Count("pk")))
    return [
        RoundRow(round_, counts[round_.pk], responses.get(round_.pk, 0), finals.get(round_.pk, 0))
        for round_ in rounds
    ]


def naming(study: Study) -> list[StudyItem]:
    """The responses that name their own model, so that their judges were not blind."""
    items = study.items.filter(names_its_model=True)
    return list(items.select_related("response__instance", "response__model"))


def flagged(study: Study) -> list[JudgingSlot]:
    """The slots that judges flagged or skipped, with their notes."""
    slots = JudgingSlot.objects.filter(round__study=study)
    marked = slots.filter(flagged=True) | slots.exclude(skip_reason="")
    return list(marked.select_related("judge", "item__response__instance"))


@dataclass(frozen=True)
class JudgeModelRow:
    """A judge model of a study: its progress, why responses failed or wait, and how many are `outdated`."""

    judge: Judge
    progress: control.MachineProgress
    reasons: list[tuple[str, int]]
    outdated: int

    @property
    def may_resume(self) -> bool:
        left = self.progress.failed + self.progress.cancelled
        return bool(left and self.judge.model and self.judge.model.service)


def judge_models(study: Study) -> list[JudgeModelRow]:
    """The study's judge models, imported ones included."""
    progress_of, outdated = control.progress_of(study), control.outdated(study)
    reasons_of = control.reasons_of(study)
    return [
        JudgeModelRow(
            judge,
            progress_of.get(judge.pk, control.NONE_ASKED),
            reasons_of.get(judge.pk, []),
            outdated.get(judge.pk, 0),
        )
        for judge in control.judges_of(study)
    ]
