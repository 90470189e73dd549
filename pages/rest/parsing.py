"""Bodies of JSON, without what no text of ours may hold."""

import json
import re
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

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
