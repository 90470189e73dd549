"""The pages of rubrics: all versions, one to read, and for admins the form that makes the next one."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from generation import prompt_versions
from generation.prompts.prompting import Form, Prompt
from judging import presenting, rubric_versions
from judging.forms.rubric_form import RubricForm
from judging.models import Rubric
from judging.rules import rubric
from leases.refusal import Refusal, StaleVersion
from pages.paging import page_of


@dataclass(frozen=True)
class ListedRubric:
    """A version, with the labels of its protocol's prompts that it has nothing or too little on."""

    row: Rubric
    unwritten: list[str]


def _of_protocol(known: rubric.ParsedRubric, prompts: Mapping[str, Prompt]) -> dict[str, Prompt]:
    """Those of its protocol; of a declared one without those whose answers are scored."""
    return {
        name: prompt
        for name, prompt in prompts.items()
        if prompt.protocol == known.protocol and (known.needs_gold or prompt.form != Form.SCORES)
    }


def _unwritten(known: rubric.ParsedRubric, prompts: Mapping[str, Prompt]) -> list[str]:
    own = list(_of_protocol(known, prompts))
    return [prompts[name].label for name in rubric_versions.unwritten(known, own)]


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def index(request: HttpRequest) -> HttpResponse:
    """All versions, with what they lack and the studies that use them."""
    for problem in rubric_versions.store():
        messages.warning(request, str(problem))
    page = page_of(request, rubric_versions.stored().prefetch_related("studies"))
    prompts = prompt_versions.known()
    rows = [ListedRubric(row, _unwritten(rubric.parse(row.body), prompts)) for row in page]
    protocols = {rubric.protocol_of(row.body) for row in page}
    current = [rubric_versions.current(of, rubric_versions.stored(of)) for of in protocols]
    context = {"page": page, "rows": rows, "current": current}
    return render(request, "judging/rubrics.html", context)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def version(request: HttpRequest, rubric_id: int) -> HttpResponse:
    """One version, as judges are shown it prompt by prompt."""
    row = rubric_versions.version_numbered(rubric_id)
    known = rubric.parse(row.body)
    asked = prompt_versions.known()
    context = {
        "rubric": row,
        "known": known,
        "prompts": [
            (
                criteria,
                presenting.choices(known, criteria),
                asked[name].origin if name in asked else "",
            )
            for name, criteria in known.prompts.items()
        ],
        "unwritten": _unwritten(known, asked),
        "studies": row.studies.all(),
        "may_edit": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "judging/rubric.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def edit(request: HttpRequest, rubric_id: int) -> HttpResponse:
    """The text of one version in a form. Saving makes a new version; this one stays as it is."""
    row = rubric_versions.version_numbered(rubric_id)
    entered = request.POST if request.method == "POST" else None
    known = rubric.parse(row.body)
    asked = _of_protocol(known, prompt_versions.known())
    form = RubricForm(entered, based_on=known, text=row.body, asked=asked)
    newest, status, stale = _newest(row), 400 if form.errors else 200, ""
    if form.is_valid():
        try:
            saved = rubric_versions.save(
                form.body(), newest=_number(request.POST.get("newest", "")), by=person_of(request)
            )
        except StaleVersion as problem:
            stale, status = problem.message, problem.status
        except Refusal as problem:
            form.add_error(None, problem.message)
            status = problem.status
        else:
            _say(request, newest, saved)
            return redirect("judging:rubric", saved.pk)
    context = {"form": form, "rubric": row, "newest": newest, "stale": stale}
    return render(request, "judging/rubric_edit.html", context, status=status)


def _newest(row: Rubric) -> Rubric:
    return Rubric.objects.filter(name=row.name)[0]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _say(request: HttpRequest, newest: Rubric, saved: Rubric) -> None:
    if saved.version > newest.version and saved.author == person_of(request):
        messages.success(
            request, f"Saved as version {saved.version}. New studies are offered it first."
        )
    else:
        messages.info(
            request, f"This is the text of version {saved.version}. Nothing new was stored."
        )
