"""The guideline: one version for readers; for admins all versions, what changed in each, and the editor."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from annotation.forms import GuidelineForm
from annotation.guideline_text import PARTS, body_of, changed_parts, html_of, html_parts, parts_of
from annotation.guidelines import current_guideline, save_guideline, use_current_guideline
from annotation.models import Guideline
from annotation.views.campaigns import campaign_at
from leases.refusal import StaleVersion
from leases.rows import first_of
from pages.paging import page_of
from pages.worddiff import Piece


def guideline_at(version: str) -> Guideline:
    rows = Guideline.objects.select_related("author").filter(version=version)
    return first_of(rows, "There is no such version of the guideline.")


@require_GET
@roles_required(Role.ANNOTATOR, Role.ADMIN)
def guideline(request: HttpRequest, version: str) -> HttpResponse:
    row = guideline_at(version)
    parts = [(anchor, html) for anchor, html in html_parts(row.body).items() if html]
    return render(request, "annotation/guideline.html", {"guideline": row, "parts": parts})


@require_GET
@roles_required(Role.ADMIN)
def guidelines(request: HttpRequest) -> HttpResponse:
    """All versions, with their authors and the campaigns that use them."""
    current = current_guideline()
    versions = Guideline.objects.select_related("author").prefetch_related("campaigns")
    context = {"current": current, "page": page_of(request, versions)}
    return render(request, "annotation/guidelines.html", context)


@require_GET
@roles_required(Role.ADMIN)
def guideline_changes(request: HttpRequest, version: str) -> HttpResponse:
    row = guideline_at(version)
    before = Guideline.objects.filter(pk__lt=row.pk).first()
    changed = list(changed_parts(before.body, row.body)) if before else []
    context = {"guideline": row, "before": before, "changed": changed}
    return render(request, "annotation/guideline_changes.html", context)


@dataclass(frozen=True)
class GuidelineEditor:
    """The texts being edited, the version they were made from, and where a stale save differs from the saved text."""

    form: GuidelineForm
    base: str
    message: str = ""
    changed: tuple[tuple[str, list[Piece]], ...] = ()

    def answer(self, request: HttpRequest, status: int = 200) -> HttpResponse:
        texts = {anchor: str(self.form[anchor].value() or "") for anchor in PARTS}
        parts = [(self.form[anchor], html_of(text)) for anchor, text in texts.items()]
        context = {"editor": self, "parts": parts}
        return render(request, "annotation/guideline_edit.html", context, status=status)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def edit_guideline(request: HttpRequest) -> HttpResponse:
    """The text of each part with its preview. Saving makes a new version."""
    if request.method == "GET":
        current = current_guideline()
        return GuidelineEditor(
            GuidelineForm(initial=parts_of(current.body)), current.version
        ).answer(request)
    editor = GuidelineEditor(GuidelineForm(request.POST), request.POST.get("base", ""))
    if not editor.form.is_valid():
        return editor.answer(request, 400)
    if request.POST.get("action") == "preview":
        return editor.answer(request)
    texts = editor.form.cleaned_data
    try:
        saved = save_guideline(texts, base=editor.base, by=person_of(request))
    except StaleVersion as stale:
        return stale_editor(editor.form, stale).answer(request, stale.status)
    messages.success(
        request, f"Version {saved.version} is the current guideline. New campaigns get it."
    )
    return redirect("annotation:guidelines")


def stale_editor(form: GuidelineForm, stale: StaleVersion) -> GuidelineEditor:
    """The person's own texts again, with what differs in them from the current version; the next save replaces that."""
    current = current_guideline()
    changed = changed_parts(current.body, body_of(form.cleaned_data))
    return GuidelineEditor(form, current.version, stale.message, tuple(changed))


@require_POST
@roles_required(Role.ADMIN)
def use_guideline(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = campaign_at(campaign_id)
    used = use_current_guideline(campaign, person_of(request))
    messages.success(
        request,
        f"New drafts get version {used.version}. Drafts and annotations that there are keep theirs.",
    )
    return redirect("annotation:campaign", campaign.pk)
