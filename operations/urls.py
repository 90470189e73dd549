"""Pages and endpoints for the operator of an installation."""

from django.urls import URLPattern, path

from operations.views import disk, monitoring, people

app_name = "operations"

urlpatterns: list[URLPattern] = [
    path("operations/", disk.overview, name="overview"),
    path("people/<int:pk>/forget/", people.forget, name="forget"),
    path("people/<int:pk>/data.json", people.own_data, name="own_data"),
    path("readyz", monitoring.readyz, name="readyz"),
    path("metrics", monitoring.prometheus, name="metrics"),
]
