"""What an admin changes in the assignments of a campaign: withdraw, reassign, extend; and who gets none any more."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from annotation.campaigns import reserve
from annotation.campaigns.campaign_people import (
    annotators_of,
    given_up_by,
    had_by,
    one_claim_at_a_time,
)
from annotation.models import Annotation, Assignment, Campaign, CampaignPerson
from annotation.states import ASSIGNMENT, EDITABLE, IN_WORK, AssignmentState
from annotation.workflow.claiming import (
    FREE_AGAIN,
    LEASE_SECONDS,
    begin_annotation,
    detach_drafts,
    holder_of,
)
from leases.clock import in_seconds
from leases.refusal import Refusal
from pages.counting import how_many
from wikifetch.shownarticle import shown_article

MOST_AT_ONCE = 200  # assignments given to one person


@transaction.atomic
def remove_person(campaign: Campaign, person: Person, *, by: Person | None = None) -> int:
    """Give the person no more tags; those they hold are free again, and drafts stay theirs. Returns how many."""
    CampaignPerson.objects.update_or_create(
        campaign=campaign, person=person, defaults={"removed_at": Now()}
    )
    record(AuditKind.WORK, by, f"removed from the campaign “{campaign}”", person=person)
    freed = free(campaign, person, by=by)
    this = Campaign.objects.filter(pk=campaign.pk)
    reserve.replace_given_up(campaign.assignments.values("tag"), this)
    return freed


@transaction.atomic
def free(campaign: Campaign, person: Person, *, by: Person | None) -> int:
    """Let others take what the person holds in the campaign; drafts stay theirs. Returns how many tags."""
    one_claim_at_a_time(person)
    own = campaign.assignments.filter(person=person)
    _lock_drafts(own)
    freed = ASSIGNMENT.move(own, "free", **FREE_AGAIN)
    detach_drafts()
    tell(campaign, [person.pk] * freed, "freed for others", by)
    return freed


@transaction.atomic
def hand_on(campaign: Campaign, person: Person, to: Person | None, by: Person | None) -> str:
    """Give what the person holds in the campaign to another; others take what that one had before, or all of it."""
    own = campaign.assignments.filter(person=person, state=AssignmentState.HELD)
    given = reassign(campaign, own, to, by=by) if to else 0
    freed = free(campaign, person, by=by)
    parts = [f"{how_many(given, 'tag')} given to {to}"] if given else []
    parts += [f"{how_many(freed, 'tag')} free for others"] if freed or not given else []
    return f"{campaign}: {', '.join(parts)}."


def tell(campaign: Campaign, holders: Iterable[int | None], what: str, by: Person | None) -> None:
    """Record how many tags each of these people held, for whom it is on their first page; a key for each tag."""
    counts = Counter(key for key in holders if key)
    for person in Person.objects.filter(pk__in=counts):
        tags = how_many(counts[person.pk], "tag")
        record(AuditKind.WORK, by, f"“{campaign}”: {tags} {what}", person=person)


@dataclass(frozen=True)
class WithdrawnCounts:
    """How many assignments were withdrawn, how many tags nobody annotates now, and how many were replaced."""

    assignments: int
    lost: int
    replaced: int


@transaction.atomic
def withdraw(
    campaign: Campaign, rows: QuerySet[Assignment], *, by: Person | None = None
) -> WithdrawnCounts:
    """Withdraw those of these assignments of the campaign that are free, held, not needed or in reserve.

    Authors keep their drafts. The reserve replaces tags of the main round that nobody annotates now.
    """
    rows = _without_joins(campaign, rows)
    _lock_drafts(rows)
    main = rows.filter(round=campaign.main_round, state__in=IN_WORK)
    tags = {*main.values_list("tag", flat=True)}
    held = rows.filter(state=AssignmentState.HELD)
    tell(campaign, held.values_list("person", flat=True), "withdrawn from the campaign", by)
    moved = ASSIGNMENT.move(rows, "withdraw", lease_holder="", lease_until=None)
    Annotation.objects.filter(
        assignment__campaign=campaign,
        assignment__state=AssignmentState.WITHDRAWN,
        state__in=EDITABLE,
    ).update(assignment=None)
    lost, replaced = reserve.replace_lost(campaign.pk, tags)
    reserve.follow_stop_rule(campaign.pk)
    return WithdrawnCounts(moved, lost, replaced)


def reassign(
    campaign: Campaign, rows: QuerySet[Assignment], to: Person, *, by: Person | None = None
) -> int:
    """Give the free and held ones of these assignments to a person; returns how many.

    Tags that the person has had, or gave up to see others' work, are left out. Earlier holders keep their drafts.
    Raises Refusal for a person who does not annotate here.
    """
    _check_annotates(campaign, to)
    # A draft begins with what its article shows; articles are remembered, so none is rendered while rows are locked.
    shown = rows.filter(state__in=IN_WORK).select_related(
        "sighting__revision__article__wiki", "sighting__revision__html"
    )
    for row in shown[:MOST_AT_ONCE]:
        shown_article(row.sighting.revision, row.sighting)
    return _reassign(campaign, rows, to, by)


def _check_annotates(campaign: Campaign, to: Person) -> None:
    if not annotators_of(campaign).filter(pk=to.pk).exists():
        raise Refusal(f"{to} does not annotate in this campaign. Add them under People first.")


@transaction.atomic
def _reassign(campaign: Campaign, rows: QuerySet[Assignment], to: Person, by: Person | None) -> int:
    _check_annotates(campaign, to)
    one_claim_at_a_time(to)
    _lock_drafts(rows)
    given: set[tuple[int, int]] = set()
    holders: list[int | None] = []
    waiting = rows.filter(
        ~had_by(to), ~given_up_by(to), state__in=IN_WORK, round__lte=campaign.open_round
    ).order_by("round", "order", "slot")
    for row in waiting.select_for_update(of=("self",))[: MOST_AT_ONCE + 1]:
        if len(given) == MOST_AT_ONCE:
            raise Refusal(
                f"These are more than {MOST_AT_ONCE}. Choose fewer to reassign at a time."
            )
        once = (row.round if campaign.pilot_again else 0, row.tag_id)
        if once not in given:
            given.add(once)
            holders.append(row.person_id)
            _give(row, to)
    tell(campaign, holders, "given to another annotator", by)
    return len(given)


def _give(row: Assignment, to: Person) -> None:
    Annotation.objects.filter(assignment=row).update(assignment=None)
    until, holder = in_seconds(LEASE_SECONDS), holder_of(to)
    ASSIGNMENT.require(row, "reassign", person=to, lease_holder=holder, lease_until=until)
    own = Annotation.objects.filter(
        author=to, assignment=None, sighting=row.sighting_id, state__in=EDITABLE
    )
    if (draft := own.first()) is not None:
        Annotation.objects.filter(pk=draft.pk).update(assignment=row)
    else:
        begin_annotation(row, to)


def extend(campaign: Campaign, rows: QuerySet[Assignment], days: int) -> int:
    """Let these held assignments be held for so many days more; returns how many there are."""
    longer = ExpressionWrapper(F("lease_until") + timedelta(days=days), DateTimeField())
    held = _without_joins(campaign, rows).filter(state=AssignmentState.HELD)
    return held.update(lease_until=longer)


def _without_joins(campaign: Campaign, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """The same rows, to be updated.

    With a join Django would move the state into a subquery, which PostgreSQL does not evaluate again after waiting for
    another change of the row, such as a submission.
    """
    return campaign.assignments.filter(pk__in=rows.order_by().values("pk"))


def _lock_drafts(rows: QuerySet[Assignment]) -> None:
    """Annotations before assignments, as a save takes them: otherwise the two could wait for each other."""
    drafts = Annotation.objects.filter(assignment__in=rows.order_by().values("pk"))
    list(drafts.select_for_update().order_by("pk").values_list("pk"))
