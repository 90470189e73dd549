from django.urls import path

from evaluation.views import (
    collections,
    compare,
    labels,
    paper,
    published,
    reports,
    rows,
    snapshots,
)

app_name = "evaluation"

_PUBLISHED = "published/<int:snapshot_id>/<str:token>"
_STUDY, _FROZEN = "reports/<int:study_id>", "reports/snapshots/<int:snapshot_id>"

urlpatterns = [
    path("reports/", reports.reports, name="reports"),
    path("reports/collections/<str:name>/", collections.table, name="dataset"),
    path("reports/collections/<str:name>/table.json", collections.as_json, name="dataset_json"),
    path("reports/collections/<str:name>/table.csv", collections.as_csv, name="dataset_csv"),
    path("agreement/", labels.agreement, name="agreement"),
    path(f"{_STUDY}/", reports.report, name="report"),
    path(f"{_STUDY}.json", reports.report_json, name="report_json"),
    path(f"{_STUDY}/rows/", rows.report_rows, name="rows"),
    path(f"{_STUDY}/compare/", compare.compare, name="compare"),
    path(f"{_STUDY}/compare.json", compare.compare_json, name="compare_json"),
    path(f"{_STUDY}/disagreements/", rows.disagreements, name="disagreements"),
    path(f"{_STUDY}/rows.csv", rows.rows_csv, name="rows_csv"),
    path(f"{_STUDY}/<slug:sheet>.csv", reports.report_csv, name="report_csv"),
    path(f"{_STUDY}/charts/<slug:key>.<slug:form>", reports.report_chart, name="report_chart"),
    path(f"{_STUDY}/report.zip", reports.report_bundle, name="report_bundle"),
    path(f"{_STUDY}/paper/", paper.of_report, name="paper"),
    path(f"{_STUDY}/paper/tables.tex", paper.tables_of_report, name="paper_tables"),
    path(f"{_STUDY}/freeze/", snapshots.freeze, name="freeze"),
    path(f"{_FROZEN}/", snapshots.snapshot, name="snapshot"),
    path(f"{_FROZEN}/report.zip", snapshots.snapshot_bundle, name="snapshot_bundle"),
    path(f"{_FROZEN}/paper/", paper.of_snapshot, name="snapshot_paper"),
    path(f"{_FROZEN}/paper/tables.tex", paper.tables_of_snapshot, name="snapshot_paper_tables"),
    path(f"{_FROZEN}/publish/", snapshots.publish, name="publish"),
    path(f"{_FROZEN}/unpublish/", snapshots.unpublish, name="unpublish"),
    path(f"{_FROZEN}.json", snapshots.snapshot_json, name="snapshot_json"),
    path(f"{_FROZEN}/<slug:sheet>.csv", snapshots.snapshot_csv, name="snapshot_csv"),
    path(
        f"{_FROZEN}/charts/<slug:key>.<slug:form>", snapshots.snapshot_chart, name="snapshot_chart"
    ),
    path(f"{_PUBLISHED}/", published.page, name="published"),
    path(f"{_PUBLISHED}/report.json", published.report_json, name="published_json"),
    path(f"{_PUBLISHED}/<slug:sheet>.csv", published.report_csv, name="published_csv"),
    path(f"{_PUBLISHED}/charts/<slug:key>.<slug:form>", published.chart, name="published_chart"),
]
