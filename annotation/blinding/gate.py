"""Whether others' work is shown to a person: at once, after a plain question, or not while they have the tag in hand.

Pages of annotation and the rooms above ask for annotations; datasets asks for records, through extension points.
"""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Person
from annotation.blinding import rules, seeing
from annotation.blinding.hiding import (
    blinding,
    hidden_from,
    is_blind,
    published_and_hidden,
    slots_by_tag,
    titled,
)
from annotation.blinding.rules import OthersWork, may_see
from annotation.models import Annotation
from datasets.models import Contradiction
from leases.refusal import AsksFirst, Conflict, Refusal
from wikifetch.models import Tag


def check_annotations(person: Person, annotations: QuerySet[Annotation]) -> None:
    """Raise the question (AsksFirst), or Conflict, if any of these annotations is hidden from the person."""
    tags = hidden_from(person, annotations).order_by().values("sighting__tag")
    if problem := problem_of(person, tags):
        raise problem


def show_annotations(person: Person, annotations: QuerySet[Annotation], opened: str) -> None:
    """As check_annotations, for what shows them: record that the person is shown them, at the address `opened`."""
    check_annotations(person, annotations)
    seeing.keep_views(person, annotations, opened)


def records_shown(person: Person, rows: QuerySet[Contradiction], opened: str) -> None:
    """For datasets.blinding. An imported record names no tag, so that nothing is recorded of it."""
    made_here = Annotation.objects.filter(contradiction__in=rows.order_by().values("pk"))
    seeing.keep_views(person, made_here, opened)


def listed_records_shown(person: Person, records: Collection[int], opened: str) -> None:
    """For datasets.blinding: the same of the records with these keys, as of one page."""
    seeing.keep_views(person, Annotation.objects.filter(contradiction__in=records), opened)


def records_problem(person: Person, rows: QuerySet[Contradiction]) -> Refusal | None:
    """For datasets.blinding."""
    if not is_blind(person):
        return None
    wanted = rows.order_by().values("pk")
    made_here = published_and_hidden(person).filter(contradiction__in=wanted)
    imported = Contradiction.objects.filter(pk__in=wanted, annotations=None).order_by()
    return problem_of(
        person,
        made_here.order_by().values("sighting__tag"),
        Tag.objects.filter(titled(imported.values("title"))).order_by().values("pk"),
    )


def hides_records(person: Person, path: str) -> Q | None:
    """For datasets.blinding."""
    if not is_blind(person):
        return None
    record = OuterRef(f"{path}pk")
    of_the_article = Tag.objects.filter(titled(OuterRef(f"{path}title")))
    of_its_tags = Exists(of_the_article.filter(Exists(blinding(person).filter(tag=OuterRef("pk")))))
    is_made_here = Exists(Annotation.objects.filter(contradiction=record))
    made_here = Exists(published_and_hidden(person).filter(contradiction=record))
    return Q(made_here) | (Q(~is_made_here) & Q(of_its_tags))


def problem_of(
    person: Person, tags: QuerySet[Any], of_articles: QuerySet[Any] | None = None
) -> Refusal | None:
    """Why others' work on those of the tags that are hidden is not shown yet; None if none is hidden.

    `of_articles` are the tags of the articles that imported records are about.
    """
    slots = slots_by_tag(person, tags)
    exact = len(slots)
    slots |= slots_by_tag(person, of_articles) if of_articles is not None else {}
    answers = {tag: may_see(found, annotates=True, has_seen=False) for tag, found in slots.items()}
    if held := sum(answer == OthersWork.HELD for answer in answers.values()):
        return Conflict(rules.in_hand(held))
    asked = [tag for tag, answer in answers.items() if answer == OthersWork.ASKED]
    if not asked:
        return None
    kept = sum(any(slot.gives_seen for slot in slots[tag]) for tag in asked)
    return AsksFirst(
        rules.question(len(asked), kept, by_title=len(slots) > exact),
        button=rules.button(len(asked), kept),
        view="annotation:show",
        operation="annotation:api_show",
        fields={"tags": ",".join(map(str, sorted(asked)))},
        details={"tags": len(asked)},
    )
