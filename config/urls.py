"""URLs: every room's pages at the root, its API under /api/."""

from django.templatetags.static import static
from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from config import views
from pages.rest import documentation
from pages.rest.errors import no_such_address

# Django tries the addresses in this order: those asked for all day come first.
ROOMS = [
    "annotation", "judging", "accounts", "wikifetch", "datasets", "protocols", "generation", "writing", "evaluation",
    "operations",
]  # fmt: skip

urlpatterns = [
    path("", views.home, name="home"),
    # Browsers request it for responses that are not HTML, such as JSON.
    path("favicon.ico", require_safe(RedirectView.as_view(url=static("icon.svg")))),
    path("healthz", views.healthz, name="healthz"),
    path("api/schema.json", documentation.schema_read, name="schema"),
    path("programs/", documentation.operations, name="api_operations"),
    *[path("", include(f"{room}.urls")) for room in ROOMS],
    path("api/<path:address>", no_such_address, name="no_such_address"),
]

handler400 = "config.views.unreadable"
handler403 = "config.views.forbidden"
handler404 = "config.views.not_found"
handler500 = "config.views.failed"
