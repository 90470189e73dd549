"""The checks of an annotation: findings that block it, and warnings that a person should check.

Pure. The browser applies the same rules while a person types (static/js/annotation/checks.js); both are tested
with tests/annotation/check_cases.json, and the server decides. Imported annotations are not checked.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from annotation.fields.matching import FILLERS, answer_key, fold, folded_words, holds
from annotation.fields.steps import DIFFERENT, MAX_QUESTIONS, QUESTIONS, SAME, STEPS, VALID
from annotation.fields.walker import Entries, Field, FieldKind, counted, row_begun, standings
from datasets.taxonomy import IMPLICIT, TYPE_II, TYPE_III

_, TEXT_TABLE, TABLE_TABLE, _ = TYPE_II.values
WITHIN, ACROSS = TYPE_III.values

PRONOUN = re.compile(
    r"^(?:he|she|it|they|his|her|hers|its|their|theirs|him|them|this|these|those|that)(?![a-z0-9'])"
    r"|^(?:he|she|it|they|that|this)'(?:s|re|d|ll|ve)(?![a-z])"
)
NAMES_PASSAGE = re.compile(
    r"(?:^|[^a-z])(?:passage|paragraph|article) (?:1|2|one|two|a|b)(?![a-z0-9])"
    r"|(?:^|[^a-z])(?:first|second|1st|2nd) (?:passage|paragraph)(?![a-z])"
    r"|(?:^|[^a-z])according to the (?:passage|paragraph|text|article)s?(?![a-z])"
)
YES_NO = frozenset({"yes", "no"})


class Level(StrEnum):
    BLOCK = "block"
    WARN = "warn"


@dataclass(frozen=True)
class CheckFinding:
    """The result of a check: `field` is the name of the entry in the form."""

    code: str
    level: Level
    field: str
    message: str

    @property
    def key(self) -> str:
        return f"{self.code}:{self.field}"


def check(entries: Entries) -> list[CheckFinding]:
    """All findings, in the order of the form. Of an invalid tag only the first step is checked."""
    complete = counted(STEPS, entries)
    findings = list(_missing(complete))
    if complete["validity"] == VALID:
        findings += [
            CheckFinding(code, level, field, message)
            for code, (level, rule) in RULES.items()
            for field, message in rule(complete)
        ]
    return findings


def browser_rules() -> dict[str, Any]:
    """The form's rules for static/js/annotation/checks.js, as JSON."""
    return {
        "steps": [
            {
                "needs": asdict(step.needs) if step.needs else None,
                "fields": [_field_rules(field) for field in step.fields],
            }
            for step in STEPS
        ],
        "maxQuestions": MAX_QUESTIONS,
        "implicit": IMPLICIT,
        "typeII": list(TYPE_II.values),
        "typeIII": list(TYPE_III.values),
    }


def _field_rules(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "label": field.label,
        "kind": str(field.kind),
        "required": field.required,
        "fields": [_field_rules(column) for column in field.fields],
    }


def blocks(findings: Iterable[CheckFinding]) -> list[CheckFinding]:
    return [finding for finding in findings if finding.level == Level.BLOCK]


def unchecked(
    findings: Iterable[CheckFinding], entries: Entries, checked: Mapping[str, Any]
) -> list[CheckFinding]:
    """The warnings not ticked since their field changed; `checked`: finding's key -> the field's value when ticked."""
    return [
        finding
        for finding in findings
        if finding.level == Level.WARN
        and (finding.key not in checked or checked[finding.key] != value_at(entries, finding.field))
    ]


def value_at(entries: Entries, name: str) -> Any:
    """The value of a field or of one cell of a row (questions-0-answer_1); None if there is none."""
    if name in entries:
        return entries[name]
    field, _, rest = name.partition("-")
    index, _, column = rest.partition("-")
    rows = entries.get(field)
    if isinstance(rows, list) and index.isdecimal() and int(index) < len(rows):
        return rows[int(index)].get(column)
    return None


def _missing(entries: Entries) -> Iterator[CheckFinding]:
    for at in standings(STEPS, entries):
        for gap in at.missing:
            code, message = "required", f"Fill in “{gap.label}”."
            if gap.kind == FieldKind.MANY:
                code, message = "no_option", f"Choose at least one option for “{gap.label}”."
            elif gap.kind in (FieldKind.ONE, FieldKind.RATING):
                message = f"Choose an answer to “{gap.label}”."
            yield CheckFinding(code, Level.BLOCK, gap.name, message)


# A rule gives the field and the message of each of its findings.
FieldMessages = Iterator[tuple[str, str]]


def passage_for_models(entries: Entries, n: int) -> str:
    """Passage n as models read it: stand-alone if there is one, else as copied."""
    standalone = entries[f"passage_{n}_standalone"]
    return standalone if standalone.strip() else entries[f"passage_{n}_copied"]


def _table_without_prose(entries: Entries) -> FieldMessages:
    bare = [n for n in (1, 2) if not entries[f"passage_{n}_standalone"].strip()]
    types = set(entries["type_2"])
    tabular = {n for n in (1, 2) if entries[f"modality_{n}"] in ("infobox", "table")}
    if types == {TABLE_TABLE}:
        tabular = {1, 2}
    elif types == {TEXT_TABLE} and not tabular and len(bare) == 2:
        tabular = {1}
    for n in bare:
        if n in tabular:
            yield (
                f"passage_{n}_standalone",
                f"Passage {n} is from a table or infobox: write it out as prose in “Passage {n}, stand-alone”.",
            )


def _identical_but_different(entries: Entries) -> FieldMessages:
    first, second = fold(passage_for_models(entries, 1)), fold(passage_for_models(entries, 2))
    if entries["same_passage"] == DIFFERENT and first and first == second:
        yield (
            "same_passage",
            "The two passages contain the same text, but “Different” is chosen. Choose “Same”, or change one of them.",
        )


def _same_but_texts_differ(entries: Entries) -> FieldMessages:
    first, second = fold(passage_for_models(entries, 1)), fold(passage_for_models(entries, 2))
    if entries["same_passage"] == SAME and first and second and first != second:
        yield "same_passage", "“Same” is chosen, but the two passages contain different texts."


def _starts_with_pronoun(entries: Entries) -> FieldMessages:
    for n in (1, 2):
        first = PRONOUN.match(fold(entries[f"passage_{n}_standalone"]))
        if first:
            yield (
                f"passage_{n}_standalone",
                f"Passage {n}, stand-alone, starts with “{first[0]}”. Does it say who or what is meant?",
            )


def _span_not_found(entries: Entries) -> FieldMessages:
    for n in (1, 2):
        span = entries[f"span_{n}"]
        if span.strip() and not _span_is_in(entries, n, span):
            yield f"span_{n}", f"The span “{span}” is not in passage {n}."


def _span_is_in(entries: Entries, n: int, span: str) -> bool:
    forms = (entries[f"passage_{n}_standalone"], entries[f"passage_{n}_copied"])
    return any(holds(form, span) for form in forms)


def _origin_against_titles(entries: Entries) -> FieldMessages:
    first, second = (fold(entries[f"article_{n}"].replace("_", " ")) for n in (1, 2))
    origin = set(entries["type_3"])
    if not first or not second or len(origin) != 1:
        return
    if origin == {ACROSS} and first == second:
        yield "type_3", "“Different articles” is chosen, but both titles are the same."
    if origin == {WITHIN} and first != second:
        yield "type_3", "“Same article” is chosen, but the titles differ."


def _too_many_questions(entries: Entries) -> FieldMessages:
    for index, _ in list(_rows(entries))[MAX_QUESTIONS:]:
        yield (
            _cell(index, "question"),
            f"A tag may have at most {MAX_QUESTIONS} questions: remove question {index + 1}, or another.",
        )


def _answers_equal(entries: Entries) -> FieldMessages:
    for index, row in _rows(entries):
        both = row["answer_1"].strip() and row["answer_2"].strip()
        if both and answer_key(row["answer_1"]) == answer_key(row["answer_2"]):
            yield (
                _cell(index, "answer_2"),
                f"Both answers to question {index + 1} are the same: the question does not show the contradiction.",
            )


def _answer_not_found(entries: Entries) -> FieldMessages:
    if IMPLICIT in entries["type_4"]:
        return
    known = {
        word
        for n in (1, 2)
        for form in ("copied", "standalone")
        for word in folded_words(entries[f"passage_{n}_{form}"])
    }
    for index, row in _rows(entries):
        for n in (1, 2):
            answer = folded_words(row[f"answer_{n}"])
            derived = row.get(f"derived_{n}") or (answer and answer[0] in YES_NO)
            if derived or _is_span(entries, n, row[f"answer_{n}"]):
                continue
            if set(answer) - FILLERS - known:
                yield (
                    _cell(index, f"answer_{n}"),
                    f"Answer {n} of question {index + 1} uses words that are not in the passages. "
                    f"If it is calculated or inferred, tick “Answer {n} is calculated or inferred”.",
                )


def _is_span(entries: Entries, n: int, answer: str) -> bool:
    """Whether the answer is the span of its passage, which may have pieces or a part of a word: the page offers it."""
    span = entries[f"span_{n}"]
    return fold(answer) == fold(span) and _span_is_in(entries, n, span)


def _question_names_passage(entries: Entries) -> FieldMessages:
    for index, row in _rows(entries):
        if NAMES_PASSAGE.search(fold(row["question"])):
            yield (
                _cell(index, "question"),
                f"Question {index + 1} mentions a passage. Someone who answers it may not see the passages.",
            )


def _rows(entries: Entries) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The started questions, with their index in the form."""
    return (
        (index, row) for index, row in enumerate(entries["questions"]) if row_begun(QUESTIONS, row)
    )


def _cell(index: int, column: str) -> str:
    return f"{QUESTIONS.name}-{index}-{column}"


# By the code of its findings, in the order of the form.
RULES: dict[str, tuple[Level, Callable[[Entries], FieldMessages]]] = {
    "identical_but_different": (Level.BLOCK, _identical_but_different),
    "same_but_texts_differ": (Level.WARN, _same_but_texts_differ),
    "table_without_prose": (Level.BLOCK, _table_without_prose),
    "starts_with_pronoun": (Level.WARN, _starts_with_pronoun),
    "span_not_found": (Level.WARN, _span_not_found),
    "origin_against_titles": (Level.WARN, _origin_against_titles),
    "too_many_questions": (Level.BLOCK, _too_many_questions),
    "answers_equal": (Level.BLOCK, _answers_equal),
    "answer_not_found": (Level.WARN, _answer_not_found),
    "question_names_passage": (Level.WARN, _question_names_passage),
}
