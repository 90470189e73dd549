"""A report for a paper: LaTeX tables with the names and the order that a researcher wants, and the methods."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from rest_framework.request import Request

from accounts.throttles import counted
from evaluation.paper.chart_includes import includes
from evaluation.paper.latex import latex
from evaluation.report.display import forms_of, read_display
from evaluation.report.drawings import drawings
from evaluation.report.methods import methods_paragraph
from evaluation.views import files
from evaluation.views.reports import asked, for_researchers

# What a report's address says of its resampling.
CLUSTERING = ("cluster", "resamples", "seed")


@for_researchers
def page(request: HttpRequest, **of: int) -> HttpResponse:
    source = asked(request, **of)
    display = read_display(request.GET.dict(), source.body)
    charts = drawings(source.body).values()
    context = {
        "report": source.body,
        "display": display,
        "forms": forms_of(source.body).items(),
        "latex": latex(source.body, display),
        "charts": charts,
        "includes": includes(source.body, charts, source.stem),
        "methods": methods_paragraph(source.body),
        "query": request.GET.urlencode(),
        # What the report was computed by travels with the names.
        "kept": [(name, request.GET[name]) for name in CLUSTERING if name in request.GET],
        "frozen_with": request.GET.items(),
        # A live report can be frozen from here, with what was chosen.
        "live": None if source.frozen else source.study,
    }
    return render(request, "evaluation/paper.html", context)


@for_researchers
@counted("downloads")
def tables(request: HttpRequest, **of: int) -> HttpResponseBase:
    return tables_file(request, **of)


def tables_file(request: HttpRequest | Request, **of: int) -> HttpResponseBase:
    """The report's tables as LaTeX, named and ordered as the query says."""
    source = asked(request, **of)
    text = latex(source.body, read_display(request.GET.dict(), source.body))
    return files.attached(text, "application/x-tex; charset=utf-8", f"{source.stem}-tables.tex")


@for_researchers
@counted("downloads")
def all_files(request: HttpRequest, **of: int) -> HttpResponseBase:
    """All charts and tables as one zip."""
    return all_files_of(request, **of)


def all_files_of(request: HttpRequest | Request, **of: int) -> HttpResponseBase:
    source = asked(request, **of)
    return files.archive_file(source.body, source.stem, request.GET.dict())
