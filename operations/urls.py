"""Pages and answers for whoever keeps an installation running."""

from django.urls import URLPattern, path

from operations.views import disk, people, watching

app_name = "operations"

urlpatterns: list[URLPattern] = [
    path("operations/", disk.overview, name="overview"),
    path("people/<int:pk>/forget/", people.forget, name="forget"),
    path("people/<int:pk>/data.json", people.own_data, name="own_data"),
    path("readyz", watching.readyz, name="readyz"),
    path("metrics", watching.prometheus, name="metrics"),
]
