"""An admin's list of a campaign's assignments: filtered, paged, and changed in bulk."""

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from annotation.blinding.hiding import hidden_from
from annotation.campaigns.campaign_people import annotators_of
from annotation.campaigns.forms import AssignmentFilter, BulkForm
from annotation.fields.form_input import number_in
from annotation.models import Annotation, Assignment, Campaign
from annotation.monitoring.assignment_list import listed_assignments
from annotation.states import AssignmentState
from annotation.views.campaigns import campaign_at
from annotation.workflow import assigning
from leases.refusal import Refusal
from pages.counting import how_many
from pages.paging import PER_PAGE, ByKey, page_of
from pages.refusals import form_page, refused_in

# A withdrawn tag is replaced from the reserve, and a decision that is taken back restores what was not needed.
NAMED_ONLY = (AssignmentState.RESERVE, AssignmentState.UNNEEDED)
SHOWN = ("tag__article", "sighting", "person", "annotation")


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def assignments(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The list, and what is done with the chosen ones; a refusal keeps the choice."""
    campaign = campaign_at(campaign_id)
    given = campaign.assignments.order_by().values("person")
    people = Person.objects.filter(
        Q(pk__in=given) | Q(pk__in=campaign.chosen.order_by().values("person"))
    )
    filtering = AssignmentFilter(request.GET, people=people.order_by("name"), auto_id="filter_%s")
    rows = listed_assignments(campaign, filtering.wanted)
    form = BulkForm(request.POST or None, people=annotators_of(campaign).order_by("name"))
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            every = form.cleaned_data["every"]
            picked = all_that_match(filtering, rows) if every else ticked(request, campaign)
            messages.success(request, done(campaign, form, picked, person_of(request)))
            here = reverse("annotation:assignments", args=[campaign.pk])
            return redirect(f"{here}?{request.GET.urlencode()}")
    page = page_of(request, rows.select_related(*SHOWN), PER_PAGE, ByKey)
    on_page = Annotation.objects.filter(assignment__in=[row.pk for row in page])
    hidden_here = hidden_from(person_of(request), on_page)
    context = {
        "campaign": campaign,
        "filtering": filtering,
        "form": form,
        "page": page,
        "hidden": set(hidden_here.values_list("assignment", flat=True)),
        "chosen": set(request.POST.getlist("assignment")),
    }
    return form_page(request, "annotation/assignments.html", context)


def all_that_match(filtering: AssignmentFilter, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """What the filter lists; reserve and not needed ones only if it names their state. Refusal if it cannot be read."""
    if not filtering.is_valid():
        raise Refusal("The filter cannot be read any more. Choose it again, then all that match.")
    rows = rows.order_by()
    return rows if filtering.wanted.state else rows.exclude(state__in=NAMED_ONLY)


def ticked(request: HttpRequest, campaign: Campaign) -> QuerySet[Assignment]:
    """The assignments chosen one by one. Raises Refusal for none."""
    keys = map(number_in, request.POST.getlist("assignment"))
    rows = campaign.assignments.filter(pk__in=[key for key in keys if key is not None])
    if not rows.exists():
        raise Refusal("Tick the assignments to change, or all that match.")
    return rows


def done(campaign: Campaign, form: BulkForm, rows: QuerySet[Assignment], by: Person) -> str:
    """Carry out what the form asks for; what was done, as a sentence."""
    given = form.cleaned_data
    if given["action"] == BulkForm.WITHDRAW:
        result = assigning.withdraw(campaign, rows, by=by)
        lost = (
            f" {how_many(result.lost, 'tag has', 'tags have')} no annotator left"
            if result.lost
            else ""
        )
        replaced = f"; replaced from the reserve: {result.replaced}." if lost else ""
        return f"Withdrawn: {result.assignments}. Authors keep their drafts.{lost}{replaced}"
    if given["action"] == BulkForm.REASSIGN:
        if given["person"] is None:
            raise Refusal("Choose the person who is to get them.")
        count = assigning.reassign(campaign, rows, given["person"], by=by)
        return f"Reassigned to {given['person']}: {count}. Nobody gets a tag that they had before."
    return f"Reserved for {given['days']} more days: {assigning.extend(campaign, rows, given['days'])}."
