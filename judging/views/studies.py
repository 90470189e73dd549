"""The pages of studies, for admins (who make, open and close them) and researchers (who read)."""

from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.request import Request

from accounts.access import person_of, roles_required
from accounts.leaving.asking import leaving_page, settle_with
from accounts.leaving.open_work import held_by
from accounts.models import Person
from accounts.roles import Role
from accounts.throttles import counted
from generation.models import Response, Run
from judging import (
    blinding,
    listed_studies,
    open_work,
    planning,
    pool,
    progress,
    rubric_versions,
    studies,
    warmup,
)
from judging.files import exporting
from judging.forms.fields import answered_runs, protocols_of
from judging.forms.study_forms import FurtherJudgeForm, JudgesForm, StudyForm, WarmUpForm
from judging.models import Study
from judging.planning import StudyCost
from judging.rules.resolution import DISCUSSION
from judging.views.study_page import study_page
from pages.counting import how_many
from pages.data_responses import mark_csv
from pages.paging import page_of
from pages.refusals import form_page, refused_in
from protocols.declaration import WIKICONTRADICT

ALL_DECIDED = "Every response gets its final verdict."
NONE_LACKS = "Every response has all its verdicts."


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def index(request: HttpRequest) -> HttpResponse:
    """All studies, newest first."""
    person = person_of(request)
    page = page_of(request, Study.objects.select_related("created_by"))
    context = {
        "page": page,
        "rows": listed_studies.of_reader(person, page),
        "may_create": person.has_role(Role.ADMIN),
    }
    return render(request, "judging/studies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def new(request: HttpRequest) -> HttpResponse:
    """Make a study over finished responses."""
    person = person_of(request)
    entered = request.POST if request.method == "POST" else None
    runs = answered_runs(person)
    kinds = protocols_of(runs)
    protocol = _protocol(request, runs, kinds)
    rubrics = rubric_versions.versions(protocol)
    may_judge = rubrics.exists()
    is_judged = may_judge and request.GET.get("judges") != "none"
    form = StudyForm(
        entered,
        person=person,
        protocol=protocol,
        rubrics=rubrics if is_judged else None,
        initial={"runs": request.GET.getlist("run")},
    )
    asks_hours = "hours" in request.POST
    cost = _cost(form) if asks_hours else None
    if not asks_hours and form.is_valid():
        selection, name = form.selection(), form.cleaned_data["name"]
        with refused_in(form):
            study = studies.create(name, selection, form.design(), by=person)
            if left_out := selection.left_out():
                messages.warning(
                    request, f"Left out, as not finished: {how_many(left_out, 'chosen response')}."
                )
            if held := selection.held():
                messages.warning(
                    request,
                    f"Left out, as markup or reasoning may be in the text: {how_many(held, 'chosen response')}. "
                    "Choose on the page of models, under Markup, how these models are read.",
                )
            if missing := selection.unanswered():
                messages.warning(
                    request,
                    f"Without a finished response: {how_many(missing, 'question')} of the subset.",
                )
            return redirect("judging:study", study.pk)
    context = {
        "form": form,
        "cost": cost,
        "protocol": protocol,
        "protocols": kinds,
        "may_judge": may_judge,
    }
    return form_page(request, "judging/study_new.html", context)


def _protocol(request: HttpRequest, runs: QuerySet[Run], kinds: Mapping[str, str]) -> str:
    """The protocol that the address names, that of the run that it names, or that of the newest run."""
    if (named := request.GET.get("protocol", "")) in kinds:
        return named
    number = request.GET.get("run", "")
    chosen = runs.filter(pk=number) if number.isdecimal() and len(number) < 10 else runs.none()
    return next(iter([*protocols_of(chosen), *kinds]), WIKICONTRADICT)


def _cost(form: StudyForm) -> StudyCost | None:
    """What the entered study would cost, even without a name; None where the form has errors."""
    form.errors.pop("name", None)
    cost = None
    if not form.errors:
        with refused_in(form):
            cost = studies.would_cost(form.selection(), form.design())
    return cost


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def study(request: HttpRequest, study_id: int) -> HttpResponse:
    """One study; its own judges do not see its results while it is open."""
    study = get_object_or_404(
        Study.objects.select_related("rubric", "subset__collection"), pk=study_id
    )
    return study_page(request, study)


@require_POST
@roles_required(Role.ADMIN)
def open_study(request: HttpRequest, study_id: int) -> HttpResponse:
    """Fix the responses and give the judges their items."""
    study = get_object_or_404(Study, pk=study_id)
    if not study.is_judged:
        studies.open_study(study, [])
        messages.success(request, "The study is closed: its responses are fixed.")
        return redirect("judging:study", study.pk)
    form = JudgesForm(request.POST)
    if form.is_valid():
        with refused_in(form):
            judges = list(form.cleaned_data["judges"])
            warnings = _warnings(study, judges)
            studies.open_study(study, judges)
            messages.success(request, "The study is open. Its judges find their items under Judge.")
            _warn(request, warnings)
            return redirect("judging:study", study.pk)
    # Read again: the refused move has changed the state of this object, and the study may be gone.
    return study_page(request, get_object_or_404(Study, pk=study_id), form)


def _warnings(study: Study, judges: Sequence[Person]) -> list[str]:
    """What these people may know. Asked before they become judges: then other studies are hidden from them."""
    rows = Response.objects.filter(study_items__in=study.judged_items.order_by().values("pk"))
    responses = rows.select_related("instance__contradiction").only(
        *("model", "prompt", "text_sha256", "instance"),
        *(f"instance__contradiction__{name}" for name in ("collection", "position")),
    )
    return planning.warnings(study, list(responses), judges)


def _warn(request: HttpRequest, warnings: Sequence[str]) -> None:
    for words in warnings:
        messages.warning(request, words)


@require_POST
@roles_required(Role.ADMIN)
def plan(request: HttpRequest, study_id: int) -> HttpResponse:
    """Try the opening: who would judge how much, and what it costs. Nothing is stored."""
    study = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    studies.require_draft(study)
    form, made = JudgesForm(request.POST), None
    if form.is_valid():
        with refused_in(form):
            made = studies.would_open(study, list(form.cleaned_data["judges"]))
    return study_page(request, study, form, dry_run=made)


@require_POST
@roles_required(Role.ADMIN)
def warm_up(request: HttpRequest, study_id: int) -> HttpResponse:
    """Draw the responses of a draft's warm-up."""
    study = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    form = WarmUpForm(request.POST, study=study, person=person_of(request))
    if form.is_valid():
        source, number = form.cleaned_data["source"], form.cleaned_data["number"]
        if source:
            # Not as an error of the form: it can lead to a page that asks first.
            blinding.require_results(person_of(request), source)
        with refused_in(form):
            warmup.draw(study, source, number)
            messages.success(request, f"The warm-up has {how_many(number, 'response')}.")
            return redirect("judging:study", study.pk)
    return study_page(request, study, warm_up_form=form)


@require_POST
@roles_required(Role.ADMIN)
def add_judge(request: HttpRequest, study_id: int) -> HttpResponse:
    """Let a further judge draw the free responses of an open study."""
    study = get_object_or_404(Study, pk=study_id)
    form = FurtherJudgeForm(request.POST, study=study)
    if form.is_valid():
        with refused_in(form):
            warnings = _warnings(study, [form.cleaned_data["judge"]])
            judge = pool.add(study, form.cleaned_data["judge"])
            messages.success(request, f"{judge.person} can draw what is free, under Judge.")
            _warn(request, warnings)
            return redirect("judging:study", study.pk)
    return study_page(request, study, further=form)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def remove_judge(request: HttpRequest, study_id: int, judge_id: int) -> HttpResponse:
    """Take a judge out of an open study; their verdicts stay. A page first says what becomes of the rest."""
    study, by = get_object_or_404(Study, pk=study_id), person_of(request)
    judge = pool.judge_at(study, judge_id)
    person, here = judge.person, reverse("judging:study", args=[study.pk])
    assert person is not None, "judge_at gives people."
    if request.method != "POST":
        keys = open_work.keys_of(judge)
        held = [row for row in held_by(person, by) if row.key in keys]
        sentence = "Verdicts that they have given in “<bdi>{}</bdi>” stay as they are."
        note = format_html(sentence, study)
        return leaving_page(request, person, held, "Remove from the study", back=here, note=note)
    with settle_with(request, person):
        if pool.judge_at(study, judge_id).removed_at is None:
            pool.remove(study, judge_id, by=by)
    messages.success(
        request,
        f"{person} was removed from this study. Their verdicts stay; others draw the rest.",
    )
    return redirect(here)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def close_study(request: HttpRequest, study_id: int) -> HttpResponse:
    """End the judging; a page of its own first counts what that leaves open."""
    study = get_object_or_404(Study, pk=study_id)
    if request.method != "POST":
        hidden = blinding.results_problem(person_of(request), study) is not None
        context = {"study": study, "leaves": _leaves(study, hidden=hidden)}
        return render(request, "judging/study_close.html", context)
    locked = studies.close_study(study)
    more = f", and {how_many(locked, 'more verdict')} locked" if locked else ""
    messages.success(request, f"The study is closed{more}.")
    return redirect("judging:study", study.pk)


@require_POST
@roles_required(Role.ADMIN)
def discard_study(request: HttpRequest, study_id: int) -> HttpResponse:
    """Remove a study that was never opened."""
    study = get_object_or_404(Study, pk=study_id)
    studies.discard(study, by=person_of(request))
    messages.success(request, f"The study “{study}” is discarded.")
    return redirect("judging:studies")


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def exports(request: HttpRequest, study_id: int) -> HttpResponse:
    """The files that the study can be exported to."""
    study = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    blinding.require_results(person_of(request), study)
    context = {"study": study, "exports": exporting.formats_of(study)}
    return render(request, "judging/exports.html", context)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
@counted("downloads")
def export(request: HttpRequest, study_id: int, form: str) -> HttpResponseBase:
    """The study as a file, with all its responses and verdicts."""
    study = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    return study_file(request, study, form)


def study_file(request: HttpRequest | Request, study: Study, form: str) -> HttpResponseBase:
    """The export of this form; NotFoundHere for one that there is not, NotAllowed or AsksFirst where it is hidden."""
    blinding.require_results(person_of(request), study)
    chosen = exporting.format_named(form)
    blinding.keep_records(person_of(request), study.items.all(), request.path)
    response = StreamingHttpResponse(chosen.chunks(study), content_type=chosen.content_type)
    response["Content-Disposition"] = f'attachment; filename="{study.slug}{chosen.suffix}"'
    mark_csv(request, response, is_data=True)
    return response


def _leaves(study: Study, *, hidden: bool) -> str:
    """What closing leaves without a final verdict; for an admin who judges in it, not on how many the judges differ."""
    left = progress.left_by_closing(study)
    by = (
        "their judges to discuss" if study.resolved_by == DISCUSSION else "a third person to decide"
    )
    lacking, undecided = left.lacking, 0 if hidden else left.undecided
    kinds = [(lacking, "without all their verdicts"), (undecided, f"for {by}")]
    words = ", ".join(f"{n} {kind}" for n, kind in kinds if n)
    if not words:
        return NONE_LACKS if hidden else ALL_DECIDED
    number = how_many(lacking + undecided, "response")
    stay = "stays" if lacking + undecided == 1 else "stay"
    return f"{number} {stay} without a final verdict: {words}."
