"""A judge's actions for programs, and for the page's script: replies hold the fields of the allow-list only.

There is no list of slots, which would tell what waits, and in which order.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from accounts.access import person_of
from accounts.models import Person
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from judging import listed_studies, pool, presenting, progress, queues, verdicts, warmup
from judging.api.studies import JudgedStudyOut, SlotCountsOut
from judging.blinding import keep_items
from judging.listed_studies import JudgedStudy
from judging.models import JudgingSlot, Study
from judging.rules import rubric
from judging.rules.verdict_scale import LONGEST_KEY
from judging.states import SlotState
from leases.refusal import Conflict, NotFoundHere
from pages.rest.operations import operation
from pages.rest.parameters import version_of

JUDGES = (Role.JUDGE,)
WARM_UP = "The study begins with a warm-up, whose items show what others decided. Do it on its page under Judge first."
NONE_LEFT = (
    "There is nothing left for you to judge in this study now. Hand in what you have judged."
)


class VerdictIn(serializers.Serializer[Any]):
    verdict = serializers.CharField(
        max_length=LONGEST_KEY, help_text="The key of a verdict of the study's rubric."
    )
    comment = serializers.CharField(
        allow_blank=True, default="", trim_whitespace=False, max_length=verdicts.COMMENT_LIMIT
    )
    seconds = serializers.FloatField(
        default=None, allow_null=True, help_text="Time the item was on the screen."
    )


class SlotSkipIn(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=verdicts.COMMENT_LIMIT)


class FlagIn(serializers.Serializer[Any]):
    flagged = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True, default="", max_length=verdicts.COMMENT_LIMIT)


class MovedOut(serializers.Serializer[Any]):
    """What is stored of the slot now. `verdict` is "" where there is none."""

    slot = serializers.UUIDField()
    state = serializers.ChoiceField(SlotState.choices)
    verdict = serializers.CharField(allow_blank=True)
    flagged = serializers.BooleanField()
    version = serializers.IntegerField()
    progress = SlotCountsOut()


class GoldOut(serializers.Serializer[Any]):
    passage = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()


class PassageOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    text = serializers.CharField()


class ChoiceOut(serializers.Serializer[Any]):
    """A verdict that can be given; `key` is what is sent."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    tone = serializers.CharField()
    hotkey = serializers.CharField()
    criteria = serializers.ListField(child=serializers.CharField())
    warning = serializers.CharField(allow_blank=True)


class JudgedResponseOut(serializers.Serializer[Any]):
    question = serializers.CharField()
    heading = serializers.CharField()
    origin = serializers.CharField(allow_blank=True)
    gold = GoldOut(many=True)
    passages = PassageOut(many=True)
    text = serializers.CharField(allow_blank=True)
    check = serializers.CharField(allow_blank=True)
    check_reply = serializers.CharField(allow_blank=True)
    finding = serializers.CharField(allow_blank=True)
    cut_off = serializers.BooleanField()
    prompt_label = serializers.CharField(allow_blank=True)
    prompt_title = serializers.CharField(allow_blank=True)
    rules = serializers.ListField(child=serializers.CharField())
    choices = ChoiceOut(many=True)


class SlotOut(serializers.Serializer[Any]):
    """One item, and what its judge has entered. `version` counts the judge's own changes."""

    slot = serializers.UUIDField()
    response = JudgedResponseOut()
    verdict = serializers.CharField(allow_blank=True)
    comment = serializers.CharField(allow_blank=True)
    flagged = serializers.BooleanField()
    flag_note = serializers.CharField(allow_blank=True)
    skip_reason = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(SlotState.choices)
    version = serializers.IntegerField()
    position = serializers.IntegerField()
    total = serializers.IntegerField()


CLOSED = (409,)


@operation("POST", scope=Scope.JUDGE, roles=JUDGES, answers=SlotOut, refusals=CLOSED)
def slots_next(request: Request, study_id: int) -> Any:
    """The item that waits for the person in a study; in a pool the next are drawn. 404 `none_left` where there is none.

    Asked again, it is the same item until that has a verdict or a reason for skipping it.
    """
    person = person_of(request)
    study = queues.study_of(person, study_id)
    if warmup.next_for(person, study) is not None:
        raise Conflict(WARM_UP, code="warm_up")
    waiting = queues.drawn(person, study)
    if waiting is None:
        raise NotFoundHere(NONE_LEFT, code="none_left")
    return _shown(request, person, waiting)


@operation("GET", scope=Scope.JUDGE, roles=JUDGES, answers=SlotOut, refusals=CLOSED)
def slots_read(request: Request, slot_id: uuid.UUID) -> Any:
    """One item of the person, as on its page."""
    return _shown(request, person_of(request), slot_id)


def _shown(request: Request, person: Person, slot_id: uuid.UUID) -> dict[str, Any]:
    mine = verdicts.slot_of(person, slot_id)
    queues.mark_shown(mine)
    keep_items(person, [mine.item], request.path)
    known = rubric.parse(mine.round.study.judged_by.body)
    total = progress.of_person(person, mine.round.study).total
    return asdict(presenting.slot_view(mine, known, total))


@operation(
    "POST", scope=Scope.JUDGE, roles=JUDGES, takes=VerdictIn, answers=MovedOut, refusals=CLOSED, versioned=True
)  # fmt: skip
def slots_verdict(request: Request, slot_id: uuid.UUID, sent: Mapping[str, Any]) -> Any:
    """Give or change the verdict; the same one again changes nothing. From an older version: 412 with both entries."""
    return _moved(request, slot_id, partial(verdicts.give, version=version_of(request), **sent))


@operation(
    "POST", scope=Scope.JUDGE, roles=JUDGES, answers=MovedOut, refusals=CLOSED, versioned=True
)
def slots_undo(request: Request, slot_id: uuid.UUID) -> Any:
    """Take the verdict back; the item waits again. From an older version: 412 with what is stored."""
    return _moved(request, slot_id, partial(verdicts.undo, version=version_of(request)))


@operation(
    "POST", scope=Scope.JUDGE, roles=JUDGES, takes=SlotSkipIn, answers=MovedOut, refusals=CLOSED, versioned=True
)  # fmt: skip
def slots_skip(request: Request, slot_id: uuid.UUID, sent: Mapping[str, Any]) -> Any:
    """Leave the item without a verdict, with a reason. From an older version: 412 with both entries."""
    return _moved(request, slot_id, partial(verdicts.skip, version=version_of(request), **sent))


@operation("POST", scope=Scope.JUDGE, roles=JUDGES, takes=FlagIn, answers=MovedOut, refusals=CLOSED)
def slots_flag(request: Request, slot_id: uuid.UUID, sent: Mapping[str, Any]) -> Any:
    """Flag the item for the admin, or remove the flag."""
    return _moved(request, slot_id, partial(verdicts.flag, **sent))


@operation("POST", scope=Scope.JUDGE, roles=JUDGES, answers=JudgedStudyOut, refusals=CLOSED)
def studies_hand_back(request: Request, study_id: int) -> JudgedStudy:
    """Free what the person has in the study and has not judged, for others. Verdicts are kept."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    pool.hand_back(person, study)
    return _judged(person, study)


@operation("POST", scope=Scope.JUDGE, roles=JUDGES, answers=JudgedStudyOut, refusals=CLOSED)
def studies_hand_in(request: Request, study_id: int) -> JudgedStudy:
    """Close all of the person's items in a study: their verdicts cannot change any more. 409 while some wait.

    In a pool what they have not judged goes back, for others.
    """
    person = person_of(request)
    study = queues.study_of(person, study_id)
    verdicts.hand_in(person, study)
    return _judged(person, study)


def _judged(person: Person, study: Study) -> JudgedStudy:
    [shown] = listed_studies.of_judge(person, [study])
    return shown


def _moved(request: Request, slot_id: uuid.UUID, move: Callable[[JudgingSlot], object]) -> Any:
    """Make the move; the reply says what is stored now."""
    person = person_of(request)
    mine = verdicts.slot_of(person, slot_id)
    move(mine)
    columns = ("state", "flagged", "version", "judgment__verdict")
    stored = JudgingSlot.objects.values(*columns).get(pk=mine.pk)
    return {
        "slot": mine.pk,
        "state": stored["state"],
        "verdict": stored["judgment__verdict"] or "",
        "flagged": stored["flagged"],
        "version": stored["version"],
        "progress": progress.of_person(person, mine.round.study),
    }
