"""Comparisons that a researcher chooses, in addition to those of every report."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.access import person_of
from evaluation.access import study_for
from evaluation.compare.request import AskedComparison, kinds_for, of_models, read_comparison
from evaluation.counts import final_verdicts
from evaluation.counts.judged import items_of
from evaluation.counts.naming import model_names, models_of, subject_of
from evaluation.report.comparison_sentences import families
from evaluation.rows.filters import verdicts_of
from evaluation.rows.listing import prompt_words
from evaluation.sections.comparison_entries import answers_of, comparisons_entry
from evaluation.sections.scored_entries import protocol_entry
from evaluation.shapes.study_report import ComparisonAnswer, ReportSubject
from evaluation.tables.report_words import cluster_word, in_its_words
from evaluation.views.reports import for_researchers
from judging.models import Study
from leases.refusal import Refusal
from pages.data_responses import json_response


@for_researchers
def compare(request: HttpRequest, study_id: int) -> HttpResponse:
    """The form, and below it what was asked; a question that cannot be asked keeps what was entered."""
    study = study_for(person_of(request), study_id)
    parts = subject_of(study, model_names(models_of(study)))
    context = {
        "study": study,
        "kinds": kinds_for(study.declaration.name),
        "verdicts": verdicts_of(study),
        "named_prompts": [(p["name"], prompt_words(p["name"])) for p in parts["prompts"]],
        "given": request.GET,
        "chosen_models": set(request.GET.getlist("model")),
        "asked_anything": "kind" in request.GET,
        "query": request.GET.urlencode(),
        **parts,
    }
    if "kind" not in request.GET:
        return render(request, "evaluation/compare.html", context)
    try:
        report = _answer(study, parts, _asked(request, study, parts))
    except Refusal as refusal:
        context["problem"] = refusal.message
        return render(request, "evaluation/compare.html", context, status=400)
    word = study.judged_by.scale[report["comparisons"]["verdict"]].label.lower()
    cluster = cluster_word(report)
    context |= {"report": report, "families": families(in_its_words(report, cluster), word)}
    context |= {"compared": word, "cluster": cluster}
    return render(request, "evaluation/compare.html", context)


@for_researchers
def compare_json(request: HttpRequest, study_id: int) -> HttpResponse:
    study = study_for(person_of(request), study_id)
    parts = subject_of(study, model_names(models_of(study)))
    return json_response(_answer(study, parts, _asked(request, study, parts)))


def _asked(request: HttpRequest, study: Study, parts: ReportSubject) -> AskedComparison:
    return read_comparison(
        request.GET,
        request.GET.getlist("model"),
        prompts=[prompt["name"] for prompt in parts["prompts"]],
        verdicts=study.judged_by.scale.keys,
        known_models=[model["id"] for model in parts["models"]],
    )


def _answer(study: Study, parts: ReportSubject, asked: AskedComparison) -> ComparisonAnswer:
    """The answer in the shape of a report, with its one family."""
    names = {model["id"]: model["name"] for model in parts["models"]}
    answered = final_verdicts.answered(items_of(study), names)
    kept = of_models(answered, [names[pk] for pk in asked.models])
    entry = comparisons_entry(answers_of(kept, asked.verdict), study.seed, [asked.family])
    answer: ComparisonAnswer = {
        "study": {"id": study.pk, "name": study.name},
        **parts,
        "comparisons": entry,
    }
    if study.protocol:
        answer["protocol"] = protocol_entry(study.declaration)
    return answer
