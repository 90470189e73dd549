"""Checking a report that somebody has as a file: against its hashes, its rows, and the study where it is here."""

import hashlib
from dataclasses import dataclass, field

from datasets.importers.json_text import Unreadable
from evaluation.archive import bundles
from evaluation.archive.bundles import HASH, Bundle, body_hash
from evaluation.archive.recompute.checking import check
from evaluation.archive.recompute.findings import Findings
from evaluation.archive.recompute.rows import read_rows
from evaluation.report.shapes import Report
from evaluation.rows.hashing import digest, hashed_lines, rows_of
from judging.models import Study

NOT_HERE = "The study is not here, so the report was not compared with its rows in this database."
SAME = "The study is here, and its rows are those that the report was computed from."
CHANGED = (
    "The study is here, and its verdicts, types, exclusions or annotations have changed since."
)
OTHER_SCRIPT = (
    "The script in the zip is not this version's. It was not run; read it before you run it."
)
UNSEALED = "The report has no hash of itself: it was not frozen."
# What reading any shape but a report's own ends in: its parts are read by name throughout.
SHAPES = (
    KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip


@dataclass
class Outcome:
    """`wrong` names each thing that is not as the file says; `notes` say what was compared with what."""

    checked: int = 0
    wrong: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(data: bytes) -> Outcome:
    """Every check of a zip or a report's JSON; raises Refusal for what is neither, or of another format."""
    bundle = bundles.read(data)
    outcome = Outcome()
    try:
        _check_hashes(bundle, outcome)
        _recompute(bundle, outcome)
        _compare_with_study(bundle.report, outcome)
    except SHAPES as error:
        raise Unreadable(
            f"The file is no report of this program, or a part of it is missing: {str(error)[:120]}."
        ) from None
    return outcome


def _check_hashes(bundle: Bundle, outcome: Outcome) -> None:
    made_of = bundle.report["snapshot"]
    if HASH not in made_of:
        outcome.notes.append(UNSEALED)
    elif made_of[HASH] != body_hash(bundle.report):
        outcome.wrong.append(
            "The report differs from the hash that it holds of itself: it was changed after it was frozen."
        )
    else:
        outcome.checked += 1
    if bundle.manifest:
        outcome.checked += 1
        if not bundles.has_own_script(bundle.manifest):
            outcome.notes.append(OTHER_SCRIPT)
        if hashlib.sha256(bundle.rows).hexdigest() != made_of["sha256"]:
            outcome.wrong.append(
                "The rows in the zip are not those that the report was computed from: their hash is another."
            )


def _recompute(bundle: Bundle, outcome: Outcome) -> None:
    findings = Findings()
    rows = None
    if bundle.manifest:
        rows = read_rows(bundle.rows, bundle.manifest)
    else:
        outcome.notes.append(
            "The file has no rows: each number was compared with the counts next to it."
        )
    check(bundle.report, findings, rows)
    outcome.checked += findings.checked
    outcome.wrong += findings.wrong
    outcome.notes += [
        f"Not recomputed: {name} ({n})." for name, n in sorted(findings.skipped.items())
    ]


def _compare_with_study(report: Report, outcome: Outcome) -> None:
    study = Study.objects.filter(slug=report["study"]["slug"]).first()
    if study is None:
        outcome.notes.append(NOT_HERE)
        return
    if digest(study, report)[0] != report["snapshot"]["sha256"]:
        outcome.notes.append(CHANGED)
        return
    outcome.notes.append(SAME)
    findings = Findings()
    lines = b"".join(hashed_lines(study, report))
    check(report, findings, read_rows(lines, rows_of(study)))
    outcome.checked += findings.checked
    outcome.wrong += [line for line in findings.wrong if line not in outcome.wrong]
