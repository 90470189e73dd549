"""A report next to another one: of the same study at another time, or of another study."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, roles_required
from evaluation.models import ReportSnapshot
from evaluation.report.two import next_to
from evaluation.views.reports import READERS, Source, frozen, live
from judging.blinding import hidden_results
from judging.models import Study, Verdict
from leases.refusal import Refusal

# As many other studies are offered, the newest ones.
MOST_STUDIES = 100


@require_safe
@roles_required(*READERS)
def two(request: HttpRequest, study_id: int) -> HttpResponse:
    """The study's live report first, and second the one that `with` names: "study-3" or "snapshot-5"."""
    first = live(request, study_id)
    named = request.GET.get("with", "")
    verdict = request.GET.get("verdict") or Verdict.CORRECT
    if verdict not in Verdict.values:
        raise Refusal(
            f"verdict={verdict[:40]} is not known. Use one of: {', '.join(Verdict.values)}."
        )
    second = _other(request, named) if named else None
    context = {
        "study": first.study,
        "first": first,
        "second": second,
        "options": [("", "Choose a report"), *_others(request, first.study)],
        "named": named,
        "verdicts": Verdict.choices[::-1],
        "verdict": verdict,
        "prompts": next_to(first.body, second.body, verdict) if second else [],
    }
    return render(request, "evaluation/two.html", context)


def _other(request: HttpRequest, named: str) -> Source:
    """The report of this name; raises Refusal for a name of nothing, else as the report's own page does."""
    kind, _, number = named.partition("-")
    is_number = number.isascii() and number.isdecimal() and len(number) <= 18
    if kind not in ("study", "snapshot") or not is_number:
        raise Refusal("There is no such report. Choose one from the list.")
    return live(request, int(number)) if kind == "study" else frozen(request, int(number))


def _others(request: HttpRequest, study: Study) -> list[tuple[str, str]]:
    """What can be chosen: this study's frozen reports, then other studies whose results this person may read."""
    snapshots = ReportSnapshot.objects.filter(study=study).order_by("-pk")
    studies = list(
        Study.objects.exclude(pk=study.pk).exclude(state="draft").order_by("-pk")[:MOST_STUDIES]
    )
    hidden = hidden_results(person_of(request), studies)
    return [
        *((f"snapshot-{one.pk}", f"Snapshot {one.pk} of this study") for one in snapshots),
        *((f"study-{one.pk}", one.name) for one in studies if one.pk not in hidden),
    ]
