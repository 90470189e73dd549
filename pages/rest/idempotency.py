"""What was sent twice with one Idempotency-Key is done once; the second request gets the first one's answer."""

import json
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.models import KeptAnswer
from leases.clock import in_seconds
from leases.refusal import Refusal

NAME = "Idempotency-Key"
FORM = re.compile(r"[!-~]{1,100}")
KEPT_FOR = 24 * 3600
HEADER = OpenApiParameter(
    NAME,
    str,
    OpenApiParameter.HEADER,
    description="Any text of your own, such as a UUID: within a day the same request with it is not done again.",
)


def is_kept(request: Request) -> bool:
    """Whether the answer to a request with this key is there, so that nothing is done again."""
    rows = KeptAnswer.objects.filter(person=person_of(request), key=request.headers.get(NAME, ""))
    return rows.filter(at__gte=in_seconds(-KEPT_FOR)).exists()


def once(request: Request, do: Callable[[], Response]) -> Response:
    """`do`, in one transaction with the note that it was done. A refused request is not kept.

    Two at the same time: the database lets the second wait for the first. Raises Refusal (422) for another request.
    """
    key = request.headers.get(NAME)
    if key is None:
        return do()
    if not FORM.fullmatch(key):
        raise Refusal(f"{NAME} takes 1 to 100 characters of ASCII, without spaces.")
    person, wanted = person_of(request), _hash(request)
    with transaction.atomic():
        of_key = KeptAnswer.objects.filter(person=person, key=key)
        of_key.filter(at__lt=in_seconds(-KEPT_FOR)).delete()
        kept, is_new = KeptAnswer.objects.get_or_create(
            person=person, key=key, defaults={"request_hash": wanted}
        )
        if is_new:
            answer = do()
            body = json.loads(JSONRenderer().render(answer.data) or b"null")
            of_key.update(status=answer.status_code, body=body)
            return answer
    if kept.request_hash != wanted:
        raise Refusal(
            f"This {NAME} came with another request in the last day. Send each request with a key of its own.",
            status=422,
            code="idempotency_key_reused",
        )
    return Response(kept.body, status=kept.status, headers={"Idempotency-Replayed": "true"})


def _hash(request: Request) -> str:
    """Of address and body; the files of a form by their contents."""
    hashing = sha256(f"{request.method} {request.path}".encode())
    for part in _parts(request):
        hashing.update(b"\0" + part)
    return hashing.hexdigest()


def _parts(request: Request) -> Iterator[bytes]:
    files = request.FILES
    sent: Any = request.data
    if files:
        sent = {name: value for name, value in sent.items() if name not in files}
    yield json.dumps(sent, sort_keys=True, default=str).encode()
    for name, file in sorted(files.items()):
        contents = sha256()
        for chunk in file.chunks():
            contents.update(chunk)
        file.seek(0)
        yield f"{name} {contents.hexdigest()}".encode()


def sweep() -> int:
    return KeptAnswer.objects.filter(at__lt=in_seconds(-KEPT_FOR)).delete()[0]
