"""Pages of prompts and their versions."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.throttles import count_job
from generation import prompt_pages, prompt_versions
from generation.access import keep_questions
from generation.models import PromptVersion
from generation.prompt_forms import PreviewForm, PromptForm
from generation.views import READERS
from leases.refusal import Refusal, StaleVersion
from pages.paging import page_of
from pages.refusals import form_page, refused_in


@require_GET
@roles_required(*READERS)
def prompts(request: HttpRequest) -> HttpResponse:
    """All versions of all prompts, with where they are used."""
    for problem in prompt_versions.store():
        messages.warning(request, problem)
    rows = PromptVersion.objects.select_related("author")
    page = page_of(request, prompt_pages.in_order(rows))
    context = {"page": page, "rows": prompt_pages.listed(page, person_of(request))}
    return render(request, "generation/prompts.html", context)


@require_GET
@roles_required(*READERS)
def prompt(request: HttpRequest, key: str) -> HttpResponse:
    """A version: its exact text, what changed since the one before, and how it is sent about a real question."""
    row = prompt_versions.stored_as(key)
    newest = prompt_versions.newest_of(row.name)
    context = {
        "listed": prompt_pages.listed([row], person_of(request))[0],
        "prompt": row.prompt,
        "answer": prompt_pages.answer(row.prompt),
        "shots": prompt_pages.shots(row.prompt),
        "origin": prompt_pages.origin(row.prompt),
        "row": row,
        "newest": newest if newest != row else None,
        "changes": prompt_pages.changes(row),
        "may_remove": prompt_versions.may_change(row),
        **_preview(request, row),
    }
    return render(request, "generation/prompt.html", context)


def _preview(request: HttpRequest, row: PromptVersion) -> dict[str, Any]:
    """The form for the preview, and the preview where a collection is chosen."""
    form = PreviewForm(row.protocol, request.GET if "collection" in request.GET else None)
    if not form.is_valid():
        return {"form": form}
    collection = form.cleaned_data["collection"]
    shown = prompt_pages.rendered(row.prompt, collection, person_of(request))
    if shown:
        keep_questions(person_of(request), [shown.instance.pk], request.path)
    return {"form": form, "collection": collection, "shown": shown}


@require_http_methods(["GET", "POST"])
@roles_required(*READERS)
def new_prompt(request: HttpRequest) -> HttpResponse:
    form = PromptForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "prompts")
            row = prompt_versions.add(form.values(), person_of(request))
            messages.success(request, f"Prompt {row.prompt.label} is stored. Runs can use it.")
            return redirect("generation:prompt", row.key)
    return form_page(request, "generation/prompt_form.html", {"form": form})


@require_http_methods(["GET", "POST"])
@roles_required(*READERS)
def edit_prompt(request: HttpRequest, key: str) -> HttpResponse:
    """The text of one version in a form. Saving makes the next one, or changes the newest if no run has used it."""
    row = prompt_versions.stored_as(key)
    form = PromptForm(request.POST if request.method == "POST" else None, based_on=row.body)
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "prompts")
            began = request.POST.get("newest", "")
            saved = prompt_versions.save(row, form.values(), newest=began, by=person_of(request))
            messages.success(
                request, f"Prompt {saved.prompt.label}: saved as version {saved.version}."
            )
            return redirect("generation:prompt", saved.key)
    newest = prompt_versions.newest_of(row.name)
    mark = prompt_versions.mark_of(newest)
    if form.is_bound and not isinstance(getattr(form, "refusal", None), StaleVersion):
        mark = request.POST.get("newest", "")
    context = {"form": form, "row": row, "newest": newest, "mark": mark}
    return form_page(request, "generation/prompt_form.html", context)


@require_POST
@roles_required(*READERS)
def remove_prompt(request: HttpRequest, key: str) -> HttpResponse:
    """Remove a version that no run has used."""
    row = prompt_versions.stored_as(key)
    try:
        prompt_versions.remove(row)
        messages.success(request, f"Removed: {row}.")
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("generation:prompt", key)
    return redirect("generation:prompts")
