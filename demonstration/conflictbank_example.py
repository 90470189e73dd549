"""The example of ConflictBank: twelve invented records, in a collection of their own.

It is loaded on request alone, and next to whatever there is; remove_demonstration removes it.
"""

from pathlib import Path

RECORDS = Path(__file__).parent / "conflictbank" / "records.jsonl"
NAME = "conflictbank-example"
