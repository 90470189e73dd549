"""Addresses of collections and contradictions."""

from django.urls import path

from datasets import api, views

app_name = "datasets"

urlpatterns = [
    path("collections/", views.collections, name="collections"),
    # Two segments below, so that a collection may bear any name.
    path("collections/new/import/", views.import_collection, name="import"),
    path("collections/<str:name>/", views.collection, name="collection"),
    path("collections/<str:name>/questions/", views.questions, name="questions"),
    path("collections/<str:name>/deviations/", views.collection_deviations, name="deviations"),
    path("collections/<str:name>/export/<str:format>/", views.export, name="export"),
    path("collections/<str:name>/releases/", views.release, name="release"),
    path(
        "collections/<str:name>/releases/<str:version>/<str:format>/",
        views.export_release,
        name="export_release",
    ),
    path("contradictions/<int:key>/", views.contradiction, name="contradiction"),
    path("api/datasets/collections/", api.collections, name="api_collections"),
    path(
        "api/datasets/collections/<str:name>/contradictions/",
        api.contradictions,
        name="api_contradictions",
    ),
]
