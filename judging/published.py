"""Published reports over the runs of a study that is to be opened: its judges could read the numbers there."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from judging.models import Study
from leases.extension import ExtensionPoint


@dataclass(frozen=True)
class PublishedReport:
    """A report that is read without signing in: its study, the page on which it is withdrawn, a run that it is on."""

    study: str
    page: str
    run: int


# The published reports over texts of these runs, one for each report and run.
published_reports: ExtensionPoint[[Collection[int]], Iterable[PublishedReport]] = ExtensionPoint(
    "judging.published.published_reports"
)


def over_runs(runs: Collection[int]) -> list[PublishedReport]:
    return [report for reports in published_reports(runs) for report in reports]


def over_study(study: Study) -> list[PublishedReport]:
    """Those over the runs of the study's responses, each report once."""
    runs = set(study.items.order_by().values_list("response__run", flat=True).distinct())
    return list({report.page: report for report in over_runs(runs)}.values())
