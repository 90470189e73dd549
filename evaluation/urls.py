from django.urls import URLPattern, path

from evaluation import api
from evaluation.views import (
    annotators,
    collections,
    compare,
    judges,
    labels,
    paper,
    published,
    reports,
    rows,
    snapshots,
    two,
)

app_name = "evaluation"

_PUBLISHED = "published/<int:snapshot_id>/<str:token>"
_CAMPAIGN = "reports/campaigns/<int:campaign_id>"
_API_STUDY, _API_FROZEN = "api/reports/<int:study_id>", "api/reports/snapshots/<int:snapshot_id>"
_API_CAMPAIGN = "api/reports/campaigns/<int:campaign_id>"
_STUDY, _FROZEN = "reports/<int:study_id>", "reports/snapshots/<int:snapshot_id>"


def _of_any(base: str, name: str) -> list[URLPattern]:
    """What live and frozen reports have alike."""
    return [
        path(f"{base}.json", reports.as_json, name=f"{name}_json"),
        path(f"{base}/<slug:sheet>.csv", reports.sheet, name=f"{name}_csv"),
        path(f"{base}/charts/<slug:key>.<slug:form>", reports.chart, name=f"{name}_chart"),
        path(f"{base}/report.zip", reports.bundle, name=f"{name}_bundle"),
        path(f"{base}/paper/", paper.page, name=f"{name}_paper"),
        path(f"{base}/paper/tables.tex", paper.tables, name=f"{name}_paper_tables"),
        path(f"{base}/paper/all.zip", paper.all_files, name=f"{name}_paper_all"),
    ]


def _for_programs(base: str, name: str, frozen: int) -> list[URLPattern]:
    return [
        path(f"{base}/sheets/<slug:sheet>/", api.sheet[frozen], name=f"api_{name}_sheet"),
        path(f"{base}/charts/<slug:key>/<slug:form>/", api.chart[frozen], name=f"api_{name}_chart"),
        path(f"{base}/zip/", api.bundle[frozen], name=f"api_{name}_zip"),
        path(f"{base}/tables/", api.tables[frozen], name=f"api_{name}_tables"),
        path(f"{base}/paper/", api.paper_files[frozen], name=f"api_{name}_paper"),
    ]


urlpatterns = [
    path("reports/", reports.reports, name="reports"),
    path("reports/collections/<str:name>/", collections.table, name="dataset"),
    path("reports/collections/<str:name>/table.json", collections.as_json, name="dataset_json"),
    path("reports/collections/<str:name>/table.csv", collections.as_csv, name="dataset_csv"),
    path(f"{_CAMPAIGN}/", annotators.agreement, name="annotators"),
    path(f"{_CAMPAIGN}/agreement.json", annotators.as_json, name="annotators_json"),
    path(f"{_CAMPAIGN}/agreement.csv", annotators.as_csv, name="annotators_csv"),
    path(f"{_CAMPAIGN}/rows/", annotators.compared, name="annotators_rows"),
    path(f"{_CAMPAIGN}/rows.csv", annotators.compared_csv, name="annotators_rows_csv"),
    path("agreement/", labels.agreement, name="agreement"),
    path(f"{_STUDY}/", reports.report, name="report"),
    path(f"{_STUDY}/rows/", rows.report_rows, name="rows"),
    path(f"{_STUDY}/compare/", compare.compare, name="compare"),
    path(f"{_STUDY}/compare.json", compare.compare_json, name="compare_json"),
    path(f"{_STUDY}/disagreements/", rows.disagreements, name="disagreements"),
    path(f"{_STUDY}/next-to/", two.two, name="two"),
    path(f"{_STUDY}/judges/", judges.judges, name="judges"),
    path(f"{_STUDY}/judges/<int:judge_id>/", judges.judge, name="judge"),
    path(f"{_STUDY}/judge-models/<int:judge_id>/", judges.judge_model, name="judge_model"),
    path(f"{_STUDY}/rows.csv", rows.rows_csv, name="rows_csv"),
    path(f"{_STUDY}/replies.csv", rows.replies_csv, name="replies_csv"),
    path(f"{_STUDY}/freeze/", snapshots.freeze, name="freeze"),
    path(f"{_FROZEN}/", snapshots.snapshot, name="snapshot"),
    path(f"{_FROZEN}/publish/", snapshots.publish, name="publish"),
    path(f"{_FROZEN}/unpublish/", snapshots.unpublish, name="unpublish"),
    *_of_any(_STUDY, "report"),
    *_of_any(_FROZEN, "snapshot"),
    path("api/reports/", api.reports_list, name="api_reports"),
    path(f"{_API_STUDY}/", api.reports_read, name="api_report"),
    path(f"{_API_STUDY}/snapshots/", api.snapshots_list, name="api_snapshots"),
    path(f"{_API_STUDY}/rows/", api.reports_rows, name="api_rows"),
    path(f"{_API_STUDY}/replies/", api.reports_replies, name="api_replies"),
    path(f"{_API_FROZEN}/", api.snapshots_read, name="api_snapshot"),
    path(f"{_API_CAMPAIGN}/", api.agreement_read, name="api_agreement"),
    path(f"{_API_CAMPAIGN}/comparisons/", api.agreement_comparisons, name="api_comparisons"),
    path("api/reports/collections/<str:name>/", api.collections_table, name="api_collection_table"),
    *_for_programs(_API_STUDY, "report", 0),
    *_for_programs(_API_FROZEN, "snapshot", 1),
    path(f"{_PUBLISHED}/", published.page, name="published"),
    path(f"{_PUBLISHED}/report.json", published.as_json, name="published_json"),
    path(f"{_PUBLISHED}/<slug:sheet>.csv", published.sheet, name="published_csv"),
    path(f"{_PUBLISHED}/charts/<slug:key>.<slug:form>", published.chart, name="published_chart"),
]
