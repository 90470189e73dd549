"""Checking a report's file against its hashes, its rows, and its study where that is here."""

from dataclasses import dataclass, field

from datasets.readers.json_text import Unreadable
from evaluation.archive import bundles
from evaluation.archive.bundles import ReportBundle
from evaluation.archive.recompute import HASH, Findings, body_hash, check
from evaluation.frozen.second_kappa import differing
from evaluation.rows.hashing import digest, hashed_lines, rows_of
from evaluation.shapes.study_report import Report
from judging.models import Study

NOT_HERE = "The study is not here, so the report was not compared with its rows in this database."
SAME = "The study is here, and its rows are those that the report was computed from."
CHANGED = (
    "The study is here, and its verdicts, types, exclusions or annotations have changed since."
)
OTHER_SCRIPT = (
    "The script in the zip is not this version's. It was not run; read it before you run it."
)
NOT_COMPUTED = (
    "Of the numbers, only kappa was computed anew, from the report's own tables: its rows are neither in the file nor "
    "in this database."
)
UNSEALED = "The report has no hash of itself: it was not frozen."
# What reading another shape than a report's raises: its parts are read by name.
SHAPES = (
    KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip


@dataclass
class Verification:
    """`wrong` names each thing that is not as the file says; `notes` say what was compared with what."""

    checked: int = 0
    wrong: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(data: bytes) -> Verification:
    """Every check of a zip or a report's JSON; raises Refusal for what is neither, or of another format."""
    bundle = bundles.read_bundle(data)
    outcome, findings = Verification(), Findings()
    try:
        _check_hashes(bundle, findings, outcome)
        if bundle.manifest:
            check(bundle.report, bundle.rows, bundle.manifest, findings)
        _compare_with_study(bundle.report, findings, outcome)
        _compare_kappas(bundle.report, findings)
    except SHAPES as error:
        raise Unreadable(
            f"The file is no report of this program, or a part of it is missing: {str(error)[:120]}."
        ) from None
    if not bundle.manifest and SAME not in outcome.notes:
        outcome.notes.append(NOT_COMPUTED)
    outcome.checked = findings.checked
    outcome.wrong = list(dict.fromkeys(findings.wrong))
    outcome.notes += findings.left_out()
    return outcome


def _check_hashes(bundle: ReportBundle, findings: Findings, outcome: Verification) -> None:
    made_of = bundle.report["snapshot"]
    if HASH in made_of:
        findings.compare("the report's hash", made_of[HASH], body_hash(bundle.report))
    else:
        outcome.notes.append(UNSEALED)
    if bundle.manifest and not bundles.has_own_script(bundle):
        outcome.notes.append(OTHER_SCRIPT)


def _compare_with_study(report: Report, findings: Findings, outcome: Verification) -> None:
    study = Study.objects.filter(slug=report["study"]["slug"]).first()
    if study is None:
        outcome.notes.append(NOT_HERE)
        return
    if digest(study, report)[0] != report["snapshot"]["sha256"]:
        outcome.notes.append(CHANGED)
        return
    outcome.notes.append(SAME)
    check(report, b"".join(hashed_lines(study, report)), rows_of(study), findings)


def _compare_kappas(report: Report, findings: Findings) -> None:
    try:
        findings.wrong += differing(report)
    except ValueError:  # of a forged table, which its rows have shown already where they are here
        if not findings.wrong:
            raise
