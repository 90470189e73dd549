"""What a person could see of the responses to a question that they exclude.

A person who has seen how models answered a question is not neutral about excluding it. So an exclusion records what
each of the two people could see, and a person who still judges responses to the question learns nothing of its
exclusion.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from accounts.models import Person
from datasets.models import Instance
from leases.extension import ExtensionPoint


@dataclass(frozen=True)
class Known:
    """A run or study with responses to a question.

    `open`: a page showed it to the person then. `part`: what they had done in it, e.g. "judged in it".
    """

    what: str
    open: bool
    part: str = ""


# The runs and studies with responses to the question.
responses_known: ExtensionPoint[[Person, Instance], Iterable[Known]] = ExtensionPoint(
    "datasets.excluding.exposure.responses_known"
)
# The ids of the questions whose exclusion is hidden from the person now, whatever their roles.
hidden_questions: ExtensionPoint[[Person], set[int]] = ExtensionPoint(
    "datasets.excluding.exposure.hidden_questions"
)


def known_to(person: Person, instance: Instance) -> list[dict[str, Any]]:
    """Every run and study with responses to the question, as data to keep."""
    return [asdict(known) for rows in responses_known(person, instance) for known in rows]


def hidden_from(person: Person) -> set[int]:
    """The ids of the questions whose exclusion is hidden from the person now."""
    return set().union(*hidden_questions(person))
