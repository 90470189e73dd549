"""What was accepted of a tag, for its annotators once it is published: next to their own, without names.

They can answer the reviewer's note on theirs, once; the answer is kept with the note.
"""

from dataclasses import dataclass
from functools import cached_property

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from annotation.blinding import seeing
from annotation.blinding.hiding import hidden_from
from annotation.fields.form_input import plain
from annotation.models import Annotation, Review, TagReview
from annotation.reviewing.deciding import MOST_NOTE
from annotation.reviewing.review_page import NoteSent, ReviewPage
from annotation.reviewing.tags_in_round import InRound
from annotation.states import AnnotationState
from leases.refusal import Conflict, NotFoundHere, Refusal

OWN, ACCEPTED = "Yours", "Accepted"


def is_accepted() -> Exists:
    """On annotations: what was accepted of their tag in their round is published."""
    place = {f"of_tag__{name}": OuterRef(f"assignment__{name}") for name in InRound._fields}
    return Exists(
        Review.objects.filter(
            **place,
            of_tag__taken_back_at=None,
            decision=Review.Decision.ACCEPT,
            annotation__state=AnnotationState.PUBLISHED,
        )
    )


def accepted_of(decision: TagReview | None) -> QuerySet[Annotation]:
    """What the decision accepted, once it is published."""
    return Annotation.objects.filter(
        reviews__of_tag=decision,
        reviews__decision=Review.Decision.ACCEPT,
        state=AnnotationState.PUBLISHED,
    ).order_by("assignment__lot", "pk")


@dataclass(kw_only=True)
class AcceptedPage(ReviewPage):
    """An annotator's own annotation next to what was accepted; `answer` is what was typed."""

    own: Annotation
    answer: str = ""

    @cached_property
    def accepted(self) -> list[Annotation]:
        return list(accepted_of(self.decision).prefetch_related("questions"))

    @cached_property
    def rows(self) -> list[Annotation]:
        return [self.own, *(row for row in self.accepted if row != self.own)]

    @property
    def is_own_accepted(self) -> bool:
        return self.own in self.accepted

    @property
    def may_decide(self) -> bool:
        return False

    def letter_of(self, row: Annotation) -> str:
        if row == self.own:
            return OWN
        others = self.rows[1:]
        return ACCEPTED if len(others) == 1 else f"{ACCEPTED} {others.index(row) + 1}"

    def name_of(self, row: Annotation) -> str:
        return ""

    @cached_property
    def note(self) -> NoteSent | None:
        """The reviewer's note on the own annotation, or the reason for all; None where there is neither."""
        review = note_to(self.own, self.decision)
        return NoteSent(review, OWN, "") if review else None


def note_to(own: Annotation, decision: TagReview | None) -> Review | None:
    """What the decision says to the author of this annotation; None if it says nothing."""
    review = own.reviews.filter(of_tag=decision).select_related("of_tag").first()
    if review is None or review.of_tag is None:
        return None
    return review if review.note or review.notes_by_field or review.of_tag.reason else None


def show_accepted(page: AcceptedPage, opened: str) -> None:
    """Record that the person reads it. Raises NotFoundHere before it is published, Conflict while the tag may come."""
    if not page.accepted:
        raise NotFoundHere("Nothing of this tag is published yet, so there is nothing to compare.")
    shown = accepted_of(page.decision)
    if hidden_from(page.person, shown).exists():
        raise Conflict(
            "You can still get this tag. What was accepted of it is shown once it can come to you no more."
        )
    seeing.keep_views(page.person, shown, opened)


@transaction.atomic
def answer_note(page: AcceptedPage, typed: str, *, by: Person) -> None:
    """Keep the answer of the own annotation's author. The same once more changes nothing, another one is refused."""
    found = note_to(page.own, page.decision)
    text = plain(typed).strip()
    if found is None or page.own.author_id != by.pk:
        raise NotFoundHere("There is no note to answer.")
    if not text:
        raise Refusal("Write an answer first.")
    if len(text) > MOST_NOTE:
        raise Refusal(
            f"The answer has {len(text):,} characters; at most {MOST_NOTE:,} can be kept. Shorten it."
        )
    kept = Review.objects.select_for_update().get(pk=found.pk)
    if kept.answer and kept.answer != text:
        raise Conflict("You have answered this note before. The first answer stays.")
    if not kept.answer:
        Review.objects.filter(pk=kept.pk).update(answer=text, answered_at=Now())
