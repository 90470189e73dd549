"""The page of one tag's annotations: next to one another, with what the reviewer typed so far."""

from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.models import Person
from annotation.evidence.other_articles import OtherArticles
from annotation.evidence.panes import Evidence
from annotation.fields.checks import CheckFinding, Level, check
from annotation.fields.entries import entries_of
from annotation.fields.steps import QUESTIONS, STEPS
from annotation.fields.walker import Field
from annotation.models import Annotation, Assignment, TagReview
from annotation.reviewing.combining import ChecksRefused, asked_in
from annotation.reviewing.comparing import ComparedCell, ComparedField, compared_steps
from annotation.reviewing.joining import NEITHER, AskedQuestion, Wording
from annotation.reviewing.tags_in_round import TagInRound, may_review
from annotation.states import AnnotationState, AssignmentState
from leases.refusal import Refusal

# So many characters that no annotation differs in are folded, but for as many at either end.
FOLDED_FROM, LEFT_OPEN = 1_000, 300


def folded(text: str) -> SafeString:
    """The text with the middle of it folded if it is long: a reviewer reads what differs."""
    if len(text) < FOLDED_FROM:
        return format_html("{}", text)
    begin = text.rfind(" ", 0, LEFT_OPEN) + 1 or LEFT_OPEN
    end = max(text.find(" ", len(text) - LEFT_OPEN), len(text) - LEFT_OPEN)
    return format_html(
        "{}<details><summary>{} more characters</summary>{}</details>{}",
        text[:begin],
        f"{end - begin:,}",
        text[begin:end],
        text[end:],
    )


@dataclass(frozen=True)
class NoteBox:
    """The box for a note on a field of one annotation, or on the whole of it; `text` is what was typed."""

    letter: str
    label: str
    name: str
    text: str


@dataclass(frozen=True)
class ReviewColumn:
    """One annotation with the letter that it has on the page."""

    letter: str
    annotation: Annotation
    is_chosen: bool
    note: NoteBox

    @property
    def name(self) -> str:
        """Who made it; of a merged one that is nobody of the annotators."""
        is_merged = self.annotation.assignment_id is None
        return "Merged" if is_merged else self.annotation.author.name

    @property
    def findings(self) -> list[tuple[CheckFinding, bool, str]]:
        """What the checks report: each with whether it was ticked, and the field that it is about."""
        ticked = {key for key, _ in self.annotation.checked_warnings}
        return [
            (finding, finding.key in ticked, finding.field.partition("-")[0])
            for finding in check(entries_of(self.annotation))
        ]


@dataclass(frozen=True)
class ReviewedCell:
    column: ReviewColumn
    cell: ComparedCell
    note: NoteBox
    is_taken: bool

    @property
    def marked(self) -> SafeString:
        """The words, with those that another annotation lacks marked."""
        pieces = (
            format_html("<mark>{}</mark>", piece.text)
            if piece.kind == "new"
            else folded(piece.text)
            for piece in self.cell.pieces
        )
        return format_html_join("", "{}", ((piece,) for piece in pieces))


@dataclass(frozen=True)
class ReviewedField:
    field: Field
    differs: bool
    cells: list[ReviewedCell]

    @property
    def letters(self) -> str:
        """The annotations that were asked for it."""
        return ", ".join(cell.column.letter for cell in self.cells)

    @property
    def has_note(self) -> bool:
        return any(cell.note.text for cell in self.cells)


@dataclass(frozen=True)
class ShownWording:
    """A question as some of the annotations (`letters`) have it; `is_taken`: the reviewer picked it."""

    wording: Wording
    letters: str
    is_taken: bool


@dataclass(frozen=True)
class ShownQuestion:
    """A question; with several wordings they contradict, and one or neither is to be chosen."""

    name: str
    wordings: list[ShownWording]
    is_swapped: bool
    takes_neither: bool

    @property
    def contradicts(self) -> bool:
        return len(self.wordings) > 1

    @property
    def input(self) -> str:
        """Of contradicting wordings one is chosen."""
        return "radio" if self.contradicts else "checkbox"


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
            "none": NEITHER,
        }

    @cached_property
    def rows(self) -> list[Annotation]:
        """What the page compares: what waits for a decision; if nothing does, all with what was merged of them."""
        related = ("author", "assignment", "sighting", "contradiction", "guideline")
        rows = list(self.tag.at.annotations.select_related(*related).prefetch_related("questions"))
        waiting = [row for row in rows if row.state == AnnotationState.SUBMITTED]
        if waiting:
            return waiting
        made = Annotation.objects.filter(reviews__of_tag=self.decision, assignment=None)
        return [*(made.select_related(*related) if self.decision else ()), *rows]

    @cached_property
    def decision(self) -> TagReview | None:
        return self.tag.at.decision

    @property
    def history(self) -> QuerySet[TagReview]:
        """All decisions on the tag, those taken back too."""
        return self.tag.at.reviews.select_related("reviewer", "taken_back_by")

    @property
    def sent_back(self) -> list[Any]:
        """Earlier notes to the authors of the annotations shown."""
        return [
            review
            for row in self.rows
            for review in row.reviews.filter(of_tag=None).select_related(
                "reviewer", "annotation__author"
            )
        ]

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
            ReviewColumn(letter, row, str(row.pk) in chosen, self._note(letter, row, ""))
            for letter, row in zip(ascii_uppercase, self.rows, strict=False)
        ]

    @cached_property
    def steps(self) -> list[tuple[str, list[ReviewedField]]]:
        """The titles of the steps with their compared fields."""
        return [
            (
                step.step.title,
                [
                    ReviewedField(field.field, field.differs, self._cells(field))
                    for field in step.fields
                ],
            )
            for step in compared_steps(STEPS, [entries_of(row) for row in self.rows])
        ]

    @cached_property
    def questions(self) -> list[ShownQuestion]:
        return [
            self._question(f"question-{n}", asked) for n, asked in enumerate(asked_in(self.rows))
        ]

    @property
    def question_notes(self) -> list[NoteBox]:
        return [
            self._note(column.letter, column.annotation, QUESTIONS.name) for column in self.columns
        ]

    @property
    def refused_findings(self) -> list[tuple[CheckFinding, bool]]:
        """What the checks report on the merged annotation, each with whether it can be ticked as checked."""
        found = self.refusal.findings if isinstance(self.refusal, ChecksRefused) else ()
        return [(finding, finding.level == Level.WARN) for finding in found]

    @property
    def checked(self) -> list[str]:
        """Warnings on the merged annotation that were ticked before."""
        return self.typed.getlist("checked")

    @property
    def lost_texts(self) -> list[tuple[str, str]]:
        """(Reason or Note, what was typed) of what this page has no box for any more."""
        boxes = {str(row.pk) for row in self.rows} if self.may_decide else set()
        names = [] if self.may_decide else [("Reason", "reason")]
        names += [
            ("Note", name)
            for name in self.typed
            if name.startswith("note-") and name.split("-")[1] not in boxes
        ]
        return [(kind, text) for kind, n in names if (text := self.typed.get(n, "").strip())]

    def _note(self, letter: str, row: Annotation, name: str) -> NoteBox:
        key = f"note-{row.pk}-{name}" if name else f"note-{row.pk}"
        label = f"{letter}, {row.author.name}"
        return NoteBox(letter, label, key, self.typed.get(key, ""))

    def _cells(self, field: ComparedField) -> list[ReviewedCell]:
        picked = self.typed.get(f"take-{field.field.name}", "")
        return [
            ReviewedCell(
                column := self.columns[cell.index],
                cell,
                self._note(column.letter, column.annotation, field.field.name),
                picked == str(column.annotation.pk),
            )
            for cell in field.cells
        ]

    def _question(self, name: str, asked: AskedQuestion) -> ShownQuestion:
        letters = {column.annotation.pk: column.letter for column in self.columns}
        # A question that does not contradict is taken unless the reviewer takes the tick away.
        picked = self.typed.getlist(name)
        by_default = not self.typed and not asked.contradicts
        return ShownQuestion(
            name,
            [
                ShownWording(
                    wording,
                    ", ".join(letters[pk] for pk in wording.annotations),
                    by_default or wording.key in picked,
                )
                for wording in asked.wordings.values()
            ],
            asked.is_swapped,
            NEITHER in picked,
        )
