"""Pages of models and services."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import count_job, counted
from generation import registry
from generation.forms import SYSTEMS, MarksForm, ModelForm, PricesForm
from generation.inference import client
from generation.model_pages import all_models, options_line, service_answer
from generation.models import LanguageModel
from generation.views import READERS
from leases.refusal import NotFoundHere, Refusal
from pages.counting import how_many
from pages.refusals import form_page, refused_in


@require_GET
@roles_required(*READERS)
def models(request: HttpRequest) -> HttpResponse:
    """All models, and the services, which may offer more."""
    context = {
        "rows": all_models(),
        "services": client.names(),
        "may_add": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "generation/models.html", context)


@require_GET
@roles_required(*READERS)
def service(request: HttpRequest, name: str) -> HttpResponse:
    """Whether a service answers and which models it offers; a fragment of the list of models for htmx."""
    if name not in client.names():
        raise NotFoundHere(f"There is no service {name!r} in the setting INFERENCE_SERVICES.")
    template = "_service.html" if request.headers.get("HX-Request") else "service.html"
    context = {
        "answer": service_answer(name),
        "may_add": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, f"generation/{template}", context)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def add_model(request: HttpRequest) -> HttpResponse:
    """Add a model with its options; a test call finds out how its service takes them."""
    offered = {name: request.GET.get(name, "") for name in ("service", "model_id")}
    form = ModelForm(request.POST) if request.method == "POST" else ModelForm(initial=offered)
    if form.is_valid():
        with refused_in(form):
            count_job(person_of(request), "calls to models")
            model, remark = _added(form)
            options = options_line(model.options)
            messages.success(request, f"{model} can be asked: {options}. It {remark}")
            return redirect("generation:models")
    context = {"form": form, "services": client.names()}
    return form_page(request, "generation/model_form.html", context)


def _added(form: ModelForm) -> tuple[LanguageModel, str]:
    entered = form.cleaned_data
    name = (entered["service"], entered["model_id"])
    return registry.add_probed(
        *name, form.options, entered["display_name"], SYSTEMS[entered["system_message"]]
    )


@require_POST
@roles_required(Role.ADMIN)
@counted("calls to models")
def test_model(request: HttpRequest, key: int) -> HttpResponse:
    """A short test call with the model's own options; the next page shows the reply."""
    model = get_object_or_404(LanguageModel, pk=key)
    try:
        messages.success(request, f"{model} {registry.test(model)}")
    except Refusal as refusal:
        messages.error(request, f"{model}: {refusal}")
    return redirect("generation:models")


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def marks(request: HttpRequest, key: int) -> HttpResponse:
    """Choose how a model's markup is read; texts that nobody has judged are read again."""
    model = get_object_or_404(LanguageModel.objects.filter(registry.has_replies()), pk=key)
    now = {"marks": model.able.marks, "opens_reasoning": model.able.opens_reasoning}
    form = MarksForm(request.POST) if request.method == "POST" else MarksForm(initial=now)
    if form.is_valid():
        changed = registry.choose_marks(
            model, form.cleaned_data["marks"], form.cleaned_data["opens_reasoning"]
        )
        messages.success(
            request,
            f"The choice for {model} is kept. Changed by reading it again: {how_many(changed, 'response')} that nobody "
            "has judged.",
        )
        return redirect("generation:models")
    heading = f"Markup of {model}"
    return form_page(request, "generation/small_form.html", {"form": form, "heading": heading})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def prices(request: HttpRequest, key: int) -> HttpResponse:
    model = get_object_or_404(LanguageModel.objects.exclude(service=""), pk=key)
    now = {"price_read": model.price_read, "price_written": model.price_written}
    form = PricesForm(request.POST) if request.method == "POST" else PricesForm(initial=now)
    if form.is_valid():
        entered = form.cleaned_data
        with refused_in(form):
            registry.set_prices(model, entered["price_read"], entered["price_written"])
            messages.success(
                request, f"The prices of {model} are set. Calls made before keep their cost."
            )
            return redirect("generation:models")
    context = {"form": form, "heading": f"Prices of {model}"}
    return form_page(request, "generation/small_form.html", context)
