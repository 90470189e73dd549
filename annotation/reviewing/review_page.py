"""The page of one tag's annotations: next to one another, with what the reviewer typed so far.

Until the tag is decided nothing on it says whose an annotation is, or when it was handed in: it has a letter.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.http import QueryDict

from accounts.models import Person
from annotation.evidence.other_articles import OtherArticles
from annotation.evidence.panes import Evidence
from annotation.fields.checks import CheckFinding, Level
from annotation.fields.entries import FIELDS, entries_of
from annotation.fields.steps import QUESTIONS, STEPS
from annotation.models import Annotation, Assignment, Review, TagReview
from annotation.reviewing.combining import ALIKE, ChecksRefused, asked_in
from annotation.reviewing.comparing import ComparedField, compared_steps
from annotation.reviewing.deciding import MOST_NOTE
from annotation.reviewing.joining import NEITHER, AskedQuestion, alike_pairs
from annotation.reviewing.shown_comparison import (
    ComparedParts,
    NoteBox,
    ReviewColumn,
    ReviewedCell,
    ReviewedField,
    ShownQuestion,
    ShownWording,
    parts_of,
)
from annotation.reviewing.tags_in_round import NOTHING_HERE, TagInRound, may_review
from annotation.states import AnnotationState, AssignmentState
from leases.refusal import NotFoundHere, Refusal

MERGED = "Merged"


@dataclass(frozen=True)
class NoteSent:
    """A reviewer's note on one annotation, with the answer to it; `name` is "" until the tag is decided."""

    review: Review
    letter: str
    name: str

    @property
    def by_field(self) -> list[tuple[str, str]]:
        """(label, note) of each field."""
        notes = self.review.notes_by_field.items()
        return [(FIELDS[name.partition("-")[0]].label, note) for name, note in notes]


@dataclass
class ReviewPage:
    """One tag for one reviewer; `typed` is the form of a refused decision."""

    tag: TagInRound
    person: Person
    typed: QueryDict = field(default_factory=QueryDict)
    refusal: Refusal | None = None

    def context(self, other: str) -> dict[str, Any]:
        """The context of review.html; `other` is the key of the other article to show."""
        first, *rest = self.rows
        return {
            "desk": self,
            "tag": self.tag.tag,
            "annotation": first,
            "evidence": Evidence(self.tag.sighting),
            "others": OtherArticles(first, other, tuple(rest)),
            "refusal": self.refusal,
            "typed": self.typed,
        }

    @cached_property
    def rows(self) -> list[Annotation]:
        """What the page compares: what waits for a decision; if nothing does, all with what was merged of them."""
        related = ("author", "assignment", "sighting", "contradiction", "guideline")
        rows = list(self.tag.at.opened.select_related(*related).prefetch_related("questions"))
        if not rows:  # taken back a moment ago
            raise NotFoundHere(NOTHING_HERE)
        waiting = [row for row in rows if row.state == AnnotationState.SUBMITTED]
        if waiting:
            return waiting
        made = Annotation.objects.filter(reviews__of_tag=self.decision, assignment=None)
        return [*(made.select_related(*related) if self.decision else ()), *rows]

    @cached_property
    def decision(self) -> TagReview | None:
        return self.tag.at.decision

    @cached_property
    def letters(self) -> dict[int, str]:
        return self.tag.at.letters

    def letter_of(self, row: Annotation) -> str:
        return self.letters.get(row.assignment_id or 0, MERGED)

    def name_of(self, row: Annotation) -> str:
        """Who made it, once the tag is decided; of a merged one that is nobody of the annotators."""
        return row.author.name if self.decision and row.assignment_id else ""

    @cached_property
    def history(self) -> list[tuple[TagReview, list[NoteSent]]]:
        """All decisions on the tag, those taken back too, each with the notes to the authors."""
        decided = self.tag.at.reviews.select_related("reviewer", "taken_back_by")
        return [(kept, list(self._notes_of(kept.reviews))) for kept in decided]

    @cached_property
    def sent_back(self) -> list[NoteSent]:
        """Earlier notes to the authors of the annotations shown, without a decision on the tag."""
        earlier = Review.objects.filter(annotation__in=self.rows, of_tag=None)
        return list(self._notes_of(earlier))

    def _notes_of(self, reviews: Any) -> Iterator[NoteSent]:
        for review in reviews.select_related("reviewer", "annotation__author"):
            if review.note or review.notes_by_field or review.answer:
                row = review.annotation
                # Nobody writes a note to a merged one: without a place, it is of somebody who gave the tag up since.
                letter = self.letters.get(row.assignment_id or 0, "")
                yield NoteSent(review, letter, self.name_of(row))

    @property
    def held(self) -> list[Assignment]:
        """What somebody still works on."""
        return [row for row in self.tag.missing if row.state == AssignmentState.HELD]

    @property
    def free(self) -> int:
        return len(self.tag.missing) - len(self.held)

    @property
    def waits(self) -> bool:
        """Whether annotations wait for a decision."""
        return self.rows[0].state == AnnotationState.SUBMITTED

    @cached_property
    def is_own(self) -> bool:
        return not may_review(self.tag.at.tag_id, self.person)

    @property
    def may_decide(self) -> bool:
        return self.waits and not self.is_own

    @property
    def may_take_back(self) -> bool:
        is_published = any(row.state == AnnotationState.PUBLISHED for row in self.rows)
        return bool(self.decision) and not is_published and not self.is_own

    @property
    def is_one(self) -> bool:
        return len(self.rows) == 1

    @property
    def may_merge(self) -> bool:
        return self.may_decide and not self.is_one

    @cached_property
    def columns(self) -> list[ReviewColumn]:
        chosen = self.typed.getlist("chosen")
        return [
            ReviewColumn(letter, row, self.name_of(row), letter in chosen)
            for row in self.rows
            for letter in [self.letter_of(row)]
        ]

    @cached_property
    def parts(self) -> ComparedParts:
        """The compared fields, what differs first."""
        compared = compared_steps(STEPS, [entries_of(row) for row in self.rows])
        fields = [
            ReviewedField(
                field.field,
                field.differs,
                len(field.cells) == len(self.rows),
                list(self._cells(field)),
            )
            for step in compared
            for field in step.fields
        ]
        return parts_of(fields, self.rows)

    @cached_property
    def questions(self) -> list[ShownQuestion]:
        asked = asked_in(self.rows)
        number = {
            id(each): n for n, row in enumerate(asked, start=1) for each in row.wordings.values()
        }
        alike: dict[int, set[int]] = {}
        for first, second in alike_pairs(each for row in asked for each in row.wordings.values()):
            if number[id(first)] != number[id(second)]:
                alike.setdefault(number[id(second)], set()).add(number[id(first)])
        return [
            self._question(n, row, sorted(alike.get(n, ()))) for n, row in enumerate(asked, start=1)
        ]

    @property
    def question_notes(self) -> list[NoteBox]:
        return [self._note(column.letter, QUESTIONS.name) for column in self.columns]

    @property
    def has_question_note(self) -> bool:
        return any(note.text for note in self.question_notes)

    @cached_property
    def refused_findings(self) -> list[tuple[CheckFinding, bool, str]]:
        """Of the merged annotation: each with whether it can be ticked, and its field or question."""
        found = self.refusal.findings if isinstance(self.refusal, ChecksRefused) else ()
        return [(finding, finding.level == Level.WARN, self._part_of(finding)) for finding in found]

    def _part_of(self, finding: CheckFinding) -> str:
        """A question of the merged annotation under its name on this page."""
        name, _, rest = finding.field.partition("-")
        taken = [asked.name for asked in self.questions for each in asked.wordings if each.is_taken]
        at = int(rest.partition("-")[0]) if name == QUESTIONS.name and rest else len(taken)
        return taken[at] if at < len(taken) else name

    @cached_property
    def wrong(self) -> list[str]:
        """The parts of the form that the refusal is about, as they are named there; the first one gets the focus."""
        if self.refusal is None:
            return []
        too_long = [
            name
            for name, text in self.typed.items()
            if name.partition("-")[0] in ("note", "reason") and len(str(text)) > MOST_NOTE
        ]
        ticks = [f.key for f, can_be_ticked, _ in self.refused_findings if can_be_ticked]
        parts = [part for _, _, part in self.refused_findings]
        alike = {p for f, _, p in self.refused_findings if f.code == ALIKE}
        nears = [
            number for asked in self.questions if asked.name in alike for number in asked.alike
        ]
        near = [asked.name for asked in self.questions if asked.n in nears]
        return [*(self.refusal.fields or {}), *ticks, *parts, *near, *too_long]

    @property
    def first_wrong(self) -> str:
        return self.wrong[0] if self.wrong else ""

    @property
    def checked(self) -> list[str]:
        """Warnings on the merged annotation that were ticked before."""
        return self.typed.getlist("checked")

    @property
    def lost_texts(self) -> list[tuple[str, str]]:
        """(Reason or Note, what was typed) of what this page has no box for any more."""
        boxes = {column.letter for column in self.columns} if self.may_decide else set()
        names = [] if self.may_decide else [("Reason", "reason")]
        names += [
            ("Note", name)
            for name in self.typed
            if name.startswith("note-") and name.split("-")[1] not in boxes
        ]
        return [(kind, text) for kind, n in names if (text := self.typed.get(n, "").strip())]

    def _note(self, letter: str, name: str) -> NoteBox:
        key = f"note-{letter}-{name}"
        return NoteBox(letter, key, self.typed.get(key, ""))

    def _cells(self, field: ComparedField) -> Iterator[ReviewedCell]:
        name = field.field.name
        for cell in field.cells:
            letter = self.columns[cell.index].letter
            is_taken = self.typed.get(f"take-{name}", "") == letter
            yield ReviewedCell(letter, cell, self._note(letter, name), is_taken)

    def _question(self, n: int, asked: AskedQuestion, alike: list[int]) -> ShownQuestion:
        letters = {column.annotation.pk: column.letter for column in self.columns}
        # A question is taken unless the reviewer takes the tick away, or it contradicts, or repeats an earlier one.
        picked = self.typed.getlist(f"question-{n - 1}")
        by_default = not self.typed and not asked.contradicts and not alike
        wordings = []
        for wording in asked.wordings.values():
            first = wording.sources[0]
            key = f"{letters[first.annotation]}-{first.n}"
            of = ", ".join(letters[pk] for pk in wording.annotations)
            wordings.append(ShownWording(wording, key, of, by_default or key in picked))
        is_of_all = len({pk for each in asked.wordings.values() for pk in each.annotations}) == len(
            self.rows
        )
        return ShownQuestion(n, wordings, asked.is_swapped, is_of_all, alike, NEITHER in picked)
