"""The annotators' guideline: Markdown files in guidelines/, stored as versions.

A body is the files in their order, each below a line with its anchor. After an edit the next campaign to open
stores a new version; older annotations keep theirs.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from django.db import transaction
from markdown_it import MarkdownIt

from annotation.models import Guideline
from annotation.steps import STEPS

FOLDER = Path(__file__).parent / "guidelines"
INTRODUCTION = "introduction"
ANCHORS = (INTRODUCTION, *(step.anchor for step in STEPS))
MARKER = re.compile(r"^<!-- ([a-z0-9-]+) -->$", re.MULTILINE)

# Raw HTML in a guideline is shown as text.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def written() -> str:
    """The current content of the files."""
    texts = ((anchor, (FOLDER / f"{anchor}.md").read_text(encoding="utf-8")) for anchor in ANCHORS)
    return "\n".join(f"<!-- {anchor} -->\n{text.strip()}\n" for anchor, text in texts)


@transaction.atomic
def current_guideline() -> Guideline:
    """The version with the current content of the files, stored if it is new."""
    body = written()
    sha256 = hashlib.sha256(body.encode("utf-8")).hexdigest()
    version = str(Guideline.objects.count() + 1)
    guideline, _ = Guideline.objects.get_or_create(
        sha256=sha256, defaults={"version": version, "body": body}
    )
    return guideline


@lru_cache(maxsize=16)
def rendered(body: str) -> dict[str, str]:
    """The parts of a body as HTML, by anchor."""
    pieces = MARKER.split(body)
    return {
        anchor: MARKDOWN.render(text)
        for anchor, text in zip(pieces[1::2], pieces[2::2], strict=True)
    }
