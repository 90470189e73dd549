"""rules.py as queries: which tags, annotations and records are hidden from a person now.

Each starts at the rows in question and looks up the slots of their tags in an index: none reads a whole campaign.
"""

from collections import defaultdict
from functools import lru_cache
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Person
from accounts.roles import Role
from annotation.blinding.rules import UNFINISHED, TagSlot
from annotation.campaigns.campaign_people import had_by, works_in
from annotation.models import Annotation, Assignment, Seen
from annotation.states import AnnotationState, AssignmentState


def comes_to(person: Person | int) -> Q:
    """On assignments: they may still come to the person, now or once somebody hands them back.

    A round that is not open yet, a closed campaign and a quota that is reached count too: each may change.
    """
    return Q(~had_by(person), state__in=UNFINISHED, campaign__in=works_in(person))


def has_given_up(person: Person, tag: int) -> bool:
    return Seen.objects.filter(person=person, tag=tag).exists()


def blinding(person: Person) -> QuerySet[Assignment]:
    """The assignments for which others' work on their tags is hidden from the person."""
    return _blinding(person.pk).all()


@lru_cache
def _blinding(person: int) -> QuerySet[Assignment]:
    """Kept, because a page asks up to fourteen times and building it takes longer than its answer."""
    seen = Seen.objects.filter(person=person, tag=OuterRef("tag"))
    own = Q(person=person, state=AssignmentState.HELD)
    return Assignment.objects.filter(own | comes_to(person) & Q(~Exists(seen))).order_by()


def slots_by_tag(person: Person, tags: QuerySet[Any] | list[int]) -> dict[int, list[TagSlot]]:
    """Those of blinding() of these tags, as the pure rules take them."""
    rows = blinding(person).filter(tag__in=tags)
    facts = rows.values_list("tag", "state", "person", "campaign__gives_seen_tags")
    found = defaultdict(list)
    for tag, state, holder, gives_seen in facts.iterator():
        is_own = holder == person.pk
        found[tag].append(TagSlot(state, is_own=is_own, had_one=is_own, gives_seen=gives_seen))
    return dict(found)


def is_blind(person: Person) -> bool:
    """Whether anything at all can be hidden from the person: a quick look before other queries."""
    if not person.has_role(Role.ANNOTATOR):
        return False
    return Assignment.objects.filter(state__in=UNFINISHED).exists()


def hidden_from(person: Person, annotations: QuerySet[Annotation]) -> QuerySet[Annotation]:
    """Of these annotations those by others, of tags that the person has in hand or may still get."""
    if not is_blind(person):
        return annotations.none()
    slots = blinding(person).filter(tag=OuterRef("sighting__tag"))
    return annotations.exclude(author=person).filter(Exists(slots))


def shown_to(person: Person, annotations: QuerySet[Annotation]) -> QuerySet[Annotation]:
    """Those of these annotations that are not hidden from the person."""
    if not is_blind(person):
        return annotations
    slots = blinding(person).filter(tag=OuterRef("sighting__tag"))
    return annotations.filter(Q(author=person) | ~Exists(slots))


def titled(titles: Any) -> Q:
    """On tags: their article has one of these titles, or an OuterRef's, on any wiki. Imported records name no tag."""
    named = "article__title" if isinstance(titles, OuterRef) else "article__title__in"
    return Q(**{named: titles})


def published_and_hidden(person: Person) -> QuerySet[Annotation]:
    """The hidden annotations that were published, but for those whose record the person's own annotation is in too.

    In a merged record it is not enough: that holds others' words.
    """
    own = Annotation.objects.filter(author=person, contradiction=OuterRef("contradiction"))
    own = own.exclude(state=AnnotationState.MERGED)
    return hidden_from(person, Annotation.objects.exclude(contradiction=None)).exclude(Exists(own))
