"""The annotations of one tag as a review compares them: what differs first, what all agree on folded into a line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.evidence.checking import findings_on
from annotation.fields.checks import CheckFinding
from annotation.fields.entries import entries_of
from annotation.fields.steps import INVALID
from annotation.fields.walker import Field
from annotation.models import Annotation
from annotation.reviewing.comparing import ComparedCell
from annotation.reviewing.joining import NEITHER, Wording

# So many characters that no annotation differs in are folded, but for as many at either end.
FOLDED_FROM, LEFT_OPEN = 400, 120
# What the annotations claim, which a reviewer reads whether it differs or not; of invalid tags why they are.
CLAIMS, VALIDITY = ("statement_1", "statement_2"), ("validity", "valid_comment")


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
    """The box for a note on a field of one annotation; `text` is what was typed."""

    letter: str
    name: str
    text: str


@dataclass(frozen=True)
class ReviewColumn:
    """One annotation under its letter; `name` is who made it, "" until the tag is decided."""

    letter: str
    annotation: Annotation
    name: str
    is_chosen: bool = False

    @cached_property
    def findings(self) -> list[tuple[CheckFinding, bool, str]]:
        """What the checks report: each with whether it was ticked, and the field that it is about."""
        ticked = {key for key, _ in self.annotation.checked_warnings}
        return [
            (finding, finding.key in ticked, finding.field.partition("-")[0])
            for finding in findings_on(self.annotation, entries_of(self.annotation))
        ]


@dataclass(frozen=True)
class ReviewedCell:
    letter: str
    cell: ComparedCell
    note: NoteBox
    is_taken: bool = False

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
    """A field with the cells of those that were asked for it; `is_of_all`: all were."""

    field: Field
    differs: bool
    is_of_all: bool
    cells: list[ReviewedCell]

    @property
    def letters(self) -> str:
        return ", ".join(cell.letter for cell in self.cells)

    @property
    def shown_cells(self) -> list[ReviewedCell]:
        """Where all have the same, one is enough."""
        return self.cells if self.differs else self.cells[:1]

    @property
    def has_note(self) -> bool:
        return any(cell.note.text for cell in self.cells)


@dataclass(frozen=True)
class FoldedFields:
    """Fields that all agree on, or that only some were asked for, for one line."""

    says: str
    fields: list[ReviewedField]

    @property
    def title(self) -> str:
        n = len(self.fields)
        return f"{n} field{'' if n == 1 else 's'} {self.says.format(s='s' if n == 1 else '')}"

    @property
    def is_open(self) -> bool:
        return any(field.has_note for field in self.fields)


@dataclass(frozen=True)
class ComparedParts:
    """All compared fields: the claims, those that differ, and the others folded."""

    claims: list[ReviewedField]
    differing: list[ReviewedField]
    folds: list[FoldedFields]

    @property
    def title(self) -> str:
        n = sum(field.differs for field in (*self.claims, *self.differing))
        return f"{n or 'No'} field{'s differ' if n > 1 else ' differs'}"


def parts_of(fields: Sequence[ReviewedField], annotations: Sequence[Annotation]) -> ComparedParts:
    """The fields in their parts; of an annotation alone everything is shown."""
    is_invalid = any(annotation.validity == INVALID for annotation in annotations)
    claimed = {*CLAIMS, *(VALIDITY if is_invalid else ())}
    claims = [field for field in fields if field.field.name in claimed]
    others = [field for field in fields if field.field.name not in claimed]
    if len(annotations) == 1:
        return ComparedParts(claims, others, [])
    differing = [field for field in others if field.differs]
    return ComparedParts(claims, differing, list(_folds(others)))


def _folds(fields: Sequence[ReviewedField]) -> Iterator[FoldedFields]:
    same = [field for field in fields if not field.differs]
    if agreed := [field for field in same if field.is_of_all]:
        yield FoldedFields("agree{s}", agreed)
    for letters in dict.fromkeys(field.letters for field in same if not field.is_of_all):
        of_them = [f for f in same if not f.is_of_all and f.letters == letters]
        yield FoldedFields(f"only in {letters}", of_them)


@dataclass(frozen=True)
class ShownWording:
    """A question as some of the annotations (`letters`) have it; `is_taken`: the reviewer picked it."""

    wording: Wording
    key: str
    letters: str
    is_taken: bool


@dataclass(frozen=True)
class ShownQuestion:
    """A question; with several wordings they contradict, and one or neither is to be chosen.

    `alike`: the numbers of earlier questions that are nearly equal; `is_of_all`: all annotations have it.
    """

    n: int
    wordings: list[ShownWording]
    is_swapped: bool
    is_of_all: bool
    alike: list[int]
    takes_neither: bool

    @property
    def name(self) -> str:
        return f"question-{self.n - 1}"

    @property
    def contradicts(self) -> bool:
        return len(self.wordings) > 1

    @property
    def agrees(self) -> bool:
        return self.is_of_all and not self.contradicts

    @property
    def neither(self) -> str:
        return NEITHER

    @property
    def input(self) -> str:
        """Of contradicting wordings one is chosen."""
        return "radio" if self.contradicts else "checkbox"
