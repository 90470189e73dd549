"""Who was shown what others entered for a tag, and giving up tags to see it."""

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Person
from annotation.blinding import rules
from annotation.blinding.hiding import slots_by_tag
from annotation.blinding.rules import OthersWork, is_recorded, may_see
from annotation.campaigns import campaign_people, reserve
from annotation.models import Annotation, Assignment, Campaign, Seen
from annotation.states import AnnotationState
from leases.refusal import Conflict

BATCH = 500
MOST_OPENED = 300


@transaction.atomic
def give_up(*, by: Person, tags: Iterable[int], opened: str) -> int:
    """Record that the person is shown others' work on those of the tags that they could still get; returns how many.

    A second click does nothing. Raises Conflict if they have got one of them meanwhile.
    """
    # A claim of theirs that runs now ends first, or finds the tag given up.
    campaign_people.one_claim_at_a_time(by)
    answers = dict(_answers(by, tags))
    if held := sum(answer == OthersWork.HELD for answer in answers.values()):
        raise Conflict(rules.in_hand(held))
    given = [tag for tag, answer in answers.items() if answer == OthersWork.ASKED]
    _record(by, given, opened)
    return len(given)


def _answers(person: Person, tags: Iterable[int]) -> Iterator[tuple[int, OthersWork]]:
    """Each of the tags of which others' work is hidden, with the answer."""
    keys = sorted(set(tags))
    for start in range(0, len(keys), BATCH):
        found = slots_by_tag(person, keys[start : start + BATCH])
        for tag, slots in found.items():
            yield tag, may_see(slots, annotates=True, has_seen=False)


def keep_views(person: Person, annotations: QuerySet[Annotation], opened: str) -> None:
    """Record that the person is shown those of these annotations that is_recorded names, in few statements.

    The person may see them, so none of their tags can come to them, and no reserve tag has to replace one.
    """
    known = Seen.objects.filter(person=person, tag=OuterRef("sighting__tag"))
    rows = annotations.filter(~Exists(known)).order_by()
    tags = {
        tag
        for tag, author, state in rows.values_list("sighting__tag", "author", "state").distinct()
        if is_recorded(is_own=author == person.pk, is_draft=state == AnnotationState.DRAFT)
    }
    _insert(person, tags, opened)


def note(*, by: Person, tag: int, opened: str) -> None:
    """Record that the person decided on an annotation of the tag: it may come back, and not to them."""
    _record(by, [tag], opened)


def _record(by: Person, tags: Iterable[int], opened: str) -> None:
    keys = sorted(tags)
    _insert(by, keys, opened)
    reserve.replace_given_up(keys)


def _insert(by: Person, tags: Iterable[int], opened: str) -> None:
    rows = [Seen(person=by, tag_id=tag, opened=opened[:MOST_OPENED]) for tag in sorted(tags)]
    Seen.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)


@transaction.atomic
def let_people_annotate_what_they_saw(campaign: Campaign, lets: bool) -> None:
    """Whether the campaign gives out tags also to people who have seen others' work on them."""
    this = Campaign.objects.filter(pk=campaign.pk)
    this.update(gives_seen_tags=lets)
    reserve.replace_given_up(campaign.assignments.values("tag"), this)


def seen_in(campaign: Campaign) -> QuerySet[Seen]:
    """Who saw others' work on which of the campaign's tags, the latest first."""
    drawn = Assignment.objects.filter(campaign=campaign, tag=OuterRef("tag"))
    rows = Seen.objects.filter(Exists(drawn)).select_related("person", "tag__article")
    return rows.order_by("-at", "-pk")
