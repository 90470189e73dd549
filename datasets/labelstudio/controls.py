"""The controls of the study's labelling configuration: their names are the keys of the published record. Pure.

Source: WikiContradict (Hou et al. 2024), Appendix E, as released. A task's data have the record's own keys.
"""

from enum import StrEnum
from functools import lru_cache

from datasets.schema import (
    ANNOTATION_KEYS,
    QUESTION,
    RECORD_KEYS,
    TAXONOMY,
    TYPE_COLUMNS,
)

SEEN = "wikitag"  # the control that shows the tagged paragraph; all others label it
CONFIDENCE = "confidence"
PSEUDONYM = "pseudonym"  # whose annotation it is: an import into Label Studio keeps no annotators that it does not know
DATA = tuple(key.key for key in RECORD_KEYS)
# Two keys are no data of the study's tasks; the published record derives them from the tag.
OPTIONAL_DATA = ("tagDate", "tagReason")


class ControlKind(StrEnum):
    """A control's type in Label Studio, which is also the key of its value (of a textarea: "text")."""

    CHOICES = "choices"
    TEXTAREA = "textarea"
    TAXONOMY = "taxonomy"
    RATING = "rating"

    @property
    def value_key(self) -> str:
        return "text" if self is ControlKind.TEXTAREA else self.value


_OWN = {key.key: key for key in ANNOTATION_KEYS if key.key not in TYPE_COLUMNS}


@lru_cache(maxsize=1_000)
def kind_of_control(name: str) -> ControlKind | None:
    """None for a name that the configuration does not have."""
    if name == TAXONOMY:
        return ControlKind.TAXONOMY
    if name == CONFIDENCE:
        return ControlKind.RATING
    if name in _OWN:
        return ControlKind.CHOICES if _OWN[name].values else ControlKind.TEXTAREA
    return ControlKind.TEXTAREA if QUESTION.fullmatch(name) else None


def controls(questions: int) -> tuple[str, ...]:
    """The names in the form's order, with those of this many questions."""
    asked = [
        f"question{n}{part}"
        for n in range(1, questions + 1)
        for part in ("", "_answer1", "_answer2")
    ]
    *own, confidence, about_types, about_questions = (
        *(name for name in _OWN if name not in (CONFIDENCE, "contradict_comment", "qa_comment")),
        CONFIDENCE, "contradict_comment", "qa_comment",
    )  # fmt: skip
    return (*own, TAXONOMY, about_types, *asked, about_questions, confidence)
