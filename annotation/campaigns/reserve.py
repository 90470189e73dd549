"""What happens by itself while a campaign runs: reserve tags replace lost ones, and the stop rule closes it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.campaigns.campaign_people import annotators_of
from annotation.models import Assignment, Campaign, Seen
from annotation.states import (
    ASSIGNMENT,
    CAMPAIGN,
    IN_WORK,
    AnnotationState,
    AssignmentState,
    CampaignState,
)
from datasets.models import Validity
from wikifetch.states import TagState

Tags = Collection[int] | QuerySet[Any]

# A tag with an assignment in one of these states may still be annotated, or is.
LIVE = (*IN_WORK, AssignmentState.SUBMITTED)
# An annotation in one of these states says whether its tag is valid.
COUNTED = (AnnotationState.SUBMITTED, AnnotationState.ACCEPTED, AnnotationState.PUBLISHED)

BATCH = 10_000  # tags named in one statement, below what SQLite takes


def reserve_of(campaign: Campaign) -> QuerySet[Assignment]:
    """The reserve tags that can be released, in their order and locked; without those that an admin is withdrawing.

    A tag that is gone from its article, or that nobody can get any more, cannot be released.
    """
    rows = campaign.assignments.filter(state=AssignmentState.RESERVE, tag__state=TagState.LIVE)
    reached = out_of_reach(campaign, rows.values("tag"))
    free = rows.exclude(tag__in=reached).order_by("order")
    return free.select_for_update(of=("self",), skip_locked=True)


def valid_tags(campaign: Campaign, at_most: int | None = None) -> int:
    """How many tags of the main round somebody called valid in an annotation that no review has left out.

    Of a merge its result counts, not its sources. Counting stops at `at_most`.
    """
    main = _main(campaign)
    direct = main.filter(annotation__validity=Validity.VALID, annotation__state__in=COUNTED)
    merged = main.filter(
        annotation__state=AnnotationState.MERGED,
        annotation__merged_into__validity=Validity.VALID,
        annotation__merged_into__state__in=COUNTED,
    )
    # No OR: then neither part would be answered by an index.
    return direct.values("tag").union(merged.values("tag"))[:at_most].count()


def is_reached(campaign: Campaign) -> bool:
    """Whether the campaign has as many valid tags as it is to stop at."""
    wanted = campaign.stop_at_valid
    if wanted is None:
        return False
    # Most of the time there are not even so many annotations, which costs less to know.
    submitted = _main(campaign).filter(state=AssignmentState.SUBMITTED).values("pk")[:wanted]
    return submitted.count() == wanted and valid_tags(campaign, wanted) == wanted


def follow_stop_rule(campaign_id: int) -> None:
    """Close the campaign if its stop rule is reached; release reserve tags if it cannot be reached without them."""
    if (campaign := _with_stop_rule(campaign_id)) and not _stopped(campaign):
        _fill_up(campaign)


def follow_submission(campaign_id: int, *, is_valid: bool) -> None:
    """As follow_stop_rule, after one submission: a valid one can reach the rule, an invalid one leave tags short."""
    if campaign := _with_stop_rule(campaign_id):
        if is_valid:
            _stopped(campaign)
        else:
            _fill_up(campaign)


def _with_stop_rule(campaign_id: int) -> Campaign | None:
    """The campaign, locked, if it is open and has a stop rule."""
    rows = Campaign.objects.filter(pk=campaign_id, state=CampaignState.OPEN)
    return rows.exclude(stop_at_valid=None).select_for_update(no_key=True).first()


def _stopped(campaign: Campaign) -> bool:
    if is_reached(campaign):
        CAMPAIGN.move(campaign, "stop")
        return True
    return False


def _fill_up(campaign: Campaign) -> None:
    """Release as many reserve tags as the stop rule needs over those that are valid or still to come."""
    wanted = campaign.stop_at_valid
    assert wanted is not None
    if not campaign.assignments.filter(state=AssignmentState.RESERVE).exists():
        return
    if (short := wanted - _tags_to_come(campaign, wanted)) > 0:
        short -= valid_tags(campaign, short)
    if short > 0:
        _release([(row, 1) for row in reserve_of(campaign)[:short]])


def _tags_to_come(campaign: Campaign, at_most: int) -> int:
    """How many tags of the main round are in work or free, and nobody has handed in; no more are counted."""
    same = {name: OuterRef(name) for name in ("campaign", "round", "tag")}
    handed_in = Assignment.objects.filter(state=AssignmentState.SUBMITTED, **same)
    to_come = _main(campaign).filter(state__in=IN_WORK)
    return to_come.filter(~Exists(handed_in)).values("tag").distinct()[:at_most].count()


def _main(campaign: Campaign) -> QuerySet[Assignment]:
    return campaign.assignments.filter(round=campaign.main_round).order_by()


def replace_lost(campaign_id: int, tags: Collection[int]) -> tuple[int, int]:
    """Release a reserve tag of the same stratum for each of these tags of the main round that nobody will annotate.

    Returns how many tags were lost and how many released: fewer if the reserve has run out.
    """
    campaign = _locked(campaign_id)
    lost = _lost(campaign, tags)
    return len(lost), _release_for(lost, _by_stratum(campaign)) if lost else 0


def _by_stratum(campaign: Campaign) -> dict[str, list[Assignment]]:
    """Stratum -> the reserve tags that can be released, in their order."""
    waiting: defaultdict[str, list[Assignment]] = defaultdict(list)
    for row in reserve_of(campaign).select_related("sighting"):
        waiting[_stratum(campaign, row.sighting.kind)].append(row)
    return waiting


def _release_for(lost: Iterable[tuple[str, int]], waiting: dict[str, list[Assignment]]) -> int:
    """Release the first that waits of the stratum of each lost tag, for as many people; returns how many there were."""
    left = {stratum: iter(rows) for stratum, rows in waiting.items()}
    found = ((next(left.get(stratum, iter(())), None), people) for stratum, people in lost)
    return _release([(row, people) for row, people in found if row is not None])


def _locked(campaign_id: int) -> Campaign:
    """The campaign as it is now; others that would release its reserve wait."""
    # Without the key, inserts of rows that point at the campaign do not wait.
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)


def _stratum(campaign: Campaign, kind: str) -> str:
    kinds = {stratum["kind"] for stratum in campaign.strata}
    return kind if kind in kinds else ""


def _lost(campaign: Campaign, tags: Collection[int]) -> list[tuple[str, int]]:
    """(stratum, people) of each lost tag; `people` is how many assignments were withdrawn."""
    main = _main(campaign)
    states: defaultdict[tuple[int, int, str], list[str]] = defaultdict(list)
    for part in _parts(tags):
        rows = main.filter(tag__in=part).values_list("order", "tag", "sighting__kind", "state")
        for order, tag, kind, state in rows:
            states[order, tag, kind].append(state)
    return [
        (_stratum(campaign, kind), max(1, found.count(AssignmentState.WITHDRAWN)))
        for (_, _, kind), found in sorted(states.items())
        if not {*found} & {*LIVE}
    ]


def _release(rows: Collection[tuple[Assignment, int]]) -> int:
    """Let each of these reserve tags be claimed by so many people; returns how many there were."""
    released = 0
    for part in _parts([row.pk for row, _ in rows]):
        released += ASSIGNMENT.move(Assignment.objects.filter(pk__in=part), "release")
    Assignment.objects.bulk_create(
        again(row, slot) for row, people in rows for slot in range(2, people + 1)
    )
    return released


def again(row: Assignment, slot: int, **columns: object) -> Assignment:
    """A further free assignment of the same tag and round."""
    return Assignment(
        campaign_id=row.campaign_id,
        round=row.round,
        tag_id=row.tag_id,
        sighting_id=row.sighting_id,
        slot=slot,
        order=row.order,
        **columns,
    )


def replace_given_up(tags: Tags, campaigns: QuerySet[Campaign] | None = None) -> None:
    """Replace those of these tags that nobody annotates and that nobody can get any more, in `campaigns` or in all.

    Where the reserve has no tag of its stratum left, a tag waits for further people.
    """
    waiting = Assignment.objects.filter(campaign=OuterRef("pk"), state=AssignmentState.RESERVE)
    rows = Campaign.objects.all() if campaigns is None else campaigns
    for campaign in rows.filter(Exists(waiting)).order_by("pk"):
        if given_up := _given_up(campaign, tags):
            _replace(campaign, given_up)


def _given_up(campaign: Campaign, tags: Tags) -> list[tuple[int, str]]:
    """(tag, kind) of those of these tags that are free and that nobody can get any more, in the order of the draw."""
    main = _main(campaign)
    found: set[tuple[int, int, str]] = set()
    for part in _parts(tags):
        places = main.filter(tag__in=part)
        # Of two people who give up a tag at once, the second waits here and then finds that both have. All are locked
        # before the campaign, as a skip does it.
        idle = places.filter(state__in=(AssignmentState.FREE, AssignmentState.SKIPPED))
        list(idle.select_for_update().order_by("tag_id", "pk").values_list("pk"))
        has_one = places.filter(state__in=(AssignmentState.HELD, AssignmentState.SUBMITTED))
        given_up = out_of_reach(campaign, part) - {*has_one.values_list("tag", flat=True)}
        free = places.filter(state=AssignmentState.FREE, tag__in=given_up)
        found.update(free.values_list("order", "tag", "sighting__kind"))
    return [(tag, kind) for _, tag, kind in sorted(found)]


def _parts(keys: Tags) -> Iterator[Tags]:
    if isinstance(keys, QuerySet):
        yield keys
        return
    ordered = sorted(keys)
    for start in range(0, len(ordered), BATCH):
        yield ordered[start : start + BATCH]


def out_of_reach(campaign: Campaign, tags: Tags, people: set[int] | None = None) -> set[int]:
    """Those of these tags that everybody who annotates in the campaign has had in its main round, or gave up.

    people: count these as its annotators.
    """
    if people is None:
        people = {*annotators_of(campaign).values_list("pk", flat=True)}
    had = campaign.assignments.filter(person__in=people, tag__in=tags).order_by()
    had = had.filter(round=campaign.main_round) if campaign.pilot_again else had
    reached: defaultdict[int, set[int]] = defaultdict(set)
    for tag, person in had.values_list("tag", "person"):
        reached[tag].add(person)
    if not campaign.gives_seen_tags:
        seen = Seen.objects.filter(person__in=people, tag__in=tags).order_by()
        for tag, person in seen.values_list("tag", "person"):
            reached[tag].add(person)
    return {tag for tag, had_by in reached.items() if had_by >= people}


def _replace(campaign: Campaign, given_up: list[tuple[int, str]]) -> None:
    """Replace these tags by those of the reserve; with none left of its stratum, leave a tag."""
    campaign = _locked(campaign.pk)
    waiting = _by_stratum(campaign)
    left = Counter({stratum: len(rows) for stratum, rows in waiting.items()})
    replaced = []
    for tag, kind in given_up:
        stratum = _stratum(campaign, kind)
        if left[stratum]:
            left[stratum] -= 1
            replaced.append(tag)
    main = _main(campaign)
    for part in _parts(replaced):
        ASSIGNMENT.move(main.filter(tag__in=part), "withdraw")
    _release_for(_lost(campaign, replaced), waiting)
