"""Why responses have no final verdict: one kind each, by the slots of its latest round."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from evaluation.counts.final_verdicts import kept
from evaluation.counts.judged import Judged
from evaluation.shapes.verdict_tables import ABSENT, DISAGREEMENT, INCOMPLETE, SKIPPED, WAITING
from judging.settling import UNFINISHED
from judging.states import SlotState

# The state of a slot and its reason for skipping, "" for none.
Seat = tuple[str, str]


def kind_of(seats: Iterable[Seat]) -> str:
    """Why a response with these seats has no final verdict; no seats where no round has it yet."""
    states = set(seats)
    if (SlotState.WITHDRAWN, "") in states:
        return INCOMPLETE
    if not states or any(state in UNFINISHED for state, _ in states):
        return WAITING
    return SKIPPED if any(state == SlotState.WITHDRAWN for state, _ in states) else DISAGREEMENT


def missing(judged: Judged) -> dict[str, int]:
    """How many responses that are not excluded have no final verdict, by kind."""
    without = kept(judged.items) & judged.items["how"].among({None})
    without &= judged.asked | (not judged.study.is_judged)
    if judged.study.is_imported or not judged.study.is_judged:
        return {ABSENT: int(without.sum())} if without.any() else {}
    latest = np.zeros(len(without), dtype=np.intp)
    np.maximum.at(latest, judged.at, judged.rounds)
    slots = judged.slots
    of_round = slots["repeat"].among({1}) & (judged.rounds == latest[judged.at])
    rows = np.flatnonzero(of_round & without[judged.at])
    states = zip(slots["state"][rows], slots["skip_reason"][rows], strict=True)
    seats: dict[int, set[Seat]] = {at: set() for at in np.flatnonzero(without).tolist()}
    for at, seat in zip(judged.at[rows].tolist(), states, strict=True):
        seats[at].add(seat)
    return dict(Counter(map(kind_of, seats.values())))
