"""Addresses of models, runs and responses."""

from django.urls import path, re_path

from generation import api, views

app_name = "generation"

urlpatterns = [
    path("models/", views.models, name="models"),
    path("models/new/", views.add_model, name="add_model"),
    path("models/<int:key>/test/", views.test_model, name="test_model"),
    path("models/<int:key>/prices/", views.prices, name="prices"),
    path("models/services/<str:name>/", views.service, name="service"),
    path("runs/", views.run_list, name="runs"),
    path("runs/new/", views.new_run, name="new_run"),
    path("runs/<int:key>/", views.run, name="run"),
    path("runs/<int:key>/more/", views.extend_run, name="extend_run"),
    path("runs/<int:key>/cap/", views.cap, name="cap"),
    path("runs/<int:key>/progress/", views.run_progress, name="run_progress"),
    re_path(
        r"^runs/(?P<key>\d{1,18})/(?P<verb>try|start|pause|cancel|resume|retry)/$",
        views.change_run,
        name="change_run",
    ),
    path("runs/<int:key>/responses/<int:response_key>/", views.response, name="response"),
    path("runs/<int:key>/responses.csv", views.responses_csv, name="responses_csv"),
    path("api/generation/models/", api.models, name="api_models"),
    path("api/generation/runs/", api.runs, name="api_runs"),
    path("api/generation/runs/<int:key>/", api.run, name="api_run"),
    path("api/generation/runs/<int:key>/responses/", api.responses, name="api_responses"),
]
