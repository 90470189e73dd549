"""Addresses: every room's pages at the root, its API under /api/."""

from importlib.util import find_spec

from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView

from config import views

ROOMS = ["accounts", "wikifetch", "datasets", "annotation", "generation", "judging", "evaluation"]

urlpatterns = [
    path("", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
    path("api/schema.json", SpectacularJSONAPIView.as_view(), name="schema"),
    *[path("", include(f"{room}.urls")) for room in ROOMS if find_spec(f"{room}.urls")],
]

handler403 = "config.views.forbidden"
handler404 = "config.views.not_found"
handler500 = "config.views.failed"
