"""Which report a request asks for: a study's as it is now, or a frozen one."""

from dataclasses import dataclass

from django.http import HttpRequest

from accounts.access import person_of
from accounts.roles import Role
from evaluation.access import snapshot_for, study_for
from evaluation.archive.bundles import sealed, text_of
from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot
from evaluation.report.shapes import Report
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from judging.models import Study

READERS = (Role.RESEARCHER, Role.ADMIN)


@dataclass(frozen=True)
class Source:
    """A report with its study; `stem` is how the names of its files begin, `frozen` None for a live one."""

    study: Study
    body: Report
    stem: str
    frozen: ReportSnapshot | None = None

    @property
    def text(self) -> str:
        """The report as JSON; that of a frozen one is the bytes that were frozen."""
        return snapshots.text_of(self.frozen) if self.frozen else text_of(self.body)

    @property
    def sealed_text(self) -> str:
        """The same with the hash of itself."""
        return self.text if self.frozen else text_of(sealed(self.body))


def live(request: HttpRequest, study_id: int) -> Source:
    """The report of a study that the person may read, resampled as the address says."""
    study = study_for(person_of(request), study_id)
    return Source(study, study_report(study, Clustering.read(request.GET)), study.slug)


def frozen(request: HttpRequest, snapshot_id: int) -> Source:
    """A frozen report that the person may read."""
    snapshot = snapshot_for(person_of(request), snapshot_id)
    stem = f"{snapshot.study.slug}-snapshot-{snapshot.pk}"
    return Source(snapshot.study, snapshots.report_of(snapshot), stem, snapshot)


def asked(request: HttpRequest, study_id: int = 0, snapshot_id: int = 0) -> Source:
    """The report at an address that names a study or a snapshot."""
    return frozen(request, snapshot_id) if snapshot_id else live(request, study_id)
