"""A judge's actions as an API, used by the page's script too. Replies hold the fields of the allow-list only."""

import uuid
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import HasRole, person_of
from accounts.roles import Role
from judging import presenting, progress, verdicts
from judging.blinding import keep_items
from judging.models import JudgingSlot
from judging.rules import rubric
from judging.rules.verdict_scale import LONGEST_KEY
from pages.versions import IF_MATCH, version_of

JUDGES = [HasRole.any_of(Role.JUDGE)]


class VerdictInput(serializers.Serializer):
    verdict = serializers.CharField(
        max_length=LONGEST_KEY, help_text="The key of a verdict of the study's rubric."
    )
    comment = serializers.CharField(
        allow_blank=True, default="", trim_whitespace=False, max_length=verdicts.COMMENT_LIMIT
    )
    seconds = serializers.FloatField(
        default=None, allow_null=True, help_text="Time the item was on the screen."
    )


class SkipInput(serializers.Serializer):
    reason = serializers.CharField(max_length=verdicts.COMMENT_LIMIT)


class FlagInput(serializers.Serializer):
    flagged = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True, default="", max_length=verdicts.COMMENT_LIMIT)


class ProgressOutput(serializers.Serializer):
    judged = serializers.IntegerField()
    skipped = serializers.IntegerField()
    waiting = serializers.IntegerField()
    total = serializers.IntegerField()


class MoveOutput(serializers.Serializer):
    slot = serializers.UUIDField()
    state = serializers.CharField()
    verdict = serializers.CharField()
    flagged = serializers.BooleanField()
    version = serializers.IntegerField()
    progress = ProgressOutput()


class ResponseOutput(serializers.Serializer):
    question = serializers.CharField()
    heading = serializers.CharField()
    origin = serializers.CharField()
    gold = serializers.ListField(child=serializers.DictField())
    passages = serializers.ListField(child=serializers.DictField())
    text = serializers.CharField()
    check = serializers.CharField()
    check_reply = serializers.CharField()
    finding = serializers.CharField()
    cut_off = serializers.BooleanField()
    prompt_label = serializers.CharField()
    prompt_title = serializers.CharField()
    rules = serializers.ListField(child=serializers.CharField())
    choices = serializers.ListField(child=serializers.DictField())


class SlotOutput(serializers.Serializer):
    slot = serializers.UUIDField()
    response = ResponseOutput()
    verdict = serializers.CharField()
    comment = serializers.CharField()
    flagged = serializers.BooleanField()
    flag_note = serializers.CharField()
    skip_reason = serializers.CharField()
    state = serializers.CharField()
    version = serializers.IntegerField()
    position = serializers.IntegerField()
    total = serializers.IntegerField()


@extend_schema(responses=SlotOutput)
@api_view(["GET"])
@permission_classes(JUDGES)
def slot(request: Request, slot_id: uuid.UUID) -> Response:
    """One item of the signed-in judge, as on its page."""
    person = person_of(request)
    mine = verdicts.slot_of(person, slot_id)
    keep_items(person, [mine.item], request.path)
    known = rubric.parse(mine.round.study.judged_by.body)
    total = progress.of_person(person, mine.round.study).total
    view = presenting.slot_view(mine, known, total)
    return Response(SlotOutput(asdict(view)).data)


@extend_schema(request=VerdictInput, responses=MoveOutput, parameters=[IF_MATCH])
@api_view(["POST"])
@permission_classes(JUDGES)
def verdict(request: Request, slot_id: uuid.UUID) -> Response:
    """Give or change the verdict; the same one again changes nothing. From an older version: 412 with both entries."""
    return _moved(
        request, slot_id, partial(verdicts.give, version=version_of(request)), VerdictInput
    )


@extend_schema(request=None, responses=MoveOutput, parameters=[IF_MATCH])
@api_view(["POST"])
@permission_classes(JUDGES)
def undo(request: Request, slot_id: uuid.UUID) -> Response:
    """Take the verdict back; the item waits again. From an older version: 412 with what is stored."""
    return _moved(request, slot_id, partial(verdicts.undo, version=version_of(request)))


@extend_schema(request=SkipInput, responses=MoveOutput, parameters=[IF_MATCH])
@api_view(["POST"])
@permission_classes(JUDGES)
def skip(request: Request, slot_id: uuid.UUID) -> Response:
    """Leave the item without a verdict, with a reason. From an older version: 412 with both entries."""
    return _moved(request, slot_id, partial(verdicts.skip, version=version_of(request)), SkipInput)


@extend_schema(request=FlagInput, responses=MoveOutput)
@api_view(["POST"])
@permission_classes(JUDGES)
def flag(request: Request, slot_id: uuid.UUID) -> Response:
    """Flag the item for the admin, or remove the flag."""
    return _moved(request, slot_id, verdicts.flag, FlagInput)


def _moved(
    request: Request,
    slot_id: uuid.UUID,
    move: Callable[..., object],
    form: type[serializers.Serializer] | None = None,
) -> Response:
    """Make the move with the fields of the form, if there is one; the reply says what is stored now."""
    entered = form(data=request.data) if form else serializers.Serializer(data={})
    entered.is_valid(raise_exception=True)
    mine = verdicts.slot_of(person_of(request), slot_id)
    move(mine, **entered.validated_data)
    columns = ("state", "flagged", "version", "judgment__verdict")
    stored = JudgingSlot.objects.values(*columns).get(pk=mine.pk)
    counted = progress.of_person(person_of(request), mine.round.study)
    moved = {
        "slot": mine.pk,
        "state": stored["state"],
        "verdict": stored["judgment__verdict"] or "",
        "flagged": stored["flagged"],
        "version": stored["version"],
        "progress": {
            "judged": counted.judged,
            "skipped": counted.skipped,
            "waiting": counted.waiting,
            "total": counted.total,
        },
    }
    return Response(moved)
