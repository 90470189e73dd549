"""Addresses of collections and contradictions."""

from django.urls import path

from datasets import api
from datasets.views import collections as views
from datasets.views import (
    exclusions,
    freezing,
    published,
    publishing,
    releases,
    revisions,
    subsets,
)

app_name = "datasets"

urlpatterns = [
    path("collections/", views.collections, name="collections"),
    # Two segments below, so that a collection may bear any name.
    path("collections/new/import/", views.import_collection, name="import"),
    path("collections/<str:name>/", views.collection, name="collection"),
    path("collections/<str:name>/questions/", views.questions, name="questions"),
    path("collections/<str:name>/deviations/", views.collection_deviations, name="deviations"),
    path("collections/<str:name>/exclusions/", exclusions.exclusions, name="exclusions"),
    path("collections/<str:name>/subsets/", subsets.index, name="subsets"),
    path("collections/<str:name>/subsets/new/", subsets.new, name="subset_new"),
    path("collections/<str:name>/subsets/<int:subset_id>/", subsets.subset, name="subset"),
    path(
        "collections/<str:name>/subsets/<int:subset_id>/bundle/",
        subsets.bundle,
        name="subset_bundle",
    ),
    path("collections/<str:name>/revised/", revisions.revised, name="revised"),
    path("collections/<str:name>/description/", releases.description, name="description"),
    path("collections/<str:name>/export/", releases.exports, name="exports"),
    path("collections/<str:name>/export/<str:format>/", views.export, name="export"),
    path("collections/<str:name>/protocol/", views.move_protocol, name="move_protocol"),
    path("collections/<str:name>/releases/", freezing.freeze_release, name="freeze"),
    path("collections/<str:name>/freezing/<str:version>/", freezing.freezing, name="freezing"),
    path(
        "collections/<str:name>/freezing/<str:version>/cancel/",
        freezing.cancel_freezing,
        name="cancel_freezing",
    ),
    path("collections/<str:name>/releases/<str:version>/", releases.release, name="release"),
    path(
        "collections/<str:name>/releases/<str:version>/since/<str:earlier>/",
        releases.changes_since,
        name="changes_since",
    ),
    path(
        "collections/<str:name>/releases/<str:version>/amend/",
        releases.amend_release,
        name="amend_release",
    ),
    path(
        "collections/<str:name>/releases/<str:version>/files/<str:format>/",
        releases.release_file,
        name="release_file",
    ),
    path(
        "collections/<str:name>/releases/<str:version>/publish/",
        publishing.publish_release,
        name="publish_release",
    ),
    path(
        "collections/<str:name>/releases/<str:version>/withdraw/",
        publishing.withdraw_release,
        name="withdraw_release",
    ),
    path(
        "collections/<str:name>/releases/<str:version>/delete-files/",
        publishing.delete_release_files,
        name="delete_release_files",
    ),
    path("data/<str:token>/<str:version>/", published.page, name="published"),
    path("data/<str:token>/<str:version>/<path:part>", published.file, name="published_file"),
    path("contradictions/<int:key>/", views.contradiction, name="contradiction"),
    path(
        "contradictions/<int:key>/questions/<int:n>/exclusion/",
        exclusions.exclusion,
        name="exclusion",
    ),
    path(
        "contradictions/<int:key>/questions/<int:n>/revised/", revisions.revision, name="revision"
    ),
    path("api/datasets/collections/", api.collections, name="api_collections"),
    path(
        "api/datasets/collections/<str:name>/contradictions/",
        api.contradictions,
        name="api_contradictions",
    ),
    path("api/datasets/collections/<str:name>/exclusions/", api.exclusions, name="api_exclusions"),
    path("api/datasets/collections/<str:name>/revised/", api.revised, name="api_revised"),
]
