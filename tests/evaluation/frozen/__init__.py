"""A frozen report in the format that the program reads: what stored reports look like.

`report.json` is the body of a snapshot of a small study: two judges, ten articles, two models, two prompts, one judge
model. It was written once, by

    python -m pytest tests/evaluation/frozen/write.py

and is never changed while the format stays: what the program writes and reads today has to fit it.
"""

import json
from pathlib import Path

from evaluation.shapes.study_report import Report

FOLDER = Path(__file__).parent
FILE = FOLDER / "report.json"


def body() -> Report:
    return json.loads(FILE.read_text(encoding="utf-8"))
