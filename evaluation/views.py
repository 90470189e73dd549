"""Pages of reports: list, report, the rows behind a number, frozen snapshots, and their JSON and CSV."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from evaluation import listing, snapshots
from evaluation.access import snapshot_for, study_for
from evaluation.agreement_page import COLUMNS, agreement_rows, agreement_sections
from evaluation.figures import Report
from evaluation.reports import study_report
from evaluation.rows import COLUMNS as ROW_COLUMNS
from evaluation.rows import Choice, chosen, records
from evaluation.sheets import SHEETS
from evaluation.verdict_page import prompt_sections
from leases.refusal import NotFoundHere
from pages.paging import page_of
from pages.twins import csv_twin, json_twin

READERS = (Role.RESEARCHER, Role.ADMIN)
ROWS_PER_PAGE = 20


@require_safe
@roles_required(*READERS)
def reports(request: HttpRequest) -> HttpResponse:
    page = page_of(request, listing.studies())
    entries = listing.entries(page.object_list, person_of(request))
    return render(request, "evaluation/reports.html", {"page": page, "entries": entries})


@require_safe
@roles_required(*READERS)
def report(request: HttpRequest, study_id: int) -> HttpResponse:
    study = study_for(person_of(request), study_id)
    frozen = study.snapshots.select_related("created_by")
    context = {"study": study, "snapshots": frozen, **laid_out(study_report(study))}
    return render(request, "evaluation/report.html", context)


def laid_out(body: Report) -> dict[str, Any]:
    """What the page of a report shows, live or frozen."""
    return {
        "report": body,
        "agreement_columns": COLUMNS,
        "agreement": agreement_rows(body),
        "by_prompt": agreement_sections(body),
        "sections": prompt_sections(body),
    }


@require_safe
@roles_required(*READERS)
def report_json(request: HttpRequest, study_id: int) -> HttpResponse:
    return json_twin(study_report(study_for(person_of(request), study_id)))


@require_safe
@roles_required(*READERS)
def report_csv(request: HttpRequest, study_id: int, sheet: str) -> HttpResponseBase:
    study = study_for(person_of(request), study_id)
    return sheet_csv(study_report(study), sheet, f"{study.slug}-{sheet}.csv")


def sheet_csv(body: Report, name: str, filename: str) -> HttpResponseBase:
    """One sheet of a report as CSV; NotFoundHere for a name that no sheet has."""
    if name not in SHEETS:
        raise NotFoundHere(f"A report has no {name}.csv. It has: {', '.join(SHEETS)}, rows.")
    sheet = SHEETS[name](body)
    return csv_twin(sheet.header, sheet.rows, filename)


@require_safe
@roles_required(*READERS)
def report_rows(request: HttpRequest, study_id: int) -> HttpResponse:
    study = study_for(person_of(request), study_id)
    choice = Choice.read(request.GET)
    page = page_of(request, listing.with_verdicts(chosen(study, choice)), per=ROWS_PER_PAGE)
    context = {
        "study": study,
        "page": page,
        "items": listing.with_prompts(page.object_list),
        "chosen": listing.in_words(choice, study),
        "query": request.GET.urlencode(),
    }
    return render(request, "evaluation/rows.html", context)


@require_safe
@roles_required(*READERS)
def rows_csv(request: HttpRequest, study_id: int) -> HttpResponseBase:
    study = study_for(person_of(request), study_id)
    items = chosen(study, Choice.read(request.GET))
    lines = (list(record.values()) for record in records(items))
    return csv_twin(list(ROW_COLUMNS), lines, f"{study.slug}-rows.csv")


@require_POST
@roles_required(*READERS)
def freeze(request: HttpRequest, study_id: int) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, study_id)
    frozen, made = snapshots.freeze(study, by=person, note=request.POST.get("note", ""))
    told = "The report is frozen." if made else "This report was frozen already; here it is."
    messages.success(request, told)
    return redirect("evaluation:snapshot", frozen.pk)


@require_safe
@roles_required(*READERS)
def snapshot(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    frozen = snapshot_for(person_of(request), snapshot_id)
    context = {
        "study": frozen.study,
        "snapshot": frozen,
        "changed": snapshots.has_changed(frozen),
        **laid_out(snapshots.report_of(frozen)),
    }
    return render(request, "evaluation/snapshot.html", context)


@require_safe
@roles_required(*READERS)
def snapshot_json(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    return json_twin(snapshots.report_of(snapshot_for(person_of(request), snapshot_id)))


@require_safe
@roles_required(*READERS)
def snapshot_csv(request: HttpRequest, snapshot_id: int, sheet: str) -> HttpResponseBase:
    frozen = snapshot_for(person_of(request), snapshot_id)
    assert frozen.study is not None
    name = f"{frozen.study.slug}-snapshot-{frozen.pk}-{sheet}.csv"
    return sheet_csv(snapshots.report_of(frozen), sheet, name)
