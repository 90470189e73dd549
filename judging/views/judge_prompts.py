"""The pages of the judge prompt: all versions, one to read, and for admins the form that makes the next one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from judging.forms.judge_model_forms import JudgePromptForm
from judging.machine import judge_prompts
from pages.paging import page_of
from pages.refusals import form_page, refused_in


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def index(request: HttpRequest) -> HttpResponse:
    context = {"page": page_of(request, judge_prompts.versions())}
    return render(request, "judging/judge_prompts.html", context)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def version(request: HttpRequest, number: int) -> HttpResponse:
    context = {
        "prompt": judge_prompts.numbered(number),
        "may_edit": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "judging/judge_prompt.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def edit(request: HttpRequest, number: int) -> HttpResponse:
    """The text of one version in a form. Saving makes a new version; this one stays as it is."""
    row = judge_prompts.numbered(number)
    initial = {name: getattr(row, name) for name in ("title", "template", "source", "note")}
    form = JudgePromptForm(request.POST or None, initial=initial)
    if form.is_valid():
        with refused_in(form):
            saved = judge_prompts.save(**form.cleaned_data, by=person_of(request))
            messages.success(request, f"This text is version {saved.version}.")
            return redirect("judging:judge_prompt", saved.version)
    return form_page(request, "judging/judge_prompt_edit.html", {"prompt": row, "form": form})
