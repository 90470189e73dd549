"""The example of ConflictBank: twelve invented records."""

from demonstration.examples import Example

CONFLICTBANK = Example(
    protocol="conflictbank",
    files=("records.jsonl",),
    title="ConflictBank in small: invented records",
    description="Twelve records on eight subjects, none of which exists. The evidence was written for this project, "
    "not by the author whom the protocol names.",
    subset="For the check by people",
    drawn=6,
)
