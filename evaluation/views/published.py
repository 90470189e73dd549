"""Published reports: the frozen body and nothing else, for anyone with the address."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.throttles import count_useless_link
from evaluation.archive.bundles import is_read
from evaluation.frozen import publishing, snapshots
from evaluation.models import ReportSnapshot
from evaluation.paper.citation import bibtex, plain
from evaluation.report.layout import laid_out
from evaluation.shapes.study_report import FORMAT
from evaluation.views import files
from leases.refusal import NotFoundHere

# Drawing a picture costs the server more than asking for one: published charts are text.
CHART_FORMS = ("svg", "csv")


def cited(request: HttpRequest, snapshot: ReportSnapshot) -> dict[str, object]:
    """A frozen report for its page: how to cite it, and its whole address, empty where it is not published."""
    address = ""
    if snapshot.public:
        path = reverse("evaluation:published", args=[snapshot.pk, snapshot.token])
        address = request.build_absolute_uri(path)
    citation = snapshots.citation_of(snapshot, address)
    return {
        "snapshot": snapshot,
        "report": snapshot.body,
        "sha256": citation.sha256,
        "reads": FORMAT,
        "address": address,
        "plain": plain(citation),
        "bibtex": bibtex(citation),
    }


def public(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """For a view of a published report: it gets the snapshot, and its answer is kept out of indexes.

    The address is the key: no search engine lists it, no link on the page passes it on. One that was withdrawn answers
    410, with the reason.
    """

    @require_safe
    @wraps(view)
    def shown(request: HttpRequest, snapshot_id: int, token: str, **parts: str) -> HttpResponseBase:
        if gone := publishing.withdrawn(snapshot_id, token):
            text = render_to_string("evaluation/published_withdrawn.html", {"withdrawn": gone})
            response: HttpResponseBase = HttpResponse(text, status=410)
        else:
            response = view(request, _published(request, snapshot_id, token), **parts)
        response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return shown


def _published(request: HttpRequest, snapshot_id: int, token: str) -> ReportSnapshot:
    try:
        return publishing.published(snapshot_id, token)
    except NotFoundHere:
        count_useless_link(request)
        raise


@public
def page(request: HttpRequest, snapshot: ReportSnapshot) -> HttpResponseBase:
    context, template = cited(request, snapshot), "evaluation/published_as_file.html"
    if is_read(snapshot.body):
        context |= laid_out(snapshots.report_of(snapshot), request.GET)
        template = "evaluation/published.html"
    # Without the request: nothing of the reader, nor of the program's other pages, is on this page.
    return HttpResponse(render_to_string(template, context))


@public
def as_json(request: HttpRequest, snapshot: ReportSnapshot) -> HttpResponseBase:
    return files.json_file(snapshot.text)


@public
def sheet(request: HttpRequest, snapshot: ReportSnapshot, sheet: str) -> HttpResponseBase:
    return files.sheet_file(
        request, snapshots.report_of(snapshot), sheet, f"report-{snapshot.pk}", is_frozen=True
    )


@public
def chart(request: HttpRequest, snapshot: ReportSnapshot, key: str, form: str) -> HttpResponseBase:
    if form not in CHART_FORMS:
        raise NotFoundHere(f"A published chart goes out as {' and '.join(CHART_FORMS)}.")
    return files.chart_file(
        request, snapshots.report_of(snapshot), key, form, f"report-{snapshot.pk}", is_frozen=True
    )
