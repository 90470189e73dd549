"""What the annotate page and its API show of one draft."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Person
from annotation.checks import Finding, check, told_to_browser
from annotation.entries import FIELDS, entries_of
from annotation.evidence import Evidence
from annotation.form import Said, ShownField, ShownStep, in_words, shown_row, shown_steps
from annotation.guidelines import rendered
from annotation.models import Annotation, Review
from annotation.steps import QUESTIONS, STEPS
from annotation.walker import Entries, next_step, standings
from annotation.workflow import EDITABLE
from leases.refusal import NotFoundHere


@dataclass(frozen=True)
class Compared:
    """A field that two saves disagree on, in words."""

    label: str
    name: str
    mine: str
    theirs: str


@dataclass(frozen=True)
class Problem:
    """A line of the summary at the top: the field it links to, the sentence."""

    field: str
    message: str
    blocks: bool = True


@dataclass
class Desk:
    """One page: a draft, the entries to show (stored or just posted), and what is said about them."""

    annotation: Annotation
    entries: Entries
    problems: Mapping[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ticked: frozenset[str] = frozenset()
    conflict: list[Compared] = field(default_factory=list)
    message: str = ""

    def context(self) -> dict[str, Any]:
        """What annotate.html needs."""
        return {
            "desk": self,
            "annotation": self.annotation,
            "editable": self.annotation.state in EDITABLE,
            "assignment": self.annotation.assignment,
            "evidence": Evidence(self.annotation.sighting),
            "steps": self.steps(),
            "summary": self.summary(),
            "review": last_review(self.annotation),
            "told": told_to_browser(),
            "blank_row": shown_row(QUESTIONS, "__n__", {}, Said()),
        }

    def steps(self) -> list[ShownStep]:
        review = last_review(self.annotation)
        ticked = self.ticked | {key for key, _ in self.annotation.checked_warnings}
        said = Said(self.problems, self.findings, ticked, review.notes_by_field if review else {})
        guideline = self.annotation.guideline
        return shown_steps(STEPS, self.entries, said, rendered(guideline.body) if guideline else {})

    def summary(self) -> list[Problem]:
        found = [Problem(name, said) for name, said in self.problems.items()]
        return found + [Problem(f.field, f.message, f.level == "block") for f in self.findings]


def annotation_at(assignment_id: int, person: Person) -> Annotation:
    """This person's annotation in that place, or NotFoundHere."""
    found = (
        Annotation.objects.filter(
            assignment__pk=assignment_id, assignment__person=person, author=person
        )
        .select_related(
            "assignment__campaign", "sighting__tag", "sighting__revision__article__wiki"
        )
        .first()
    )
    if found is None:
        raise NotFoundHere("You have no such tag in hand. Your queue lists what is yours.")
    return found


def last_review(annotation: Annotation) -> Review | None:
    """The decision that sent the annotation back, while it is being mended; later, the last decision."""
    return annotation.reviews.first()


def compared(details: Mapping[str, Any]) -> list[Compared]:
    """The fields of a StaleVersion's details, side by side."""
    return [
        Compared(
            FIELDS[name].label,
            name,
            in_words(FIELDS[name], details["mine"][name]),
            in_words(FIELDS[name], details["theirs"][name]),
        )
        for name in details["fields"]
    ]


def standing_data(annotation: Annotation) -> dict[str, Any]:
    """What an autosave is answered with: version, time, each step's standing, what the checks find."""
    entries = entries_of(annotation)
    return {
        "version": annotation.version,
        "saved_at": annotation.saved_at.isoformat(),
        "steps": [
            {
                "key": at.step.key,
                "open": at.open,
                "complete": at.complete,
                "missing": [gap.name for gap in at.missing],
            }
            for at in standings(STEPS, entries)
        ],
        "findings": [
            {"code": f.code, "level": str(f.level), "field": f.field, "message": f.message}
            for f in check(entries)
            if f.code not in ("required", "no_option")
        ],
    }


def where_to_go_on(annotation: Annotation) -> str:
    """The key of the step where the person was, else of the first with a gap."""
    step = next_step(STEPS, entries_of(annotation))
    return annotation.current_step or (step.key if step else STEPS[0].key)


def read_fields(annotation: Annotation) -> list[tuple[str, list[tuple[ShownField, str]]]]:
    """The steps that count with their answered fields in words, for reading."""
    shown = shown_steps(STEPS, entries_of(annotation), Said(), {})
    return [
        (
            step.step.title,
            [(one, in_words(one.field, one.value)) for one in step.fields if one.answered],
        )
        for step in shown
        if step.standing.open
    ]
