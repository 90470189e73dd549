"""A report against its rows, part by part; or without rows, each number against the counts next to it."""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from .agreement import check_agreement
from .annotators import check_annotators
from .comparisons import check_comparisons
from .findings import Data, Findings
from .models import check_judge_models
from .rounds import check_rounds
from .rows import Rows, read_rows
from .study import check_study
from .tables import check_tables


def main(folder: Path) -> int:
    """Checks the files of an unpacked zip; 0 where everything is as the report says."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    findings = Findings()
    for name, kept in manifest["files"].items():
        sha256 = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        findings.compare(f"the hash of {name}", kept, "sha256", sha256)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    rows = (folder / "rows.jsonl").read_bytes()
    made_of = hashlib.sha256(rows).hexdigest()
    findings.compare("the hash of the rows", report["snapshot"], "sha256", made_of)
    check(report, findings, read_rows(rows, manifest))
    sys.stdout.write("\n".join(findings.in_words()) + "\n")
    return 1 if findings.wrong else 0


def check(report: Data, findings: Findings, rows: Rows | None = None) -> None:
    """Compares every part of the report."""
    # A division by nothing shows as a number that differs.
    with np.errstate(all="ignore"):
        if rows is not None:
            findings.compare("rows", report["snapshot"], "rows", rows.number)
        if rows is not None and rows.are_whole:
            check_study(report, rows, findings)
        else:
            findings.skip("counts of the study, without rows of format 2")
        for part in PARTS:
            part(report, rows, findings)


PARTS = (
    check_agreement,
    check_rounds,
    check_tables,
    check_comparisons,
    check_judge_models,
    check_annotators,
)
