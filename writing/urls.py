"""Addresses of writing."""

from django.urls import path

from writing import api
from writing.views import entries, writings

app_name = "writing"

urlpatterns = [
    path("writing/", writings.writings, name="writings"),
    path("writing/new/<str:name>/", writings.new_writing, name="new"),
    path("writing/collections/<str:name>/entries.jsonl", writings.export, name="export"),
    path("writing/<int:key>/", writings.writing, name="writing"),
    path("writing/<int:key>/take/", writings.take, name="take"),
    path("writing/<int:key>/close/", writings.change, {"verb": "close"}, name="close"),
    path("writing/<int:key>/reopen/", writings.change, {"verb": "reopen"}, name="reopen"),
    path("writing/entries/<int:key>/", entries.entry, name="entry"),
    path("writing/entries/<int:key>/take-up/", entries.take_up, name="take_up"),
    path("writing/entries/<int:key>/check/", entries.check, name="check"),
    path("api/entries/<int:key>/", api.entries_save, name="api_entry"),
]
