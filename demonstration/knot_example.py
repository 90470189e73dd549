"""The example of KNOT: eight invented records in a file for each level."""

from demonstration.examples import Example

KNOT = Example(
    protocol="knot",
    files=tuple(
        f"knot_with_{level}_questions.json" for level in ("simple", "explicit", "implicit")
    ),
    title="KNOT in small: invented records",
    description="Eight questions of three levels about three subjects, none of which exists. What is memorised of them "
    "is invented too, so no model can know it. All was written for this project, not by the author whom the protocol "
    "names.",
    subset="For the marking by people",
    drawn=4,
)
