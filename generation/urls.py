"""Addresses of models, prompts, runs and responses."""

from django.urls import path, re_path

from generation.api import models as api_models
from generation.api import runs as api_runs
from generation.views import elsewhere, models, prompts, responses, runs
from pages.rest.operations import methods

app_name = "generation"

urlpatterns = [
    path("models/", models.models, name="models"),
    path("models/new/", models.add_model, name="add_model"),
    path("models/<int:key>/test/", models.test_model, name="test_model"),
    path("models/<int:key>/marks/", models.marks, name="marks"),
    path("models/<int:key>/prices/", models.prices, name="prices"),
    path("models/services/<str:name>/", models.service, name="service"),
    path("prompts/", prompts.prompts, name="prompts"),
    path("prompts/new/", prompts.new_prompt, name="new_prompt"),
    path("prompts/<slug:key>/", prompts.prompt, name="prompt"),
    path("prompts/<slug:key>/edit/", prompts.edit_prompt, name="edit_prompt"),
    path("prompts/<slug:key>/remove/", prompts.remove_prompt, name="remove_prompt"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/new/", runs.new_run, name="new_run"),
    path("runs/<int:key>/", runs.run, name="run"),
    path("runs/<int:key>/more/", runs.extend_run, name="extend_run"),
    path("runs/<int:key>/cap/", runs.cap, name="cap"),
    path("runs/<int:key>/progress/", runs.run_progress, name="run_progress"),
    re_path(
        r"^runs/(?P<key>\d{1,18})/(?P<verb>try|start|pause|cancel|resume|retry)/$",
        runs.change_run,
        name="change_run",
    ),
    path("runs/<int:key>/responses/", responses.responses, name="responses"),
    path("runs/<int:key>/two-models/", responses.two_models, name="two_models"),
    path("runs/<int:key>/responses/<int:response_key>/", responses.response, name="response"),
    path("runs/<int:key>/responses.csv", responses.responses_csv, name="responses_csv"),
    path(
        "collections/<str:name>/releases/<str:version>/responses/",
        elsewhere.import_responses,
        name="import_responses",
    ),
    path("api/models/", api_models.models_list, name="api_models"),
    path("api/prompts/", api_models.prompts_list, name="api_prompts"),
    path("api/runs/", methods(api_runs.runs_list, api_runs.runs_make), name="api_runs"),
    path("api/runs/<int:key>/", api_runs.runs_read, name="api_run"),
    path("api/runs/<int:key>/start/", api_runs.runs_start, name="api_start_run"),
    path("api/runs/<int:key>/stop/", api_runs.runs_stop, name="api_stop_run"),
    path("api/runs/<int:key>/responses/", api_runs.responses_list, name="api_responses"),
]
