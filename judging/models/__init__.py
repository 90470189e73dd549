"""Verdicts on model responses: studies, blind slots, judgments, resolutions, machine verdicts."""

from judging.models.machine import Holds, JudgeCall, MachineVerdict
from judging.models.resolutions import Discussion, Remark, Resolution
from judging.models.slots import (
    GoldItem,
    GoldVerdict,
    Judge,
    JudgePrompt,
    JudgingSlot,
    Judgment,
    JudgmentEvent,
)
from judging.models.studies import (
    ImportedRow,
    Reopening,
    Round,
    Rubric,
    Study,
    StudyItem,
)

__all__ = [
    "Discussion",
    "GoldItem",
    "GoldVerdict",
    "Holds",
    "ImportedRow",
    "Judge",
    "JudgeCall",
    "JudgePrompt",
    "JudgingSlot",
    "Judgment",
    "JudgmentEvent",
    "MachineVerdict",
    "Remark",
    "Reopening",
    "Resolution",
    "Round",
    "Rubric",
    "Study",
    "StudyItem",
]
