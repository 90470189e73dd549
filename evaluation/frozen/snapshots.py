"""Freezing a report: the numbers as they stood, with the hash of the verdicts they were computed from."""

import hashlib
import json
from collections.abc import Mapping

from django.db import transaction

from accounts.audit import AuditKind, record
from accounts.models import Person
from evaluation.archive.bundles import require_read, sealed, text_of
from evaluation.frozen.second_kappa import put_scikit_learns
from evaluation.models import ReportSnapshot
from evaluation.paper.citation import Citation
from evaluation.report.display import chosen
from evaluation.rows.hashing import digest
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from evaluation.shapes.study_report import Report
from judging.models import Study
from leases.refusal import Conflict, Refusal

NOTE_LIMIT = 200


@transaction.atomic
def freeze(
    study: Study,
    *,
    by: Person,
    note: str = "",
    clustering: Clustering | None = None,
    names: Mapping[str, str] | None = None,
) -> tuple[ReportSnapshot, bool]:
    """The study's report as a snapshot, and whether it was made now.

    `clustering` says what its intervals of agreement resample, `names` (a query, see display.py) how models and
    prompts are called in its tables for a paper. A second click finds the first one's: the same numbers over the
    same verdicts are not frozen twice under one note. Raises Refusal for a note that is too long, a study without
    responses, and names or places that no table can have. Raises Conflict where a verdict came in meanwhile.
    """
    note = note.replace("\x00", "").strip()
    if len(note) > NOTE_LIMIT:
        raise Refusal(f"The note is longer than {NOTE_LIMIT} characters. Shorten it.")
    # One at a time: the second of two clicks finds what the first has made.
    Study.objects.select_for_update().get(pk=study.pk)
    body = study_report(study, clustering)
    if not body["study"]["responses"]:
        raise Refusal("This study has no responses, so there is nothing to freeze.")
    put_scikit_learns(body)
    if display := chosen(names or {}, body):
        body["display"] = display
    made_of = body["snapshot"]
    # A third person's verdict holds no lock on the study: it may have come in between two numbers.
    if digest(study)[0] != made_of["sha256"]:
        raise Conflict("A verdict came in while the report was computed. Freeze it again.")
    fields = {"rows_hash": made_of["sha256"], "app_version": made_of["app_version"], "note": note}
    for earlier in ReportSnapshot.objects.filter(study=study, **fields):
        if earlier.body == body:
            return earlier, False
    snapshot = ReportSnapshot.objects.create(study=study, body=body, created_by=by, **fields)
    snapshot.runs.set(study.items.order_by().values_list("response__run", flat=True).distinct())
    named: Report = {**body, "snapshot": {**made_of, "id": snapshot.pk}}
    snapshot.text = text_of(sealed(named))
    snapshot.save(update_fields=["text"])
    record(AuditKind.FREEZE, by, f"report {snapshot.pk}")
    return snapshot, True


def report_of(snapshot: ReportSnapshot) -> Report:
    """The frozen report as data. Raises Refusal for one of another format."""
    require_read(snapshot.body)
    report: Report = json.loads(snapshot.text)
    return report


def citation_of(snapshot: ReportSnapshot, address: str) -> Citation:
    """How to cite it; `address` is where it is published, if it is."""
    return Citation(
        number=snapshot.pk,
        study=snapshot.study.name,
        slug=snapshot.study.slug,
        frozen_at=snapshot.created_at,
        app_version=snapshot.app_version,
        sha256=hashlib.sha256(snapshot.text.encode("utf-8")).hexdigest(),
        authors=snapshot.authors,
        address=address,
    )


def has_changed(snapshot: ReportSnapshot) -> bool:
    """Whether verdicts, types, exclusions or annotations of the study differ now from what was frozen."""
    return digest(snapshot.study, report_of(snapshot))[0] != snapshot.rows_hash
