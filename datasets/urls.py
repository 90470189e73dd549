"""Addresses of collections and contradictions."""

from django.urls import path

from datasets.api import collections, decisions, exports, imports, records
from datasets.api import releases as api_releases
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
from datasets.views import import_columns as views_of_columns
from datasets.views import import_controls as views_of_controls
from datasets.views import imports as views_of_imports
from pages.rest.operations import methods

app_name = "datasets"

# (address below a collection's, its operations, their name)
OF_A_COLLECTION = (
    ("", collections.collections_read, "collection"),
    ("records/", records.records_list, "records"),
    ("questions/", collections.questions_list, "questions"),
    ("exclusions/", decisions.exclusions_list, "exclusions"),
    ("revised/", decisions.revised_list, "revised"),
    ("subsets/", collections.subsets_list, "subsets"),
    ("subsets/<int:subset_id>/", collections.subsets_read, "subset"),
    ("subsets/<int:subset_id>/questions/", collections.subsets_questions, "subset_questions"),
    ("exports/", exports.exports_list, "exports"),
    ("exports/<str:format>/", exports.exports_read, "export"),
    ("releases/", methods(api_releases.releases_list, api_releases.releases_freeze), "releases"),
    ("freezes/<str:version>/", api_releases.freezes_read, "freeze"),
    ("releases/<str:version>/", api_releases.releases_read, "release"),
    ("releases/<str:version>/files/<str:format>/", api_releases.release_files_read, "release_file"),
)

urlpatterns = [
    path("collections/", views.collections, name="collections"),
    # Two segments below, so that a collection may bear any name.
    path("collections/new/import/", views_of_imports.send_file, name="import"),
    path("imports/", views_of_imports.imports, name="imports"),
    path("imports/<int:key>/", views_of_imports.import_job, name="import_job"),
    path("imports/<int:key>/controls/", views_of_controls.import_controls, name="import_controls"),
    path(
        "imports/<int:key>/annotators/",
        views_of_controls.import_annotators,
        name="import_annotators",
    ),
    path(
        "imports/<int:key>/columns/",
        views_of_columns.import_columns,
        name="import_columns",
    ),
    path("imports/<int:key>/confirm/", views_of_imports.confirm_import, name="confirm_import"),
    path("imports/<int:key>/discard/", views_of_imports.discard_import, name="discard_import"),
    path("imports/<int:key>/undo/", views_of_imports.undo_import, name="undo_import"),
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
    path("data/<str:token>/", published.versions, name="published_versions"),
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
    path("api/collections/", collections.collections_list, name="api_collections"),
    *(
        path(f"api/collections/<str:name>/{address}", view, name=f"api_{named}")
        for address, view, named in OF_A_COLLECTION
    ),
    path("api/records/<int:key>/", records.records_read, name="api_record"),
    path("api/imports/", methods(imports.imports_list, imports.imports_start), name="api_imports"),
    path("api/imports/<int:key>/", imports.imports_read, name="api_import"),
    path("api/imports/<int:key>/confirm/", imports.imports_confirm, name="api_import_confirm"),
    path("api/imports/<int:key>/discard/", imports.imports_discard, name="api_import_discard"),
    path("api/imports/<int:key>/undo/", imports.imports_undo, name="api_import_undo"),
]
