"""Frozen reports that are read without signing in, at an address that nobody can guess."""

import secrets
from collections.abc import Collection, Iterator

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.urls import reverse

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.releasing.names_found import forgotten_in_texts
from datasets.releasing.publishing import checked_reason
from evaluation.counts.final_verdicts import kept_items
from evaluation.counts.judged import COLUMNS
from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot, WithdrawnReport
from evaluation.rows.export import records
from generation.models import Response
from judging.blinding import TWIN, runs_of, same_texts
from judging.models import Study, StudyItem
from judging.published import PublishedReport
from judging.settling import IS_DISCUSSED, finished
from judging.states import StudyState
from leases.refusal import Conflict, NotFoundHere, Refusal
from pages.name_words import ExcerptPiece

AUTHORS_LIMIT = 300
GONE = "There is no published report at this address."


@transaction.atomic
def publish(
    snapshot: ReportSnapshot, *, by: Person, authors: str = "", with_comments: bool = False
) -> ReportSnapshot:
    """Give the frozen report an address of its own; a second click finds the first one's.

    Raises Refusal for names that are too long. Raises Conflict while somebody who could read the numbers there judges
    or discusses these responses blind, and where the comments asked for have changed since the report was frozen.
    """
    authors = " ".join(authors.replace("\x00", "").split())
    if len(authors) > AUTHORS_LIMIT:
        raise Refusal(f"The authors are longer than {AUTHORS_LIMIT} characters. Shorten them.")
    locked = ReportSnapshot.objects.select_for_update().get(pk=snapshot.pk)
    if locked.public:
        return locked
    assert locked.study is not None
    _check_nobody_judges(locked.study)
    if with_comments and snapshots.has_changed(locked):
        raise Conflict(
            "The verdicts have changed since this report was frozen, so its comments cannot be separated from later "
            "ones. Freeze the report again, or publish it without comments."
        )
    locked.public, locked.token, locked.authors = True, secrets.token_urlsafe(24), authors
    locked.published_by, locked.published_at = by, Now()
    locked.comments = comments_of(locked.study) if with_comments else None
    locked.save()
    record(AuditKind.PUBLISH, by, f"report {locked.pk}")
    locked.refresh_from_db()
    return locked


def _check_nobody_judges(study: Study) -> None:
    runs = set(study.items.order_by().values_list("response__run", flat=True).distinct())
    judged = Study.objects.filter(state=StudyState.OPEN)
    if runs & runs_of(list(judged.values_list("pk", flat=True))):
        raise Conflict(
            "Somebody still judges responses of these runs, or the same texts of others, blind, and could read the "
            "numbers there. Publish the report when the study is closed."
        )
    discussing = finished(StudyItem.objects.filter(IS_DISCUSSED).order_by())
    discussed = discussing.values_list("study", flat=True).distinct()
    if runs & runs_of(list(discussed)):
        raise Conflict(
            "Judges still discuss responses of these runs, or the same texts of others, blind, and could read the "
            "numbers there. Publish the report when they have signed, or when an admin has left what they discuss to "
            "a third person."
        )


def published_over(runs: Collection[int]) -> list[PublishedReport]:
    """The published reports over texts of these runs, one for each report and run."""
    reports = "study_items__study__snapshots"
    is_counted = {f"{reports}__public": True, "run": F(f"{reports}__runs")}
    judged = same_texts(Response.objects.filter(**is_counted), run__in=list(runs))
    rows = judged.values_list(reports, "study_items__study__name", f"{TWIN}run").distinct()
    return [
        PublishedReport(study, reverse("evaluation:snapshot", args=[key]), run)
        for key, study, run in sorted(rows)
    ]


def forgotten_in(snapshot: ReportSnapshot) -> list[tuple[str, list[ExcerptPiece]]]:
    """Texts that would be published with the report and that may name somebody who was forgotten."""
    return forgotten_in_texts(_published_texts(snapshot))


def _published_texts(snapshot: ReportSnapshot) -> Iterator[tuple[str, str]]:
    yield "authors", snapshot.authors
    yield "name of the study", snapshot.study.name
    yield "name in addresses", snapshot.study.slug
    yield from (("text of the report", text) for text in dict.fromkeys(_texts_in(snapshot.body)))
    yield from (("comment of a judge", row["comment"]) for row in comments_of(snapshot.study))


def _texts_in(body: object) -> Iterator[str]:
    """All texts of a frozen report, its keys too: models and prompts are called by what people wrote."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict):
        yield from (text for pair in body.items() for inner in pair for text in _texts_in(inner))
    elif isinstance(body, list):
        yield from (text for inner in body for text in _texts_in(inner))


def comments_of(study: Study) -> list[dict[str, str]]:
    """The judges' comments on their first verdicts: prompt, model, question, judge, verdict, comment.

    None on an excluded question: readers are not told why it was excluded.
    """
    names = {"prompt", "model", "question", "judge", "first_verdict", "comment"}
    return [
        {name: record[name] for name in COLUMNS if name in names}
        for record in records(kept_items(study))
        if record["comment"]
    ]


@transaction.atomic
def unpublish(snapshot: ReportSnapshot, *, reason: str, by: Person) -> bool:
    """Take the address away for good: publishing again gives another one, and the old one shows the reason.

    False where somebody has done it already. Raises Refusal without a reason.
    """
    locked = ReportSnapshot.objects.select_for_update().get(pk=snapshot.pk)
    if not locked.public:
        return False
    assert locked.published_at is not None
    WithdrawnReport.objects.create(
        snapshot=locked,
        token=locked.token,
        published_at=locked.published_at,
        withdrawn_by=by,
        reason=checked_reason(reason),
    )
    locked.public, locked.token, locked.comments = False, "", None
    locked.published_by = locked.published_at = None
    locked.save()
    record(AuditKind.PUBLISH, by, f"report {locked.pk}, withdrawn")
    return True


def withdrawn(snapshot_id: int, token: str) -> WithdrawnReport | None:
    """What was published at the address and is withdrawn; None for an address that never was one."""
    for row in WithdrawnReport.objects.filter(snapshot=snapshot_id).select_related(
        "snapshot__study"
    ):
        if secrets.compare_digest(row.token.encode(), token.encode()):
            return row
    return None


def published(snapshot_id: int, token: str) -> ReportSnapshot:
    """The published report; raises NotFoundHere, in the same words and time whether number or token is wrong."""
    snapshot = ReportSnapshot.objects.filter(pk=snapshot_id, public=True).first()
    kept = snapshot.token if snapshot else secrets.token_urlsafe(24)
    right = secrets.compare_digest(kept.encode(), token.encode())
    if snapshot is None or not right:
        raise NotFoundHere(GONE)
    return snapshot
