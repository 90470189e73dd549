"""The annotate page of one draft."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from accounts.models import Person
from annotation.desk.queue_place import place_in_queue
from annotation.evidence.checking import not_in_articles
from annotation.evidence.panes import Evidence
from annotation.evidence.provenance import PASSAGES, Captured
from annotation.fields.checks import CheckFinding, browser_rules, passage_for_models
from annotation.fields.entries import FIELDS, entries_in, entries_of
from annotation.fields.matching import holds
from annotation.fields.shown_steps import Remarks, ShownField, in_words, shown_row, shown_steps
from annotation.fields.span_ranges import marked
from annotation.fields.steps import QUESTIONS, STEPS
from annotation.fields.walker import Entries, FieldKind, next_step
from annotation.guideline_text import html_parts
from annotation.models import Annotation, Assignment, Review
from annotation.states import EDITABLE, AnnotationState
from annotation.workflow.claiming import SHOWN
from leases.rows import first_of


@dataclass(frozen=True)
class ConflictingField:
    """A field that differs in two saves, in words."""

    label: str
    name: str
    mine: str
    theirs: str


@dataclass(frozen=True)
class SummaryLine:
    """A line of the summary at the top: a message with a link to its field."""

    field: str
    message: str
    blocks: bool = True


FORMS = ("copied", "standalone")


@dataclass(frozen=True)
class PassageCard:
    """Passage `n` as models read it, in pieces, each with whether it is of its span; `lost`: the span is not in it."""

    n: int
    pieces: list[tuple[str, bool]]
    lost: str = ""
    lang: str = ""

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)

    @classmethod
    def of(cls, entries: Entries, n: int, lang: str) -> "PassageCard":
        text, span = passage_for_models(entries, n), entries[f"span_{n}"]
        pieces = marked(text, span, entries[f"span_{n}_at"])
        is_there = any(holds(entries[f"passage_{n}_{form}"], span) for form in FORMS)
        return cls(n, pieces, "" if not text or is_there else span, lang)


def fields_of_passage(n: int) -> list[str]:
    """The fields with words of passage `n`, which are in its language."""
    return [*(f"passage_{n}_{form}" for form in FORMS), f"span_{n}"]


@dataclass
class DraftPage:
    """A draft, the entries to show (stored or just posted), and the problems and findings in them.

    `is_begun`: this request began it, so no article has been asked for yet.
    """

    annotation: Annotation
    entries: Entries
    problems: Mapping[str, str] = field(default_factory=dict)
    findings: list[CheckFinding] = field(default_factory=list)
    ticked: frozenset[str] = frozenset()
    conflict: list[ConflictingField] = field(default_factory=list)
    message: str = ""
    posted: Captured | None = None
    is_begun: bool = False

    def context(self, languages: Mapping[int, str]) -> dict[str, Any]:
        """The context of annotate.html. `languages`: a shown revision's key -> the language of its text."""
        spoken = {n: self.language(n, languages) for n in (1, 2)}
        assignment = self.annotation.assignment
        guideline = html_parts(self.annotation.guideline.body) if self.annotation.guideline else {}
        return {
            "desk": self,
            "annotation": self.annotation,
            "editable": self.annotation.state in EDITABLE,
            "assignment": assignment,
            "place_in_queue": assignment
            and place_in_queue(self.annotation.author, assignment.campaign),
            "evidence": Evidence(self.annotation.sighting),
            "steps": shown_steps(STEPS, self.entries, self.remarks(spoken), guideline),
            "blank_row": shown_row(QUESTIONS, "__n__", {}, Remarks()),
            "passages": [PassageCard.of(self.entries, n, lang) for n, lang in spoken.items()],
            "summary": self.summary(),
            "review": self.review,
            "rules": browser_rules() | {"told": self.told()},
            "captured": self.captured(),
        }

    def told(self) -> dict[str, list[dict[str, Any]]]:
        """By field, what the browser cannot find itself. What is begun now is copied from the article by us."""
        found = [] if self.is_begun else not_in_articles(self.annotation, self.entries)
        return {finding.field: [asdict(finding)] for finding in found}

    @property
    def filled(self) -> list[str]:
        posted = self.posted.filled if self.posted else None
        return self.annotation.filled if posted is None else posted

    def captured(self) -> dict[str, Any]:
        """What the form carries besides its fields: the pieces of both passages as JSON, and the filled fields."""
        return {"provenance": json.dumps(self.pieces, ensure_ascii=False), "filled": self.filled}

    @cached_property
    def pieces(self) -> dict[str, list[Mapping[str, Any]]]:
        pieces = {n: [*self.annotation.provenance.get(n, [])] for n in PASSAGES}
        for n, sent in (self.posted.pieces if self.posted else {}).items():
            pieces[n] += map(vars, sent)
        return pieces

    def language(self, n: int, languages: Mapping[int, str]) -> str:
        """Of passage `n`, by the articles that it was copied from; "" where that is unknown, or they are of two."""
        found = {languages.get(piece["revision"], "") for piece in self.pieces[str(n)]}
        return found.pop() if len(found) == 1 else ""

    @cached_property
    def review(self) -> Review | None:
        is_new = self.annotation.state == AnnotationState.DRAFT
        return None if is_new else self.annotation.reviews.first()

    def remarks(self, spoken: Mapping[int, str]) -> Remarks:
        """`spoken`: the language of each passage."""
        return Remarks(
            self.problems,
            self.findings,
            self.ticked | {key for key, _ in self.annotation.checked_warnings},
            self.review.notes_by_field if self.review else {},
            frozenset(self.filled),
            {name: lang for n, lang in spoken.items() for name in fields_of_passage(n)},
        )

    def summary(self) -> list[SummaryLine]:
        problems = [SummaryLine(name, message) for name, message in self.problems.items()]
        return problems + [
            SummaryLine(f.field, f.message, f.level == "block") for f in self.findings
        ]


def annotation_at(assignment_id: int, person: Person) -> Annotation:
    """This person's annotation of that assignment. Raises NotFoundHere."""
    own = Annotation.objects.filter(
        assignment__pk=assignment_id, assignment__person=person, author=person
    )
    whole = own.select_related("assignment__campaign", "guideline", *SHOWN)
    found = first_of(whole, "You have no such tag in progress. Your queue lists your tags.")
    found.author = person
    return found


def page_at(assignment: Assignment, person: Person) -> DraftPage:
    """The page of a tag that the person has in hand. What was begun with this claim is not read again."""
    if Assignment.annotation.is_cached(assignment):
        annotation = assignment.annotation
        return DraftPage(annotation, entries_in(vars(annotation), []), is_begun=True)
    annotation = annotation_at(assignment.pk, person)
    return DraftPage(annotation, entries_of(annotation))


def conflicting_fields(details: Mapping[str, Any]) -> list[ConflictingField]:
    """The fields of a StaleVersion's details, side by side."""
    return [
        ConflictingField(
            FIELDS[name].label,
            name,
            in_words(FIELDS[name], details["mine"][name]),
            in_words(FIELDS[name], details["theirs"][name]),
        )
        for name in details["fields"]
        if FIELDS[name].kind != FieldKind.PLACE
    ]


def step_to_resume(annotation: Annotation) -> str:
    """The key of the person's last step, else of the first incomplete one."""
    step = next_step(STEPS, entries_of(annotation))
    return annotation.current_step or (step.key if step else STEPS[0].key)


def read_fields(annotation: Annotation) -> list[tuple[str, list[tuple[ShownField, str]]]]:
    """The open steps with their answered fields in words, for reviewers."""
    shown = shown_steps(STEPS, entries_of(annotation), Remarks(), {})
    return [
        (
            step.step.title,
            [(field, in_words(field.field, field.value)) for field in step.fields if field.is_read],
        )
        for step in shown
        if step.standing.open
    ]
