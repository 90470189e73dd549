"""The scores of two reports next to each other: of a study that nobody judges, and another report of its protocol."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.access import person_of
from evaluation.models import ReportSnapshot
from evaluation.report.scores_side_by_side import scores_next_to
from evaluation.views.reports import frozen, live
from judging.blinding import hidden_results
from judging.models import Study
from leases.refusal import Refusal

# How many other studies are offered, the newest first.
MOST_STUDIES = 100
SIDES = {"study": live, "snapshot": frozen}


def two_scored(request: HttpRequest, study: Study) -> HttpResponse:
    """`with` names the other report: "study-3" or "snapshot-5"."""
    options, chosen = _options(request, study), request.GET.get("with", "")
    context: dict[str, object] = {"study": study, "options": [("", "Choose one"), *options]}
    context["chosen"] = {"with": chosen}
    if chosen:
        if chosen not in dict(options):
            raise Refusal("There is no such report. Choose one from the list.")
        kind, number = chosen.split("-")
        other = SIDES[kind](request, int(number))
        context |= {
            "other": other,
            "tables": scores_next_to(live(request, study.pk).body, other.body),
        }
    return render(request, "evaluation/two_scored.html", context)


def _options(request: HttpRequest, study: Study) -> list[tuple[str, str]]:
    """Frozen reports of this study, and other studies over the same protocol that this person may read."""
    snapshots = ReportSnapshot.objects.filter(study=study).order_by("-pk")
    protocol = {"items__response__run__collection__protocol__name": study.declaration.name}
    others = Study.objects.filter(**protocol).exclude(pk=study.pk).exclude(state="draft")
    shown = list(others.order_by("-pk").distinct()[:MOST_STUDIES])
    hidden = hidden_results(person_of(request), shown)
    return [
        *((f"snapshot-{one.pk}", f"Frozen report {one.pk} of this study") for one in snapshots),
        *((f"study-{one.pk}", one.name) for one in shown if one.pk not in hidden),
    ]
