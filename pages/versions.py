"""The version of a row that a change was made from, as a request names it."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leases.refusal import Refusal

# Within the range of every database.
MOST_DIGITS = 18
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description="The version that was read.",
)


def version_of(request: Request) -> int:
    """The version in If-Match. Raises Refusal (428) if the header is missing."""
    named = request.headers.get("If-Match", "").strip().strip('"')
    if not (named.isdecimal() and len(named) <= MOST_DIGITS):
        raise Refusal(
            'Name the version that you read in the header If-Match, such as "3".', status=428
        )
    return int(named)
