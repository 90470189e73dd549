"""Reports as earlier versions of the program froze them: what they still have to read.

`format-N/` holds the body of a snapshot of format N and the sheets that were made of it. It is written once, by

    python -m pytest tests/evaluation/frozen/write.py

while the program writes that format, and never changed afterwards.
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def folder(number: int) -> Path:
    return FOLDER / f"format-{number}"


def body(number: int) -> dict[str, Any]:
    return json.loads((folder(number) / "report.json").read_text(encoding="utf-8"))


def numbers() -> list[int]:
    """The formats there are, in order."""
    return sorted(int(found.name.removeprefix("format-")) for found in FOLDER.glob("format-*"))
