"""The judges of a study one by one, and the causes of their disagreements."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.access import person_of
from evaluation.access import study_for
from evaluation.judges.counts import rounds_shown
from evaluation.judges.judge_figures import cause_tables, compared, criteria_of, listed, shares_of
from evaluation.views.reports import for_researchers
from judging import progress, warmup
from judging.machine import control
from judging.models import JudgingSlot, MachineVerdict, Rubric
from leases.rows import first_of


@for_researchers
def judges(request: HttpRequest, study_id: int) -> HttpResponse:
    study = study_for(person_of(request), study_id)
    context = {"study": study, "judges": listed(study), "causes": cause_tables(study)}
    return render(request, "evaluation/judges.html", context)


@for_researchers
def judge(request: HttpRequest, study_id: int, judge_id: int) -> HttpResponse:
    """What a person gave in a study, how it compares, and at what pace; judge models are in the report."""
    study = study_for(person_of(request), study_id)
    people = study.judges.filter(person__isnull=False, pk=judge_id)
    shown = first_of(people.select_related("person"), "There is no such judge in this study.")
    assert shown.person is not None
    slots, rounds = JudgingSlot.objects.filter(judge=shown), rounds_shown(study)
    of = study.rounds.select_related("rubric").filter(n=rounds.get(shown.pseudonym, 0))
    context = {
        "study": study,
        "judge": shown,
        "cluster": study.declaration.cluster_word,
        "counts": progress.of_slots(slots),
        "flagged": slots.filter(flagged=True).count(),
        "round": of.first(),
        "shares": shares_of(study, shown, rounds),
        "compared": compared(study, shown, rounds),
        "pace": progress.pace(shown.person, study),
        "days": progress.timesheet(shown.person, study),
        "warm_up": warmup.outcome(study, shown),
    }
    return render(request, "evaluation/judge.html", context)


@for_researchers
def judge_model(request: HttpRequest, study_id: int, judge_id: int) -> HttpResponse:
    """What a judge model is sent, next to the criteria that people judged the same responses by."""
    study = study_for(person_of(request), study_id)
    judge = control.judge_named(study, judge_id)
    rows = MachineVerdict.objects.filter(judge=judge).order_by()
    asked: dict[int, set[str]] = {}
    for key, prompt in rows.values_list("rubric", "item__response__prompt").distinct():
        asked.setdefault(key, set()).add(prompt)
    versions = Rubric.objects.filter(pk__in=asked).order_by("version")
    context = {
        "study": study,
        "judge": judge,
        "progress": control.progress(judge),
        "rubrics": [criteria_of(version, asked[version.pk]) for version in versions],
    }
    return render(request, "evaluation/judge_model.html", context)
