"""The verdict in a judge model's reply: found by rule, never guessed. Pure.

Source: WikiContradict (Hou et al. 2024), section 5 and Appendix C, whose examples end in a line
`evaluation: …` and misspell one verdict in two ways, which models copy.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

SPELLINGS: Mapping[str, str] = {
    "correct": "correct",
    "partially correct": "partially correct",
    "partically correct": "partially correct",
    "particially correct": "partially correct",
    "incorrect": "incorrect",
}

_MARK = re.compile(r"evaluation:", re.IGNORECASE)


@dataclass(frozen=True)
class Parsed:
    """What a reply says. Both parts are empty where it says none of the verdicts.

    `verdict` is as stored; `spelling` the words that gave it, in small letters.
    """

    verdict: str = ""
    spelling: str = ""


def parse(reply: str) -> Parsed:
    """The verdict after the reply's last `evaluation:`, wherever that stands in its line.

    The rest of that line must be one of SPELLINGS, whatever its case, with or without a full stop. Where it is
    anything else the reply is unparsed, even if an earlier line would do.
    """
    marks = list(_MARK.finditer(reply))
    if not marks:
        return Parsed()
    rest = reply[marks[-1].end() :].splitlines()
    said = " ".join(rest[0].split()).removesuffix(".").rstrip().lower() if rest else ""
    return Parsed(SPELLINGS[said], said) if said in SPELLINGS else Parsed()
