"""Bodies: JSON without what no text of ours may hold, and no key but those that the operation takes."""

import json
import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.fields import Field
from rest_framework.parsers import JSONParser
from rest_framework.serializers import Serializer

from leases.refusal import Refusal
from pages.rest.errors import MOST_NAMED
from pages.rest.parameters import no_such

# As JSON writes them: the NUL, which PostgreSQL refuses, and surrogates, which alone are no character.
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class StrictJsonParser(JSONParser):
    """Refuses a NUL and a lone surrogate anywhere in the body: the fields below a dict are checked by nobody else."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        raw = stream.read()
        if NUL.search(raw):
            raise ParseError(
                "The JSON holds a NUL character (\\u0000), which no text here may hold."
            )
        data = super().parse(BytesIO(raw), media_type, parser_context)
        if SURROGATE.search(raw) and _has_lone_surrogate(data):
            raise ParseError("The JSON holds half a character: a surrogate without the other.")
        return data


def _has_lone_surrogate(data: Any) -> bool:
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def check_keys(data: Any, takes: Serializer[Any]) -> None:
    """Raises Refusal for keys that the body may not have, and says which it may."""
    if wrong := dict(islice(_unknown(data, takes), MOST_NAMED)):
        raise Refusal(
            " ".join(wrong.values()), fields={name: [said] for name, said in wrong.items()}
        )


def _unknown(
    data: Any, takes: Field[Any, Any, Any, Any], within: str = ""
) -> Iterator[tuple[str, str]]:
    """(name, sentence) of each unknown key; what a key takes that is no serializer has keys of its own."""
    if not (isinstance(takes, Serializer) and isinstance(data, Mapping)):
        return
    for key, value in data.items():
        if key in takes.fields:
            yield from _unknown(value, takes.fields[key], f"{within}{key}.")
        else:
            name = f"{within}{key}"[:200].encode("utf-8", "replace").decode()
            yield name, no_such("field", name, takes.fields)
