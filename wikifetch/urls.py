"""Addresses of fetches and tags."""

from django.urls import path, re_path

from wikifetch import views
from wikifetch.api import fetches, tags

app_name = "wikifetch"

urlpatterns = [
    path("fetches/", views.fetches, name="fetches"),
    path("fetches/new/", views.new_fetch, name="new_fetch"),
    path("fetches/<int:key>/", views.fetch_run, name="fetch"),
    re_path(
        r"^fetches/(?P<key>\d{1,18})/(?P<verb>pause|cancel|resume)/$",
        views.change_fetch,
        name="change_fetch",
    ),
    path("tags/", views.tags, name="tags"),
    path("tags/<int:key>/", views.tag, name="tag"),
    path("api/tags/", tags.tags_list, name="api_tags"),
    path("api/tags/<int:key>/", tags.tags_read, name="api_tag"),
    path("api/fetches/", fetches.fetches, name="api_fetches"),
    path("api/fetches/<int:key>/", fetches.fetches_read, name="api_fetch"),
]
