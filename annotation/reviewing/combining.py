"""A merge carried out: a new annotation from the fields and questions of several."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models.functions import Now

from accounts.models import Person
from annotation.evidence.checking import not_in_articles
from annotation.evidence.provenance import PASSAGES
from annotation.fields.checks import CheckFinding, Level, blocks, check, unchecked, value_at
from annotation.fields.entries import NAMES, columns_of, entries_of, same_entries
from annotation.fields.steps import QUESTIONS
from annotation.models import Annotation, Question
from annotation.reviewing.joining import (
    AskedQuestion,
    QuestionSource,
    Wording,
    alike_pairs,
    joined_questions,
    picked_wordings,
)
from annotation.reviewing.merging import FieldSources, merged, sources_of
from annotation.states import AnnotationState
from leases.refusal import Refusal

ALIKE = "questions_alike"


def about(part: str, message: str) -> Refusal:
    """A refusal that is about one part of the review's form: same, chosen, reason, withdraw."""
    return Refusal(message, fields={part: [message]})


class ChecksRefused(Refusal):
    """The checks report `findings` on the merged annotation; warnings among them can be ticked as checked."""

    def __init__(self, findings: Sequence[CheckFinding]) -> None:
        self.findings = findings
        super().__init__("The checks report something on the merged annotation.")


@dataclass(frozen=True)
class Merge:
    """The reviewer's choice: fields, questions (index in asked_in to keys), and warnings ticked as checked."""

    choice: FieldSources
    questions: Mapping[int, Sequence[str]] = field(default_factory=dict)
    checked: frozenset[str] = frozenset()


def asked_in(rows: Sequence[Annotation]) -> list[AskedQuestion]:
    return joined_questions({row.pk: entries_of(row)[QUESTIONS.name] for row in rows})


def made_of(rows: Sequence[Annotation], how: Merge, by: Person) -> tuple[Annotation, set[int]]:
    """The merged annotation, and the ids of those that gave something to it. Raises Refusal, ChecksRefused."""
    by_id = {row.pk: row for row in rows}
    given = {row.pk: entries_of(row) for row in rows}
    if how.choice.base not in given or set(how.choice.by_field.values()) - set(given):
        raise about("chosen", "Choose the annotation that the merge begins with.")
    wordings = picked_wordings(asked_in(rows), how.questions)
    entries = merged(given, how.choice, wordings)
    sources = sources_of(given, how.choice, entries, wordings)
    if len(sources) < 2 or same_entries(entries, given[how.choice.base]):
        raise Refusal(
            "Nothing is taken from another annotation. Choose fields or questions of it, or accept this one."
        )
    findings = [*check(entries), *(_alike(wordings) if entries[QUESTIONS.name] else ())]
    for n in PASSAGES:
        source = by_id[how.choice.source(f"passage_{n}_copied")]
        findings += not_in_articles(source, entries, (n,))
    looked_at = _looked_at(rows, findings, entries, how.checked)
    if wrong := [*blocks(findings), *unchecked(findings, entries, looked_at)]:
        raise ChecksRefused(wrong)
    made = _created(by_id, how.choice, entries, looked_at, by)
    made.merged_from.set(sources)
    if entries[QUESTIONS.name]:
        _ask(made, wordings)
    return made, sources


def _alike(wordings: Sequence[Wording]) -> Iterator[CheckFinding]:
    """A warning for each question that is nearly equal to an earlier one of another annotation."""
    earlier = {wordings.index(second): first for first, second in alike_pairs(wordings)}
    for index, first in earlier.items():
        texts = (wording.row["question"] for wording in (first, wordings[index]))
        yield CheckFinding(
            ALIKE,
            Level.WARN,
            f"{QUESTIONS.name}-{index}-question",
            "Two questions are nearly the same: “{}” and “{}”. Leave one out, or keep both.".format(
                *texts
            ),
        )


def _looked_at(
    rows: Sequence[Annotation],
    findings: Sequence[CheckFinding],
    entries: Mapping[str, Any],
    checked: frozenset[str],
) -> dict[str, Any]:
    """The warnings that the reviewer ticked, or an annotator for the same text, of whichever question it is now."""
    before = [(key.partition(":")[0], value) for row in rows for key, value in row.checked_warnings]
    values = {finding: value_at(entries, finding.field) for finding in findings}
    return {
        finding.key: value
        for finding, value in values.items()
        if finding.key in checked or (finding.code, value) in before
    }


def _created(
    rows: Mapping[int, Annotation],
    choice: FieldSources,
    entries: Mapping[str, Any],
    looked_at: Mapping[str, Any],
    by: Person,
) -> Annotation:
    base = rows[choice.base]
    filled = [name for name in NAMES if name in rows[choice.source(name)].filled and entries[name]]
    provenance = {
        n: pieces
        for n in PASSAGES
        if (pieces := rows[choice.source(f"passage_{n}_copied")].provenance.get(n))
        and entries[f"passage_{n}_copied"]
    }
    return Annotation.objects.create(
        sighting=base.sighting,
        author=by,
        state=AnnotationState.ACCEPTED,
        guideline=base.guideline,
        touched=[name for name in NAMES if entries[name] and name not in filled],
        filled=filled,
        provenance=provenance,
        checked_warnings=[list(pair) for pair in looked_at.items()],
        submitted_at=Now(),
        **columns_of(entries, []),
    )


def _ask(made: Annotation, wordings: Sequence[Wording]) -> None:
    for n, wording in enumerate(wordings, start=1):
        question = Question.objects.create(annotation=made, n=n, **wording.row)
        question.joined_from.set(map(_row_of, wording.sources))


def _row_of(source: QuestionSource) -> Question:
    return Question.objects.get(annotation=source.annotation, n=source.n)
