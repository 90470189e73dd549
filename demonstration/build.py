"""Write articles.xml from the folder articles/: `python -m demonstration.build`, after any change there."""

import sys
from pathlib import Path

from demonstration.export import export
from demonstration.history import pages

ARTICLES = Path(__file__).parent / "articles.xml"


def main() -> None:
    found = pages()
    ARTICLES.write_text(export(found), encoding="utf-8")
    edits = sum(len(page.edits) for page in found)
    sys.stdout.write(f"{ARTICLES}: {len(found)} pages, {edits} revisions\n")


if __name__ == "__main__":
    main()
