"""The yes to the question before others' work is shown, which a refusal's `agree` names."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from accounts.access import person_of
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from annotation.blinding import seeing
from annotation.views.seeing import path_here, read_tags
from pages.rest.operations import operation


class AgreedIn(serializers.Serializer[Any]):
    """`tags`: their ids, with commas between them; `next`: the address of what is to be shown."""

    tags = serializers.CharField(max_length=1_000_000)
    next = serializers.CharField(max_length=seeing.MOST_OPENED)


class AgreedOut(serializers.Serializer[Any]):
    tags = serializers.IntegerField()


@operation(
    "POST",
    scope=Scope.ANNOTATE,
    roles=(Role.ANNOTATOR,),
    takes=AgreedIn,
    answers=AgreedOut,
    refusals=(409,),
)
def shown_agree(request: Request, sent: Mapping[str, Any]) -> dict[str, int]:
    """Give up these tags, as far as you could still be given them, to be shown what others entered for them.

    The answer is how many were given up: none, if that was done before.
    """
    opened, tags = path_here(request, sent["next"]), read_tags(sent["tags"])
    return {"tags": seeing.give_up(by=person_of(request), tags=tags, opened=opened)}
