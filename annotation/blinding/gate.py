"""Whether others' work is shown to a person: at once, after a plain question, or not while they have the tag in hand.

Pages of annotation and the rooms above ask for annotations; datasets asks for records, through extension points.
"""

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Person
from annotation.blinding import decisions
from annotation.blinding.decisions import Answer, may_see
from annotation.blinding.tags import hidden, is_blind, published_and_hidden, slots_by_tag
from annotation.models import Annotation
from datasets.models import Contradiction
from leases.refusal import AsksFirst, Conflict, Refusal


def check_annotations(person: Person, annotations: QuerySet[Annotation]) -> None:
    """Raise the question (AsksFirst), or Conflict, if any of these annotations is hidden from the person."""
    if problem := problem_of(person, hidden(person, annotations)):
        raise problem


def records_problem(person: Person, rows: QuerySet[Contradiction]) -> Refusal | None:
    """For datasets.blinding."""
    if not is_blind(person):
        return None
    wanted = rows.order_by().values("pk")
    return problem_of(person, published_and_hidden(person).filter(contradiction__in=wanted))


def hides_records(person: Person, path: str) -> Exists | None:
    """For datasets.blinding."""
    if not is_blind(person):
        return None
    return Exists(published_and_hidden(person).filter(contradiction=OuterRef(f"{path}pk")))


def problem_of(person: Person, annotations: QuerySet[Annotation]) -> Refusal | None:
    """Why these hidden annotations are not shown yet; None for none."""
    slots = slots_by_tag(person, annotations.order_by().values("sighting__tag"))
    answers = {tag: may_see(each, annotates=True, has_seen=False) for tag, each in slots.items()}
    if held := sum(answer == Answer.HELD for answer in answers.values()):
        return Conflict(decisions.in_hand(held))
    asked = [tag for tag, answer in answers.items() if answer == Answer.ASKED]
    if not asked:
        return None
    kept = sum(any(slot.gives_seen for slot in slots[tag]) for tag in asked)
    return AsksFirst(
        decisions.question(len(asked), kept),
        button=decisions.button(len(asked), kept),
        view="annotation:show",
        fields={"tags": ",".join(map(str, sorted(asked)))},
        details={"tags": len(asked)},
    )
