"""Published reports: the frozen body and nothing else, for anyone with the address."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.throttles import count_useless_link
from evaluation.frozen import publishing, snapshots
from evaluation.models import ReportSnapshot
from evaluation.paper.citation import bibtex, plain
from evaluation.report.layout import laid_out
from evaluation.views import files
from leases.refusal import NotFoundHere

# Drawing a picture costs the server more than asking for one: published charts are text.
CHART_FORMS = ("svg", "csv")


def address_of(request: HttpRequest, snapshot: ReportSnapshot) -> str:
    """The whole address of a published report; empty where it is not."""
    if not snapshot.public:
        return ""
    return request.build_absolute_uri(
        reverse("evaluation:published", args=[snapshot.pk, snapshot.token])
    )


@require_safe
def page(request: HttpRequest, snapshot_id: int, token: str) -> HttpResponseBase:
    snapshot = _published(request, snapshot_id, token)
    cited = snapshots.citation_of(snapshot, address_of(request, snapshot))
    context = {
        "snapshot": snapshot,
        "plain": plain(cited),
        "bibtex": bibtex(cited),
        **laid_out(snapshots.report_of(snapshot)),
    }
    # Without the request: nothing of the reader, nor of the program's other pages, is on this page.
    return _kept_out_of_indexes(
        HttpResponse(render_to_string("evaluation/published.html", context))
    )


@require_safe
def report_json(request: HttpRequest, snapshot_id: int, token: str) -> HttpResponseBase:
    snapshot = _published(request, snapshot_id, token)
    body = HttpResponse(snapshots.text_of(snapshot), content_type="application/json; charset=utf-8")
    return _kept_out_of_indexes(body)


@require_safe
def report_csv(request: HttpRequest, snapshot_id: int, token: str, sheet: str) -> HttpResponseBase:
    snapshot = _published(request, snapshot_id, token)
    return _kept_out_of_indexes(
        files.sheet_file(snapshots.report_of(snapshot), sheet, f"report-{snapshot.pk}")
    )


@require_safe
def chart(
    request: HttpRequest, snapshot_id: int, token: str, key: str, form: str
) -> HttpResponseBase:
    snapshot = _published(request, snapshot_id, token)
    if form not in CHART_FORMS:
        raise NotFoundHere(f"A published chart goes out as {' and '.join(CHART_FORMS)}.")
    body = snapshots.report_of(snapshot)
    return _kept_out_of_indexes(files.chart_file(body, key, form, f"report-{snapshot.pk}"))


def _published(request: HttpRequest, snapshot_id: int, token: str) -> ReportSnapshot:
    try:
        return publishing.published(snapshot_id, token)
    except NotFoundHere:
        count_useless_link(request)
        raise


def _kept_out_of_indexes(response: HttpResponseBase) -> HttpResponseBase:
    """The address is the key: no search engine lists it, no link on the page passes it on."""
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "private, no-store"
    return response
