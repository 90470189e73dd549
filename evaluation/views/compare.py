"""Comparisons that a researcher chooses, beside those that every report declares."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, roles_required
from evaluation import counts, verdict_counts
from evaluation.access import study_for
from evaluation.asked import KIND_LABELS, Asked, of_models, read
from evaluation.comparison_page import family_sections
from evaluation.comparison_report import answers_of, comparisons_entry
from evaluation.figures import Report
from evaluation.views.reports import READERS
from judging.models import Study, Verdict
from leases.refusal import Refusal
from pages.twins import json_twin


@require_safe
@roles_required(*READERS)
def compare(request: HttpRequest, study_id: int) -> HttpResponse:
    """The form, and below it what was asked; a question that cannot be asked keeps what was entered."""
    study = study_for(person_of(request), study_id)
    parts = _parts(study)
    context: dict[str, Any] = {
        "study": study,
        "kinds": KIND_LABELS.items(),
        "verdicts": Verdict.choices[::-1],
        "given": request.GET,
        "chosen_models": set(request.GET.getlist("model")),
        "asked_anything": "kind" in request.GET,
        "query": request.GET.urlencode(),
        **parts,
    }
    if not context["asked_anything"]:
        return render(request, "evaluation/compare.html", context)
    try:
        report = _answer(study, parts, _asked(request, parts))
    except Refusal as refusal:
        context["problem"] = refusal.message
        return render(request, "evaluation/compare.html", context, status=400)
    context |= {"report": report, "families": family_sections(report)}
    return render(request, "evaluation/compare.html", context)


@require_safe
@roles_required(*READERS)
def compare_json(request: HttpRequest, study_id: int) -> HttpResponse:
    study = study_for(person_of(request), study_id)
    parts = _parts(study)
    return json_twin(_answer(study, parts, _asked(request, parts)))


def _parts(study: Study) -> dict[str, Any]:
    """What a question can name: the study's prompts and models, as in its report."""
    names = counts.model_names(counts.models_of(study))
    prompts = [counts.prompt_entry(name) for name in counts.prompts_of(study)]
    prompts.sort(key=lambda prompt: (prompt["label"], prompt["name"]))
    models = [{"id": pk, "name": name} for pk, name in counts.in_name_order(names)]
    return {"prompts": prompts, "models": models}


def _asked(request: HttpRequest, parts: dict[str, Any]) -> Asked:
    return read(
        request.GET,
        request.GET.getlist("model"),
        prompts=[prompt["name"] for prompt in parts["prompts"]],
        verdicts=Verdict.values,
        known_models=[model["id"] for model in parts["models"]],
    )


def _answer(study: Study, parts: dict[str, Any], asked: Asked) -> Report:
    """The answer in the shape of a report, with its one family."""
    names = {model["id"]: model["name"] for model in parts["models"]}
    answered = verdict_counts.answered(study, names)
    kept = of_models(answered, [names[pk] for pk in asked.models])
    entry = comparisons_entry(answers_of(kept, asked.verdict), study.seed, [asked.family])
    return {"study": {"id": study.pk, "name": study.name}, **parts, "comparisons": entry}
