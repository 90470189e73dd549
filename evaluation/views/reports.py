"""The list of reports, a live report, and the files of live and frozen ones."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from rest_framework.request import Request

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from annotation.models import Campaign
from evaluation.access import snapshot_for, study_for
from evaluation.archive.bundles import sealed, text_of
from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.counts.listed_studies import entries, studies
from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot
from evaluation.report.layout import laid_out
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from evaluation.shapes.study_report import Report
from evaluation.tables.report_words import resampled_word
from evaluation.views import files
from judging.models import Study
from pages.paging import page_of

READERS = (Role.RESEARCHER, Role.ADMIN)


def for_researchers(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A page that researchers and admins read."""
    return require_safe(roles_required(*READERS)(view))


@dataclass(frozen=True)
class ReportSource:
    """A report with its study; `stem` is how the names of its files begin, `frozen` None for a live one."""

    study: Study
    body: Report
    stem: str
    frozen: ReportSnapshot | None = None

    @property
    def sealed_text(self) -> str:
        """The report as JSON with the hash of itself; that of a frozen one is the bytes that were frozen."""
        return self.frozen.text if self.frozen else text_of(sealed(self.body))


def live(request: HttpRequest | Request, study_id: int) -> ReportSource:
    """The report of a study that the person may read, resampled as the address says."""
    study = study_for(person_of(request), study_id)
    return ReportSource(study, study_report(study, Clustering.from_query(request.GET)), study.slug)


def frozen(request: HttpRequest | Request, snapshot_id: int) -> ReportSource:
    """A frozen report that the person may read. Raises Refusal for one of another format."""
    snapshot = snapshot_for(person_of(request), snapshot_id)
    stem = f"{snapshot.study.slug}-snapshot-{snapshot.pk}"
    return ReportSource(snapshot.study, snapshots.report_of(snapshot), stem, snapshot)


def asked(request: HttpRequest | Request, study_id: int = 0, snapshot_id: int = 0) -> ReportSource:
    """The report at an address that names a study or a snapshot."""
    return frozen(request, snapshot_id) if snapshot_id else live(request, study_id)


@for_researchers
def reports(request: HttpRequest) -> HttpResponse:
    page = page_of(request, studies())
    listed = entries(page.object_list, person_of(request))
    context = {"page": page, "entries": listed, "campaigns": Campaign.objects.order_by("-pk")}
    return render(request, "evaluation/reports.html", context)


@for_researchers
def report(request: HttpRequest, study_id: int) -> HttpResponse:
    source = live(request, study_id)
    context = {
        "study": source.study,
        "snapshots": source.study.snapshots.select_related("created_by"),
        "clusters": {by: resampled_word(source.body, by) for by in CLUSTERS},
        "asked": request.GET.urlencode(),
        "frozen_with": request.GET.items(),
        **laid_out(source.body, request.GET),
    }
    return render(request, "evaluation/report.html", context)


@for_researchers
def as_json(request: HttpRequest, study_id: int = 0, snapshot_id: int = 0) -> HttpResponse:
    if study_id:
        return files.json_file(text_of(live(request, study_id).body))
    return files.json_file(snapshot_for(person_of(request), snapshot_id).text)


@for_researchers
@counted("downloads")
def sheet(request: HttpRequest, sheet: str, **of: int) -> HttpResponseBase:
    source = asked(request, **of)
    return files.sheet_file(request, source.body, sheet, source.stem, is_frozen=bool(source.frozen))


@for_researchers
@counted("downloads")
def chart(request: HttpRequest, key: str, form: str, **of: int) -> HttpResponseBase:
    source = asked(request, **of)
    return files.chart_file(
        request, source.body, key, form, source.stem, is_frozen=bool(source.frozen)
    )


@for_researchers
@counted("downloads")
def bundle(request: HttpRequest, **of: int) -> HttpResponseBase:
    """Rows, numbers, and the script that recomputes the numbers."""
    source = asked(request, **of)
    return files.bundle_file(source.study, source.sealed_text, source.stem)
