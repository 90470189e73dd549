from django.urls import path

from evaluation import views

app_name = "evaluation"

urlpatterns = [
    path("reports/", views.reports, name="reports"),
    path("reports/<int:study_id>/", views.report, name="report"),
    path("reports/<int:study_id>.json", views.report_json, name="report_json"),
    path("reports/<int:study_id>/rows/", views.report_rows, name="rows"),
    path("reports/<int:study_id>/rows.csv", views.rows_csv, name="rows_csv"),
    path("reports/<int:study_id>/<slug:sheet>.csv", views.report_csv, name="report_csv"),
    path("reports/<int:study_id>/freeze/", views.freeze, name="freeze"),
    path("reports/snapshots/<int:snapshot_id>/", views.snapshot, name="snapshot"),
    path("reports/snapshots/<int:snapshot_id>.json", views.snapshot_json, name="snapshot_json"),
    path(
        "reports/snapshots/<int:snapshot_id>/<slug:sheet>.csv",
        views.snapshot_csv,
        name="snapshot_csv",
    ),
]
